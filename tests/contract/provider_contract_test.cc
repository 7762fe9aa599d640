// What every provider promises about results. See provider_refusal_test.cc for what does not run
// and provider_separation_test.cc for what one run cannot see of another.
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <utility>

#include "provider_fixture.h"

namespace plimsoll::contract {
namespace {

class ProviderContract : public ProviderFixture {};

INSTANTIATE_TEST_SUITE_P(Providers, ProviderContract, ::testing::ValuesIn(providers_under_test()),
                         provider_name);

TEST_P(ProviderContract, OutputIsByteExact) {
  Sandbox sandbox = ready();
  const Outcome outcome = outcome_of(sandbox,
                                     "const a = Uint8Array.from({length: 256}, (_, i) => i);"
                                     "process.stdout.write(a);"
                                     "process.stderr.write(a.slice().reverse());");
  std::string expected;
  for (int byte = 0; byte < 256; ++byte) expected += static_cast<char>(byte);
  EXPECT_TRUE(same_bytes(outcome.stdout_bytes, expected));
  EXPECT_TRUE(same_bytes(outcome.stderr_bytes, std::string(expected.rbegin(), expected.rend())));
  EXPECT_FALSE(outcome.stdout_truncated);
  EXPECT_FALSE(outcome.stderr_truncated);
  EXPECT_EQ(outcome.exit_code, 0);
}

TEST_P(ProviderContract, TextIsWrittenAsUtf8) {
  Sandbox sandbox = ready();
  const Outcome outcome = outcome_of(sandbox, R"(console.log("é漢🙂\0|"); console.error("ß"))");
  EXPECT_TRUE(same_bytes(outcome.stdout_bytes, std::string_view("é漢🙂\0|\n", 12)));
  EXPECT_TRUE(same_bytes(outcome.stderr_bytes, "ß\n"));
}

TEST_P(ProviderContract, ARunMayPrintNothing) {
  Sandbox sandbox = ready();
  const Outcome outcome = outcome_of(sandbox, ";");
  EXPECT_EQ(outcome.stdout_bytes, "");
  EXPECT_EQ(outcome.stderr_bytes, "");
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.termination.cause, TerminationCause::kExited);
}

TEST_P(ProviderContract, TheExitCodeIsTheGuests) {
  Sandbox sandbox = ready();
  const std::array<std::pair<std::string, int>, 8> kCases = {
      {{"process.exit(0)", 0},
       {"process.exit(1)", 1},
       {"process.exit(9)", 9},
       {"process.exit(255)", 255},
       {"process.exit(256)", 0},
       {"process.exit(-1)", 255},
       {"process.exitCode = 7", 7},
       {"setTimeout(() => process.exit(124), 1)", 124}}};
  for (const auto& [code, exit_code] : kCases) {
    const Outcome outcome = outcome_of(sandbox, code);
    EXPECT_EQ(outcome.exit_code, exit_code) << code;
    EXPECT_EQ(outcome.termination.cause, TerminationCause::kExited) << code;
    EXPECT_FALSE(outcome.timed_out) << code;
  }
}

TEST_P(ProviderContract, OutputBeforeAnExitIsWhole) {
  Sandbox sandbox = ready();
  const Outcome outcome =
      outcome_of(sandbox, R"(console.log("out"); console.error("err"); process.exit(3);
                             console.log("never"))");
  EXPECT_EQ(outcome.stdout_bytes, "out\n");
  EXPECT_EQ(outcome.stderr_bytes, "err\n");
  EXPECT_EQ(outcome.exit_code, 3);
}

TEST_P(ProviderContract, AnUncaughtErrorExitsOneWithItsText) {
  Sandbox sandbox = ready();
  const std::array<std::pair<std::string, std::string_view>, 4> kCases = {
      {{R"(console.log("before"); throw new TypeError("boom"))", "TypeError: boom"},
       {R"(console.log("before"); Promise.reject(new Error("late")))", "Error: late"},
       {R"(console.log("before"); setTimeout(() => { throw new Error("timer") }, 1))",
        "Error: timer"},
       {R"(console.log("before"); null.x)", "TypeError"}}};
  for (const auto& [code, text] : kCases) {
    const Outcome outcome = outcome_of(sandbox, code);
    EXPECT_EQ(outcome.exit_code, 1) << code;
    EXPECT_EQ(outcome.termination.cause, TerminationCause::kExited) << code;
    EXPECT_EQ(outcome.stdout_bytes, "before\n") << code;
    EXPECT_NE(outcome.stderr_bytes.find(text), std::string::npos) << outcome.stderr_bytes;
  }
}

TEST_P(ProviderContract, ASyntaxErrorIsAResult) {
  Sandbox sandbox = ready();
  const Outcome outcome = outcome_of(sandbox, "console.log(1); const = 2;");
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_EQ(outcome.stdout_bytes, "");
  EXPECT_NE(outcome.stderr_bytes.find("SyntaxError"), std::string::npos) << outcome.stderr_bytes;
}

TEST_P(ProviderContract, ATimeoutIsAResult) {
  Sandbox sandbox = ready();
  const auto start = Clock::now();
  const Outcome outcome = outcome_of(sandbox, R"(console.log("before"); for (;;);)", Millis{2'000});
  expect_timed_out(outcome);
  EXPECT_EQ(outcome.stdout_bytes, "before\n");
  EXPECT_GE(outcome.duration, Millis{2'000});
  EXPECT_LE(outcome.duration, since(start) + Millis{1});
}

TEST_P(ProviderContract, TheAnswerComesSoonAfterTheDeadline) {
  Sandbox sandbox = ready();
  expect_stopped_in_time(sandbox, "for (;;);", Millis{200});
  expect_stopped_in_time(sandbox, "setTimeout(() => {}, 1e6)", Millis{100});
  expect_stopped_in_time(sandbox, "await new Promise((r) => setTimeout(r, 1e6))", Millis{100});
}

TEST_P(ProviderContract, OutOfMemoryIsToldApart) {
  Sandbox sandbox = ready({.memory_mb = 32});
  const Outcome outcome = outcome_of(
      sandbox, R"(console.log("before"); const a = []; for (;;) a.push(new Array(1e5).fill(7));)");
  EXPECT_EQ(outcome.exit_code, kExitOutOfMemory);
  EXPECT_EQ(outcome.termination.cause, TerminationCause::kOutOfMemory);
  EXPECT_FALSE(outcome.timed_out);
  EXPECT_EQ(outcome.stdout_bytes, "before\n");
  expect_prints(sandbox, "console.log(6*7)", "42\n");
}

TEST_P(ProviderContract, AnAllocationThatFailsMayBeCaught) {
  if (GetParam().out_of_memory == OutOfMemory::kFatal) return;  // this provider ends the guest
  Sandbox sandbox = ready({.memory_mb = 32});
  expect_prints(sandbox,
                R"(let a = []; try { for (;;) a.push(new Array(1e5).fill(7)); }
                   catch (e) { a = null; console.log("caught"); })",
                "caught\n");
}

TEST_P(ProviderContract, TheMemoryLimitIsTheConfigured) {
  const auto fill = [](unsigned mb) {
    return "const a = new Uint8Array(" + std::to_string(mb) +
           " << 20).fill(1); console.log(a[a.length - 1])";
  };
  Sandbox large = ready({.memory_mb = 128});
  expect_prints(large, fill(40), "1\n");
  Sandbox small = ready({.memory_mb = 32});
  EXPECT_NE(outcome_of(small, fill(40 + GetParam().overhead_mb)).exit_code, 0);
}

TEST_P(ProviderContract, OutputIsCutExactlyAtTheCap) {
  for (const std::size_t cap : {std::size_t{1}, std::size_t{1000}, std::size_t{65'536}}) {
    Sandbox sandbox = ready({.output_cap_bytes = cap});
    for (const std::string stream : {"stdout", "stderr"}) {
      for (const std::size_t size : {cap - 1, cap, cap + 1, 3 * cap}) {
        SCOPED_TRACE(stream + " of " + std::to_string(size) + ", cap " + std::to_string(cap));
        const Outcome outcome = outcome_of(
            sandbox, "process." + stream + ".write('x'.repeat(" + std::to_string(size) + "))");
        const bool to_stdout = stream == "stdout";
        const auto& written = to_stdout ? outcome.stdout_bytes : outcome.stderr_bytes;
        const auto& other = to_stdout ? outcome.stderr_bytes : outcome.stdout_bytes;
        EXPECT_TRUE(same_bytes(written, std::string(std::min(size, cap), 'x')));
        EXPECT_EQ(other, "");
        EXPECT_EQ(to_stdout ? outcome.stdout_truncated : outcome.stderr_truncated, size > cap);
        EXPECT_FALSE(to_stdout ? outcome.stderr_truncated : outcome.stdout_truncated);
        EXPECT_EQ(outcome.exit_code, 0);
      }
    }
  }
}

TEST_P(ProviderContract, TheCapCountsBytesOverManyWrites) {
  Sandbox sandbox = ready({.output_cap_bytes = 1000});
  const Outcome outcome = outcome_of(
      sandbox, R"(for (let i = 0; i < 501; i++) process.stdout.write("é"); process.exit(3))");
  std::string expected;
  for (int i = 0; i < 500; ++i) expected += "é";
  EXPECT_TRUE(same_bytes(outcome.stdout_bytes, expected));
  EXPECT_TRUE(outcome.stdout_truncated);
  EXPECT_EQ(outcome.exit_code, 3);  // cut, not stopped
}

TEST_P(ProviderContract, TheDurationIsThatOfTheGuest) {
  Sandbox sandbox = ready();
  const auto start = Clock::now();
  const Outcome outcome =
      outcome_of(sandbox, "const t = Date.now(); while (Date.now() - t < 100);");
  EXPECT_GE(outcome.duration, Millis{95});  // the guest's clock may tick a little differently
  EXPECT_LE(outcome.duration, since(start) + Millis{1});
  EXPECT_GT(outcome_of(sandbox, ";").duration.count(), 0);
}

TEST_P(ProviderContract, EveryOutcomeCarriesItsEvidence) {
  Sandbox sandbox = ready({.memory_mb = 32});
  const std::array<std::pair<std::string, TerminationCause>, 4> kCases = {
      {{";", TerminationCause::kExited},
       {"throw 1", TerminationCause::kExited},
       {"for (;;);", TerminationCause::kTimedOut},
       {"const a = []; for (;;) a.push(new Array(1e5).fill(7));", TerminationCause::kOutOfMemory}}};
  for (const auto& [code, cause] : kCases) {
    const Millis timeout = cause == TerminationCause::kTimedOut ? Millis{100} : Millis{0};
    const Outcome outcome = outcome_of(sandbox, code, timeout);
    EXPECT_EQ(outcome.termination.cause, cause) << code;
    EXPECT_EQ(outcome.provider, GetParam().id) << code;
    EXPECT_EQ(outcome.evidence.tier, GetParam().tier) << code;
    EXPECT_FALSE(outcome.evidence.facts.empty()) << code;
  }
}

TEST_P(ProviderContract, ASourceOfTheGreatestSizeRuns) {
  Sandbox sandbox = ready();
  std::string code = "console.log(6*7)//";
  code.resize(kMaxCodeBytes, '.');
  expect_prints(sandbox, code, "42\n");
}

TEST_P(ProviderContract, ASandboxIsMovedWhileReady) {
  Sandbox first = ready();
  expect_prints(first, "console.log(1)", "1\n");
  Sandbox second = std::move(first);
  expect_prints(second, "console.log(2)", "2\n");
}

}  // namespace
}  // namespace plimsoll::contract
