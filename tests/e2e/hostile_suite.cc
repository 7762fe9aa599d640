#include "hostile_suite.h"

#include <gtest/gtest.h>

#include <latch>
#include <string>
#include <thread>
#include <vector>

namespace plimsoll::contract {

void HostileSuite::expect_contained(Sandbox& sandbox, const std::string& code, Millis timeout) {
  const auto start = Clock::now();
  const Outcome outcome = outcome_of(sandbox, code, timeout);
  EXPECT_LE(since(start), timeout + Millis{20'000}) << code;
  switch (outcome.termination.cause) {
    case TerminationCause::kTimedOut:
    case TerminationCause::kOutOfMemory:
      break;
    case TerminationCause::kExited:
      EXPECT_EQ(outcome.exit_code, 1) << code;
      EXPECT_NE(outcome.stderr_bytes.find("Error"), std::string::npos) << outcome.stderr_bytes;
      break;
    default:
      ADD_FAILURE() << code << " ended as " << to_string(outcome.termination.cause);
  }
  expect_alive(sandbox);
}

namespace {

constexpr std::size_t kLargestCap = std::size_t{64} << 20;

INSTANTIATE_TEST_SUITE_P(Providers, HostileSuite, ::testing::ValuesIn(providers_under_test()),
                         provider_name);

TEST_P(HostileSuite, ManyLinesBeforeAnExitAreAllKept) {
  Sandbox sandbox = ready({.output_cap_bytes = kLargestCap});
  const Outcome outcome = outcome_of(
      sandbox, "for (let i = 0; i < 400000; i++) console.log(i); process.exit(3)", Millis{30'000});
  std::string expected;
  for (int i = 0; i < 400'000; ++i) expected += std::to_string(i) + '\n';
  EXPECT_TRUE(same_bytes(outcome.stdout_bytes, expected));
  EXPECT_FALSE(outcome.stdout_truncated);
  EXPECT_EQ(outcome.exit_code, 3);
}

TEST_P(HostileSuite, ManyLinesAreCutAtTheCapWithoutAMarker) {
  Sandbox sandbox = ready();
  const Outcome outcome = outcome_of(
      sandbox, "for (let i = 0; i < 400000; i++) console.log(i); process.exit(3)", Millis{30'000});
  std::string expected;
  for (int i = 0; expected.size() < 65'536; ++i) expected += std::to_string(i) + '\n';
  expected.resize(65'536);
  EXPECT_TRUE(same_bytes(outcome.stdout_bytes, expected));
  EXPECT_TRUE(outcome.stdout_truncated);
  EXPECT_EQ(outcome.exit_code, 3);
}

constexpr std::string_view kLongLine = R"(console.log(JSON.stringify({data: "x".repeat(3e6)})))";

TEST_P(HostileSuite, OneLongLineIsKeptWhole) {
  Sandbox sandbox = ready({.output_cap_bytes = kLargestCap});
  expect_prints(sandbox, std::string(kLongLine),
                R"({"data":")" + std::string(3'000'000, 'x') + "\"}\n");
}

TEST_P(HostileSuite, OneLongLineIsCutExactlyAtTheCap) {
  Sandbox sandbox = ready();
  const Outcome outcome = outcome_of(sandbox, std::string(kLongLine));
  EXPECT_TRUE(same_bytes(outcome.stdout_bytes, R"({"data":")" + std::string(65'527, 'x')));
  EXPECT_EQ(outcome.stdout_bytes.size(), 65'536U);
  EXPECT_TRUE(outcome.stdout_truncated);
  EXPECT_EQ(outcome.exit_code, 0);
}

TEST_P(HostileSuite, FiveHundredRunsAtOnceAllAnswer) {
  Sandbox sandbox = ready();
  constexpr int kRuns = 500;
  std::latch start(kRuns);
  std::vector<std::jthread> threads;
  threads.reserve(kRuns);
  for (int run = 0; run < kRuns; ++run) {
    threads.emplace_back([&sandbox, &start] {
      start.arrive_and_wait();
      const auto outcome = sandbox.run_javascript(request_of("console.log(7)", Millis{30'000}));
      ASSERT_TRUE(outcome) << outcome.error().message;
      EXPECT_EQ(outcome->stdout_bytes, "7\n");
      EXPECT_EQ(outcome->stderr_bytes, "");
      EXPECT_EQ(outcome->exit_code, 0);
    });
  }
  threads.clear();
  expect_alive(sandbox);
}

constexpr std::string_view kWideAtTheEdge = R"(process.stdout.write("x".repeat(65535) + "漢🙂"))";

TEST_P(HostileSuite, ACharacterAcrossABufferEdgeStaysWhole) {
  Sandbox sandbox = ready({.output_cap_bytes = kLargestCap});
  expect_prints(sandbox, std::string(kWideAtTheEdge), std::string(65'535, 'x') + "漢🙂");
}

TEST_P(HostileSuite, ACharacterAcrossTheCapIsCutByBytes) {
  Sandbox sandbox = ready();
  const Outcome outcome = outcome_of(sandbox, std::string(kWideAtTheEdge));
  EXPECT_TRUE(same_bytes(outcome.stdout_bytes, std::string(65'535, 'x') + "\xe6"));
  EXPECT_TRUE(outcome.stdout_truncated);
}

TEST_P(HostileSuite, BytesThatAreNoTextPass) {
  Sandbox sandbox = ready();
  const Outcome outcome = outcome_of(sandbox,
                                     "process.stdout.write(new Uint8Array([111, 255, 254, 107]));"
                                     "console.error('some text')");
  EXPECT_TRUE(same_bytes(outcome.stdout_bytes, "o\xff\xfek"));
  EXPECT_TRUE(same_bytes(outcome.stderr_bytes, "some text\n"));
}

TEST_P(HostileSuite, ALoneSurrogateBreaksNothing) {
  Sandbox sandbox = ready();
  expect_prints(sandbox, R"(console.log("a\udc00b"))", "a" + GetParam().lone_surrogate + "b\n");
}

TEST_P(HostileSuite, ALateRejectionIsAnUncaughtError) {
  Sandbox sandbox = ready();
  const Outcome outcome = outcome_of(sandbox, R"((async()=>{await 0;throw Error("late")})())");
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_EQ(outcome.stdout_bytes, "");
  EXPECT_NE(outcome.stderr_bytes.find("Error: late"), std::string::npos) << outcome.stderr_bytes;
}

TEST_P(HostileSuite, GlobalsAndPrototypesAreNewInEachRun) {
  Sandbox sandbox = ready();
  const Outcome first = outcome_of(
      sandbox, "globalThis.m = 1; Array.prototype.map = () => 'mine'; console.log([1].map())");
  EXPECT_EQ(first.stdout_bytes, "mine\n");
  expect_prints(sandbox, "console.log(typeof m, [1].map((x) => x + 1)[0])", "undefined 2\n");
}

// Each expression yields something that the host, or code of the sandbox, made: its constructor's
// constructor must make functions of the guest's own realm, where nothing of the host's is.
TEST_P(HostileSuite, WhatTheHostHandsInLeadsNowhere) {
  Sandbox sandbox = ready();
  expect_prints(sandbox, R"js(
    const caught = (f) => { try { f() } catch (e) { return e } };
    const rejected = await import("node:fs").catch((e) => e);
    const seeds = {
      log: console.log, write: process.stdout.write, stdout: process.stdout, process,
      timer: setTimeout, now: performance.now, env: process.env, argv: process.argv,
      random: crypto.getRandomValues, badBase64: caught(() => atob("*")),
      badUrl: caught(() => new URL("::")), badClone: caught(() => structuredClone(() => {})),
      badWrite: caught(() => process.stdout.write(Symbol())),
      badJson: caught(() => JSON.parse("{")), overflow: caught(function f() { f() }), rejected,
    };
    let bad = 0;
    const hidden = ["std", "os", "bjson", "Deno", "host_call", "scriptArgs"];
    const look = "return [globalThis, " + hidden.map((n) => `typeof ${n}`).join() + "]";
    for (const [name, h] of Object.entries(seeds)) {
      if (h == null) { bad++; console.log(name, "is not there"); continue; }
      const make = h.constructor?.constructor;
      if (typeof make !== "function") continue;  // it leads nowhere at all
      const [realm, ...seen] = make(look)();
      if (realm !== globalThis || seen.some((type) => type !== "undefined")) {
        bad++; console.log(name, realm === globalThis, seen.join());
      }
    }
    console.log("bad", bad);
  )js",
                "bad 0\n");
}

TEST_P(HostileSuite, ALargeSourceRunsToItsLastStatement) {
  Sandbox sandbox = ready();
  const std::string filler = "/*" + std::string(300'000, '.') + "*/";
  EXPECT_EQ(outcome_of(sandbox, filler + "\nprocess.exit(9)").exit_code, 9);

  std::string statements;
  while (statements.size() < 300'000) statements += "globalThis.n = (globalThis.n ?? 0) + 1;\n";
  EXPECT_EQ(outcome_of(sandbox, statements + "process.exit(9)").exit_code, 9);

  const std::string literal = "const s = '" + std::string(300'000, 's') + "';";
  EXPECT_EQ(outcome_of(sandbox, literal + "process.exit(s.length === 3e5 ? 9 : 1)").exit_code, 9);
}

TEST_P(HostileSuite, SourcesThatAreNoTextAreAnErrorOfTheGuest) {
  Sandbox sandbox = ready();
  for (const std::string& code :
       {std::string("\xff\xfe\x00\x01", 4), std::string("console.log(1)\0console.log(2)", 29),
        std::string("\xed\xa0\x80"), std::string(1, '\0'), std::string("'\xf0\x9f'")}) {
    const Outcome outcome = outcome_of(sandbox, code);
    EXPECT_LE(outcome.exit_code, 1) << outcome.stderr_bytes;
    EXPECT_EQ(outcome.termination.cause, TerminationCause::kExited);
  }
  expect_alive(sandbox);
}

TEST_P(HostileSuite, AShellOrAFileIsNotThere) {
  if (GetParam().modules == Modules::kOfTheRuntime) return;  // it has a file system of its own
  Sandbox sandbox = ready();
  for (const std::string code : {R"(await import("node:child_process"))", R"(await import("fs"))",
                                 R"(await import("/etc/passwd"))", R"(import "./x.js")"}) {
    const Outcome outcome = outcome_of(sandbox, code + "\nconsole.log('imported')");
    EXPECT_EQ(outcome.stdout_bytes, "") << code;
    EXPECT_EQ(outcome.exit_code, 1) << code;
    EXPECT_NE(outcome.stderr_bytes.find("file system"), std::string::npos) << outcome.stderr_bytes;
  }
}

}  // namespace
}  // namespace plimsoll::contract
