// One run, with time, randomness and output in the test's hands. What the guest's JavaScript prints
// is held by tests/golden.
#include "engine/run.h"

#include <gtest/gtest.h>

#include <array>
#include <numeric>
#include <string>
#include <utility>

#include "engine/engine_fixture.h"

namespace plimsoll::engine {
namespace {

constexpr std::uint64_t kHourNs = 3'600'000'000'000;

// Runs on a fresh engine of its own.
RunEnd run(std::string_view code, TestHost& host, std::uint32_t heap_bytes = kTestHeapBytes) {
  RunEnd end;
  on_guest_stack([&] { end = TestEngine().run(code, host, heap_bytes); });
  return end;
}

void expect_prints(std::string_view code, std::string_view out) {
  TestHost host;
  const RunEnd end = run(code, host);
  EXPECT_EQ(host.out, out) << code;
  EXPECT_EQ(host.err, "") << code;
  EXPECT_EQ(end.cause, EndCause::kExited) << code;
  EXPECT_EQ(end.exit_code, 0) << code;
  EXPECT_EQ(end.trap, Trap::kNone) << code;
}

void expect_fails(std::string_view code, int exit_code, std::string_view text) {
  TestHost host;
  const RunEnd end = run(code, host);
  EXPECT_EQ(end.cause, EndCause::kExited) << code;
  EXPECT_EQ(end.exit_code, exit_code) << code;
  EXPECT_NE(host.err.find(text), std::string::npos) << code << ": " << host.err;
}

TEST(Run, PrintsAndEnds) {
  expect_prints("console.log(6*7)", "42\n");
  expect_prints("", "");
}

TEST(Run, ExitCodes) {
  const std::array<std::pair<std::string_view, int>, 7> kCases = {
      {{"process.exit(7)", 7},
       {"process.exitCode = 9", 9},
       {"process.exitCode = 9; process.exit()", 9},
       {"setTimeout(() => process.exit(3), 10); setInterval(() => {}, 1000)", 3},
       {"process.on('exit', () => { process.exitCode = 5 })", 5},
       {"await Promise.resolve(); process.exit(4)", 4},
       {"try { process.exit(6) } catch {} finally { for (;;); }", 6}}};
  for (const auto& [code, exit_code] : kCases) {
    TestHost host;
    const RunEnd end = run(code, host);
    EXPECT_EQ(end.cause, EndCause::kExited) << code;
    EXPECT_EQ(end.exit_code, exit_code) << code;
    EXPECT_EQ(host.err, "") << code;
  }
}

TEST(Run, AnUncaughtErrorExitsOne) {
  expect_fails("throw new Error('boom')", 1, "Error: boom");
  expect_fails("null.x", 1, "TypeError");
  expect_fails("throw 5", 1, "5");
  expect_fails("setTimeout(() => { throw new Error('timer') }, 5)", 1, "Error: timer");
  expect_fails("queueMicrotask(() => { throw new Error('task') })", 1, "Error: task");
  expect_fails("const = 1", 1, "SyntaxError");
}

TEST(Run, AListenerMayTakeAnUncaughtErrorAndItsOwnErrorIsFatal) {
  expect_prints(
      "process.on('uncaughtException', (e) => console.log('took', e.message)); "
      "setTimeout(() => console.log('after'), 1); throw new Error('x')",
      "took x\nafter\n");
  expect_fails("process.on('uncaughtException', () => { throw new Error('second') }); throw 1", 7,
               "Error: second");
}

TEST(Run, AnErrorInATickLeavesTheOthersQueued) {
  expect_prints(
      "process.on('uncaughtException', (e) => console.log('took', e)); "
      "for (const i of [1, 2, 3]) process.nextTick(() => { throw i }); "
      "process.nextTick(() => console.log('last'))",
      "took 1\ntook 2\ntook 3\nlast\n");
  TestHost host;
  host.polls_left = 500;
  const RunEnd end =
      run("const f = () => process.nextTick(() => { f(); throw 1 }); f(); "
          "process.on('uncaughtException', () => {})",
          host);
  EXPECT_EQ(end.cause, EndCause::kTimedOut);
}

TEST(Run, AnUnhandledRejectionExitsOne) {
  expect_fails("Promise.reject(new Error('late'))", 1, "Error: late");
  expect_fails("(async () => { await 0; throw new Error('later') })()", 1, "Error: later");
  expect_fails("await Promise.reject(new Error('main'))", 1, "Error: main");
  expect_prints("Promise.reject(new Error('x')).catch((e) => console.log(e.message))", "x\n");
  expect_prints("const p = Promise.reject(1); queueMicrotask(() => p.catch(() => {}))", "");
}

TEST(Run, ManyRejectionsAtOnceAreOneFailure) {
  expect_fails("for (let i = 0; i < 1000; i++) Promise.reject(new Error('r' + i))", 1, "Error: r0");
  expect_prints(
      "const all = []; for (let i = 0; i < 1000; i++) all.push(Promise.reject(i)); "
      "for (const p of all) p.catch(() => {}); console.log('ok')",
      "ok\n");
}

TEST(Run, TimersSleepTheHostsTime) {
  TestHost host;
  const std::uint64_t start = host.monotonic;
  const RunEnd end =
      run("setTimeout(() => console.log('b', performance.now() >= 3600000), 3600000);"
          "setTimeout(() => console.log('a'), 1000); setTimeout(() => console.log('0'), 0)",
          host);
  EXPECT_EQ(end.cause, EndCause::kExited);
  EXPECT_EQ(host.out, "0\na\nb true\n");
  const std::uint64_t slept = std::accumulate(host.slept.begin(), host.slept.end(), 0ULL);
  EXPECT_EQ(host.monotonic, start + slept);
  EXPECT_GE(slept, kHourNs);
  EXPECT_LE(slept, kHourNs + 10'000'000);
  EXPECT_LE(host.slept.size(), 6U);  // it sleeps, and does not poll
}

TEST(Run, TheDeadlineEndsASleep) {
  TestHost host;
  host.deadline = host.monotonic + 1'000'000'000;
  const RunEnd end =
      run("console.log('before'); setTimeout(() => console.log('never'), 1e7)", host);
  EXPECT_EQ(end.cause, EndCause::kTimedOut);
  EXPECT_EQ(host.out, "before\n");
}

TEST(Run, TheDeadlineFlagEndsWhateverTheGuestDoes) {
  for (const std::string_view code :
       {"for (;;);", "try { for (;;); } catch { console.log('caught') }",
        "try { for (;;); } finally { console.log('finally') }",
        "const f = () => Promise.resolve().then(f); f()", "const f = () => queueMicrotask(f); f()",
        "const f = () => process.nextTick(f); f()", "setInterval(() => {}, 0)",
        "process.on('uncaughtException', () => {}); for (;;);",
        "process.on('exit', () => { for (;;); })",
        "process.on('beforeExit', () => setTimeout(() => {}, 0))",
        "await (async () => { for (;;); })()", "new Proxy({}, { get() { for (;;); } }).x",
        "[1, 2].sort(() => { for (;;); })", "class A { static { for (;;); } }",

        "throw new Proxy({}, { get() { for (;;); } }).x"}) {
    TestHost host;
    host.polls_left = 500;
    const RunEnd end = run(code, host);
    EXPECT_EQ(end.cause, EndCause::kTimedOut) << code << host.out << host.err;
    EXPECT_EQ(host.out, "") << code;
  }
}

TEST(Run, ToShowAnErrorNoGetterIsCalled) {
  for (const std::string_view code :
       {"throw { get name() { for (;;); }, get message() { for (;;); } }",
        "Promise.reject({ get stack() { for (;;); } })",
        "throw new Proxy({}, { get() { for (;;); }, ownKeys() { for (;;); } })"}) {
    TestHost host;
    host.polls_left = 5'000;
    const RunEnd end = run(code, host);
    EXPECT_EQ(end.cause, EndCause::kExited) << code;
    EXPECT_EQ(end.exit_code, 1) << code;
    EXPECT_NE(host.err, "") << code;
  }
}

TEST(Run, AFloodIsStopped) {
  for (const std::string_view code :
       {"for (;;) console.log('x')", "for (;;) console.error('x')",
        "for (;;) { try { console.log('x') } catch {} }", "process.stdout.write('x'.repeat(101))",
        "throw new Error('x'.repeat(200))"}) {
    TestHost host;
    host.flood_bytes = 100;
    EXPECT_EQ(run(code, host).cause, EndCause::kOutputFlood) << code;
  }
}

TEST(Run, TopLevelAwait) {
  expect_prints("const x = await Promise.resolve(5); console.log(x)", "5\n");
  expect_prints("console.log(await new Promise((r) => setTimeout(() => r('late'), 100)))",
                "late\n");
  expect_prints("for await (const x of [Promise.resolve(1), 2]) console.log(x)", "1\n2\n");
  // As a script these would be calls of a function named await, or arithmetic.
  expect_prints("console.log(1); await (async () => { console.log(2) })(); console.log(3)",
                "1\n2\n3\n");
  expect_prints("const [a] = await (Promise.all([7])); console.log(a)", "7\n");
  expect_prints("const x = await [Promise.resolve(1)][0]; console.log(x, await +1)", "1 1\n");
  expect_prints("var await = (x) => x + 1; console.log(await (1))", "2\n");
  TestHost host;
  EXPECT_EQ(run("console.log(1); await new Promise(() => {})", host).exit_code, 13);
  EXPECT_EQ(host.out, "1\n");
}

TEST(Run, ModuleSyntax) {
  expect_prints("export const a = 1; export default a; console.log(a)", "1\n");
  expect_prints("export {}; console.log(await 2)", "2\n");
  expect_fails("import fs from 'node:fs'; console.log(fs)", 1, "ERR_PLIMSOLL_NO_MODULES");
  expect_fails("await import('/etc/passwd')", 1, "ERR_PLIMSOLL_NO_MODULES");
  expect_prints("import('x').catch((e) => console.log(e.code))", "ERR_PLIMSOLL_NO_MODULES\n");
}

TEST(Run, TypeScriptIsStripped) {
  expect_prints("const x: number = 6; console.log(x * 7)", "42\n");
  expect_prints(
      "interface A { b: string } const f = (a: A): string => a.b; console.log(f({b: 'y'}))", "y\n");
  expect_prints("const x: number = await Promise.resolve(1); console.log(x)", "1\n");
  expect_fails("const x: = 1", 1, "SyntaxError");
}

TEST(Run, MemoryBeyondTheLimitIsOutOfMemory) {
  for (const std::string_view code :
       {"const a = []; for (;;) a.push(new Array(1e5).fill(7))",
        "const a = []; for (;;) a.push(new Uint8Array(1 << 20).fill(1))",
        "let s = 'x'; const a = []; for (;;) a.push(s + a.length)"}) {
    TestHost host;
    const RunEnd end = run(code, host, 16U << 20);
    EXPECT_EQ(end.cause, EndCause::kOutOfMemory) << code << host.err;
  }
}

TEST(Run, OutOfMemoryCannotBeCaughtAndOutlived) {
  TestHost host;
  const RunEnd end =
      run("let a = []; try { for (;;) a.push(new Array(1e5).fill(7)) } "
          "catch { a = null; console.log('caught') } finally { console.log('finally') }",
          host, 16U << 20);
  EXPECT_EQ(end.cause, EndCause::kOutOfMemory);
  EXPECT_EQ(host.out, "");
}

TEST(Run, AnErrorThatOnlySaysOutOfMemoryIsAnOrdinaryError) {
  expect_fails("throw new Error('out of memory')", 1, "out of memory");
  expect_fails("throw Object.assign(new RangeError('out of memory'), { name: 'InternalError' })", 1,
               "out of memory");
  expect_fails("throw Object.setPrototypeOf(new Error('out of memory'), InternalError.prototype)",
               1, "out of memory");
}

TEST(Run, RandomnessIsTheHostsInEachRun) {
  for (const std::string_view code :
       {"console.log(Math.random(), Math.random())", "console.log(crypto.randomUUID())",
        "console.log(crypto.getRandomValues(new Uint8Array(8)).join())"}) {
    std::array<std::string, 3> outputs;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      TestHost host;
      host.random = i == 0 ? 1 : i;  // the first two alike
      (void)run(code, host);
      outputs[i] = host.out;
    }
    EXPECT_EQ(outputs[0], outputs[1]);
    EXPECT_NE(outputs[1], outputs[2]) << code;
  }
  TestHost host;
  (void)run("console.log(Math.random() !== Math.random())", host);
  EXPECT_EQ(host.out, "true\n");
}

TEST(Run, ASeedOfZeroStillMakesRandomNumbers) {
  class ZeroHost final : public EngineHost {
   public:
    std::uint64_t wall_ns() noexcept override { return 0; }
    std::uint64_t monotonic_ns() noexcept override { return 0; }
    void fill_random(std::span<std::uint8_t> bytes) noexcept override {
      std::memset(bytes.data(), 0, bytes.size());
    }
    WriteVerdict write(Stream, std::span<const std::uint8_t> bytes) noexcept override {
      out.append(bytes.begin(), bytes.end());
      return WriteVerdict::kContinue;
    }
    bool deadline_passed() noexcept override { return false; }
    void sleep_ns(std::uint64_t) noexcept override {}
    std::string out;
  };
  on_guest_stack([] {
    TestEngine engine;
    ZeroHost host;
    constexpr std::string_view kCode = "console.log(new Set([1,2,3,4].map(Math.random)).size)";
    (void)run_snippet(*engine.instance, *engine.header,
                      {reinterpret_cast<const std::uint8_t*>(kCode.data()), kCode.size()}, host,
                      kTestHeapBytes);
    EXPECT_EQ(host.out, "4\n");
  });
}

TEST(Run, ClocksStartWithTheRun) {
  TestHost host;
  host.wall = 1'234'567'890'123'000'000 - host.monotonic;
  (void)run(
      "console.log(Date.now(), new Date().toISOString(), performance.now(), "
      "process.hrtime.bigint())",
      host);
  EXPECT_EQ(host.out, "1234567890123 2009-02-13T23:31:30.123Z 0 0n\n");
}

TEST(Run, AnyBytesAreASource) {
  for (const std::string_view code :
       {std::string_view("\0", 1), std::string_view("console.log(1)\0console.log(2)", 29),
        std::string_view("\xff\xfe\x00\x01", 4), std::string_view("'\xed\xa0\x80'"),
        std::string_view("\xf0\x9f"), std::string_view("#!/bin/sh\nconsole.log(1)")}) {
    TestHost host;
    const RunEnd end = run(code, host);
    EXPECT_EQ(end.cause, EndCause::kExited);
    EXPECT_LE(end.exit_code, 1);
  }
}

TEST(Run, TheGuestFindsNothingOfTheEngines) {
  expect_prints("console.log(typeof __plimsoll, typeof std, typeof os, typeof bjson)",
                "undefined undefined undefined undefined\n");
}

}  // namespace
}  // namespace plimsoll::engine
