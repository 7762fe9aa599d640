// The golden vectors: tests/record/ recomputes the same file in Python, independently.
#include <gtest/gtest.h>

#include <bit>
#include <charconv>
#include <fstream>
#include <set>

#include <nlohmann/json.hpp>

#include "record/request_digest.h"
#include "record/result_digest.h"
#include "record/run_record.h"

namespace plimsoll::record {
namespace {

using Json = nlohmann::json;

std::uint64_t hex_number(std::string_view digits) {
  std::uint64_t number = 0;
  const auto end = digits.data() + digits.size();
  EXPECT_EQ(std::from_chars(digits.data(), end, number, 16).ptr, end);
  return number;
}

std::string text(const Json& json) {
  if (json.is_string()) return json.get<std::string>();
  const auto digits = json.at("hex").get<std::string>();
  std::string bytes;
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    bytes += static_cast<char>(hex_number(std::string_view(digits).substr(i, 2)));
  }
  return bytes;
}

double number(const Json& json) {
  return std::bit_cast<double>(hex_number(json.get<std::string>()));
}

// One of each, by `read`.
template <class Read>
auto list(const Json& json, Read read) {
  std::vector<decltype(read(json))> values;
  for (const Json& each : json) values.push_back(read(each));
  return values;
}

std::vector<double> numbers(const Json& json) { return list(json, number); }

ProjectFile file(const Json& json) {
  return {.path = text(json.at("path")), .content = text(json.at("content"))};
}

RunPayload payload(const Json& json) {
  const auto kind = json.at("kind").get<std::string>();
  if (kind == "javascript") {
    return JavaScriptRun{.code = text(json.at("code")),
                         .grant_profile = text(json.at("grant_profile"))};
  }
  if (kind == "project") {
    return ProjectRun{.files = list(json.at("files"), file),
                      .steps = list(json.at("steps"), text),
                      .artifacts = list(json.at("artifacts"), text),
                      .grant_profile = text(json.at("grant_profile"))};
  }
  if (kind == "module") {
    return ModuleRun{.model = text(json.at("model")),
                     .rows = list(json.at("rows"), numbers),
                     .end_time = number(json.at("end_time")),
                     .step = number(json.at("step"))};
  }
  EXPECT_EQ(kind, "cell");
  return CellRun{.language = text(json.at("language")),
                 .code = text(json.at("code")),
                 .files = list(json.at("files"), file)};
}

AskedRun asked(const Json& json) {
  return {.protocol = json.at("protocol").get<std::uint32_t>(),
          .minimum_isolation = text(json.at("minimum_isolation")),
          .timeout_ms = json.at("timeout_ms").get<std::int32_t>(),
          .software_rule = {.mode = text(json.at("software_mode")),
                            .identities = list(json.at("software_identities"), text)},
          .payload = payload(json)};
}

ProcessResult process(const Json& json) {
  return {.exit_code = json.at("exit_code").get<std::int32_t>(),
          .timed_out = json.at("timed_out").get<bool>(),
          .stdout_bytes = text(json.at("stdout")),
          .stderr_bytes = text(json.at("stderr")),
          .stdout_truncated = json.at("stdout_truncated").get<bool>(),
          .stderr_truncated = json.at("stderr_truncated").get<bool>()};
}

StepResult step(const Json& json) {
  return {.command = text(json.at("command")), .process = process(json)};
}

Artifact artifact(const Json& json) {
  return {.path = text(json.at("path")), .content = text(json.at("content"))};
}

ModuleRowResult row(const Json& json) {
  return {.status = json.at("status").get<std::int32_t>(), .outputs = numbers(json.at("outputs"))};
}

RunResult result(const Json& json) {
  const auto kind = json.at("kind").get<std::string>();
  if (kind == "javascript") return JavaScriptResult{.process = process(json)};
  if (kind == "cell") {
    return CellResult{.process = process(json),
                      .interpreter_started = json.at("interpreter_started").get<bool>(),
                      .interpreter_ended = json.at("interpreter_ended").get<bool>()};
  }
  const auto outcome = static_cast<ProjectOutcome>(json.at("outcome").get<std::uint8_t>());
  if (kind == "project") {
    return ProjectResult{.outcome = outcome,
                         .outcome_detail = text(json.at("outcome_detail")),
                         .artifacts_truncated = json.at("artifacts_truncated").get<bool>(),
                         .steps = list(json.at("steps"), step),
                         .artifacts = list(json.at("artifacts"), artifact)};
  }
  EXPECT_EQ(kind, "module");
  return ModuleResult{.outcome = outcome,
                      .outcome_detail = text(json.at("outcome_detail")),
                      .width = json.at("width").get<std::int32_t>(),
                      .stdout_bytes = text(json.at("stdout")),
                      .stderr_bytes = text(json.at("stderr")),
                      .runs = list(json.at("runs"), row)};
}

RunRecord record(const Json& json) {
  return {.request_sha256 = text(json.at("request_sha256")),
          .result_sha256 = text(json.at("result_sha256")),
          .provider = text(json.at("provider")),
          .isolation = text(json.at("isolation")),
          .environment = text(json.at("environment")),
          .policy = text(json.at("policy")),
          .software_identity = text(json.at("software_identity")),
          .software_rule_id = text(json.at("software_rule_id")),
          .started_unix_ms = json.at("started_unix_ms").get<std::int64_t>(),
          .ended_unix_ms = json.at("ended_unix_ms").get<std::int64_t>(),
          .session = text(json.at("session")),
          .sequence = json.at("sequence").get<std::uint64_t>(),
          .previous_sha256 = text(json.at("previous_sha256"))};
}

std::string digest(const std::string& of, const Json& input) {
  if (of == "request") return request_digest(asked(input)).hex();
  if (of == "request_v1") return request_digest_v1(asked(input)).hex();
  if (of == "result") return result_digest(result(input)).hex();
  if (of == "record") return record_digest(record(input)).hex();
  EXPECT_EQ(of, "software_rule_id");
  return software_rule_id(
      {.mode = text(input.at("mode")), .identities = list(input.at("identities"), text)});
}

TEST(RecordVectors, EveryDigestIsThatOfTheGoldenFile) {
  std::ifstream in(PLIMSOLL_SOURCE_DIR "/tests/golden/records.json");
  const Json vectors = Json::parse(in);
  ASSERT_GE(vectors.size(), 40U);
  std::set<std::string> digests;
  for (const Json& vector : vectors) {
    const auto name = vector.at("name").get<std::string>();
    const auto golden = vector.at("digest").get<std::string>();
    EXPECT_EQ(digest(vector.at("digest_of").get<std::string>(), vector.at("input")), golden)
        << name;
    digests.insert(golden);
  }
  // Two rules differ in order and repetition only.
  EXPECT_EQ(digests.size(), vectors.size() - 1) << "two different inputs have one digest";
}

}  // namespace
}  // namespace plimsoll::record
