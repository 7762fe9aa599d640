#include "remote_report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace plimsoll::cli {
namespace {

Description description() {
  return {.sandbox = "wasm",
          .evidence = {.tier = Isolation::kProcess,
                       .facts = {{.name = "seccomp",
                                  .value = "2",
                                  .basis = EvidenceBasis::kMeasured,
                                  .observed_unix_ms = 5}}},
          .protocol = 2,
          .policy = {},
          .javascript = PayloadEnvironment{.identity = "quickjs-wasm:sha256:ab",
                                           .max_timeout = Millis(30'000),
                                           .software_identity = "s",
                                           .languages = {"javascript"}},
          .resources = {.memory_mb = 64, .cpus = 1, .pids = 1, .disk_mb = 0}};
}

TEST(RemoteReport, ARecordStandsBehindTheOutcome) {
  RemoteOutcome remote;
  remote.outcome.stdout_bytes = "42\n";
  remote.environment = "env";
  remote.record.record_sha256 = "abc";
  const auto json = nlohmann::json::parse(to_json(remote));
  EXPECT_EQ(json["stdout"]["utf8"], "42\n");
  EXPECT_EQ(json["environment"], "env");
  EXPECT_EQ(json["record"]["record_sha256"], "abc");
  EXPECT_EQ(json["record"]["version"], 2);
}

TEST(RemoteReport, ADescriptionWhole) {
  EXPECT_EQ(to_json(description()),
            R"({"sandbox":"wasm","isolation":"process","protocol":2,"policy":"",)"
            R"("javascript":{"identity":"quickjs-wasm:sha256:ab","max_timeout_ms":30000,)"
            R"("software_identity":"s","languages":["javascript"]},"project":null,)"
            R"("module":null,"supports":{"project":false,"module":false,)"
            R"("javascript_grants":false,"project_grants":false,"sessions":false},)"
            R"("resources":{"memory_mb":64,"cpus":1.0,"pids":1,"disk_mb":0},)"
            R"("evidence":{"tier":"process","facts":[{"name":"seccomp","value":"2",)"
            R"("basis":"measured","observed_unix_ms":5}]}})"
            "\n");
  EXPECT_EQ(to_text(description()),
            "sandbox      wasm\nisolation    process\nprotocol     2\n"
            "javascript   up to 30 s, in quickjs-wasm:sha256:ab\nmemory       64 MiB\n"
            "measured     seccomp: 2\n");
}

TEST(RemoteReport, NoControlCharacterReachesATerminal) {
  Description hostile = description();
  hostile.sandbox = "\x1b[2J\nwasm";
  EXPECT_EQ(to_text(hostile).find('\x1b'), std::string::npos);
  EXPECT_TRUE(to_text(hostile).starts_with("sandbox      ?[2J?wasm\n"));
}

}  // namespace
}  // namespace plimsoll::cli
