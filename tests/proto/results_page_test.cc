// docs/run-results.md says what the code does: its tables have every cause, outcome and reason with
// its number, and every limit.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <plimsoll/v1/result.pb.h>
#include <plimsoll/v1/run.pb.h>

#include <fstream>
#include <sstream>

#include "core/wire_limits.h"
#include "plimsoll/outcome.h"

namespace plimsoll {
namespace {

std::string page() {
  std::ostringstream text;
  text << std::ifstream(PLIMSOLL_SOURCE_DIR "/docs/run-results.md").rdbuf();
  return text.str();
}

void expect_row(const std::string& row) {
  EXPECT_NE(page().find("\n" + row), std::string::npos) << row;
}

// 1048576 as "1,048,576".
std::string grouped(std::size_t number) {
  std::string text = std::to_string(number);
  for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, ",");
  return text;
}

// Each value but the unspecified one, without the prefix.
template <class Check>
void for_each_value(const google::protobuf::EnumDescriptor* enumeration, std::size_t prefix,
                    Check check) {
  for (int i = 1; i < enumeration->value_count(); ++i) {
    check(enumeration->value(i)->name().substr(prefix), enumeration->value(i)->number());
  }
}

TEST(ResultsPage, CausesHaveTheirExitCodes) {
  const auto exit_code = [](int cause) -> std::string {
    switch (static_cast<TerminationCause>(cause)) {
      case TerminationCause::kExited:
        return "its own";
      case TerminationCause::kTimedOut:
        return std::to_string(kExitTimedOut);
      case TerminationCause::kOutOfMemory:
        return std::to_string(kExitOutOfMemory);
      case TerminationCause::kSignaled:
        return "128 + N";
      case TerminationCause::kOutputFlood:
        return std::to_string(kExitOutputFlood);
      case TerminationCause::kEngineFault:
        return std::to_string(kExitEngineFault);
    }
    return "unknown to this test";
  };
  for_each_value(v1::TerminationCause_descriptor(), std::string("TERMINATION_CAUSE_").size(),
                 [&](const std::string& name, int number) {
                   expect_row(fmt::format("| `{}` | {} |", name, exit_code(number)));
                 });
}

TEST(ResultsPage, OutcomesAndReasonsHaveTheirNumbers) {
  const auto has_row = [](const std::string& name, int number) {
    expect_row(fmt::format("| `{}` | {} |", name, number));
  };
  for_each_value(v1::ProjectOutcome_descriptor(), std::string("PROJECT_OUTCOME_").size(), has_row);
  for_each_value(v1::NotDispatchedReason_descriptor(), std::string("NOT_DISPATCHED_REASON_").size(),
                 has_row);
}

TEST(ResultsPage, LimitsAreThoseOfTheCode) {
  expect_row(fmt::format("| HTTP body, as it arrives and after inflation | {} bytes |",
                         grouped(kMaxBodyBytes)));
  expect_row(fmt::format("| an answer, below | {} bytes |", grouped(kAnswerBytesEnd)));
  expect_row(fmt::format("| `code` | 1 to {} bytes |", grouped(kMaxCodeBytes)));
  expect_row(fmt::format("| files of a project | {} |", kMaxProjectFiles));
  expect_row(fmt::format("| files of a project, contents and paths together | {} bytes |",
                         grouped(kMaxProjectBytes)));
  expect_row(fmt::format("| a path | {} bytes |", grouped(kMaxPathBytes)));
  expect_row(fmt::format("| steps of a project | 1 to {} |", kMaxProjectSteps));
  expect_row(fmt::format("| one step | {} bytes |", grouped(kMaxStepBytes)));
  expect_row(fmt::format("| artifacts of a project | {} |", kMaxArtifacts));
  expect_row(
      fmt::format("| artifacts, contents together | {} bytes |", grouped(kMaxArtifactBytes)));
  expect_row(fmt::format("| `grant_profile` | {} bytes of", kMaxProfileNameBytes));
  expect_row(fmt::format("| `trace_id` | {} bytes of", kMaxTraceIdBytes));
  expect_row(
      fmt::format("| identities of a software rule | 1 for `exact`, 1 to {} for `approved` |",
                  kMaxSoftwareIdentities));
  expect_row(fmt::format("| one identity | 1 to {} bytes |", kMaxSoftwareIdentityBytes));
  expect_row(fmt::format(
      "| timeout of a snippet | {} s unless given; {} s at most on wasm, {} s elsewhere |",
      kDefaultTimeout.count() / 1000, kMaxWasmTimeout.count() / 1000,
      kMaxSnippetTimeout.count() / 1000));
  expect_row(fmt::format("| timeout of a project | {} s |", kMaxProjectTimeout.count() / 1000));
}

}  // namespace
}  // namespace plimsoll
