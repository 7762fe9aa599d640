// Part of the hostile suite: code that wants more time, memory, stack or output than there is.
#include <gtest/gtest.h>

#include <string>

#include "hostile_suite.h"

namespace plimsoll::contract {
namespace {

TEST_P(HostileSuite, AHugeJoinEndsByItsDeadline) {
  Sandbox sandbox = ready();
  expect_contained(sandbox, R"(new Array(5e8).join("-"))", Millis{1'000});
}

TEST_P(HostileSuite, AHugeSpreadEndsByItsDeadline) {
  Sandbox sandbox = ready();
  expect_contained(sandbox, R"([..."xy".repeat(3e8)])", Millis{1'000});
}

TEST_P(HostileSuite, HugeAllocationsOfEveryKindAreContained) {
  Sandbox sandbox = ready();
  for (const std::string code :
       {R"(let s = "x"; for (;;) s += s)", "new Uint8Array(2 ** 33)", "new ArrayBuffer(1e12)",
        "const m = new Map(); for (let i = 0;; i++) m.set(i, {i})",
        "let o = null; for (;;) o = {o}", R"("ab".padEnd(2 ** 30, "c").split(""))",
        "const f = () => { f2 = f2.bind(0); }; let f2 = f; for (;;) f()",
        "Array.from({length: 1e9}, () => [])", "(2n ** 100000000n).toString().length.x.y"}) {
    expect_contained(sandbox, code, Millis{1'000});
  }
}

TEST_P(HostileSuite, ABacktrackingExpressionIsStopped) {
  Sandbox sandbox = ready();
  expect_stopped_in_time(sandbox, R"(/^([a-z]+)+[0-9]$/.test("a".repeat(40)))", Millis{300});
  expect_alive(sandbox);
}

TEST_P(HostileSuite, EveryEndlessLoopIsStopped) {
  Sandbox sandbox = ready();
  for (const std::string code :
       {"const f = () => Promise.resolve().then(f); f()", "setInterval(() => {}, 0)",
        "const f = () => queueMicrotask(f); f()", "for (;;) { try { for (;;); } catch {} }",
        "try { for (;;); } finally { for (;;); }", "for (;;) [3, 1, 2].sort(() => { for (;;); })",
        "Array.prototype.indexOf.call({length: 2 ** 53 - 1}, 1)",
        "new Proxy({}, { get() { for (;;); } }).x", "JSON.stringify({ toJSON() { for (;;); } })",
        "const g = function* () { for (;;) yield 1; }; for (const x of g());",
        R"("a".replace(/a/, () => { for (;;); }))"}) {
    SCOPED_TRACE(code);
    expect_stopped_in_time(sandbox, code, Millis{100});
  }
  expect_alive(sandbox);
}

TEST_P(HostileSuite, EndlessRecursionIsAnErrorThatCanBeCaught) {
  Sandbox sandbox = ready();
  expect_prints(
      sandbox,
      "const f=()=>f()+1; try { f() } catch (e) { console.log('caught', e instanceof Error) }",
      "caught true\n");
  const Outcome uncaught = outcome_of(sandbox, "const f=()=>f()+1; f()");
  EXPECT_EQ(uncaught.exit_code, 1);
  EXPECT_EQ(uncaught.termination.cause, TerminationCause::kExited);
  expect_alive(sandbox);
}

TEST_P(HostileSuite, RecursionThroughTheEngineIsAnError) {
  Sandbox sandbox = ready();
  for (const std::string code :
       {R"(JSON.parse("[".repeat(2e5)))",
        R"(JSON.parse("[".repeat(2e5) + "]".repeat(2e5), (k, v) => v))",
        // Each level is looked for among all the levels above it: 16,000 of them take seconds.
        "let a = []; for (let i = 0; i < 2e3; i++) a = [a]; JSON.stringify(a)",
        R"(eval("(".repeat(2e5)))", R"(new RegExp("(".repeat(2e5)))",
        "let p = {}; for (let i = 0; i < 2e5; i++) p = new Proxy(p, {}); p.x",
        "const o = { toString() { return `${o}` } }; `${o}`",
        "const g = { get x() { return g.x } }; g.x"}) {
    const Outcome outcome =
        outcome_of(sandbox, "let ended = 'returned'; try { " + code +
                                " } catch (e) { ended = 'threw' } console.log(ended)");
    EXPECT_TRUE(outcome.stdout_bytes == "returned\n" || outcome.stdout_bytes == "threw\n")
        << code << ": " << outcome.stdout_bytes << outcome.stderr_bytes;
    EXPECT_EQ(outcome.exit_code, 0) << code;
  }
  expect_alive(sandbox);
}

TEST_P(HostileSuite, AFloodOfOutputIsStopped) {
  Sandbox sandbox = ready();
  const Outcome outcome = outcome_of(
      sandbox, "const s = 'x'.repeat(65536); for (;;) process.stdout.write(s)", Millis{30'000});
  EXPECT_EQ(outcome.termination.cause, TerminationCause::kOutputFlood);
  EXPECT_EQ(outcome.exit_code, kExitOutputFlood);
  EXPECT_TRUE(same_bytes(outcome.stdout_bytes, std::string(65'536, 'x')));
  EXPECT_EQ(outcome.stderr_bytes, "");
  EXPECT_TRUE(outcome.stdout_truncated);
  EXPECT_TRUE(outcome.stderr_truncated);
  expect_alive(sandbox);
}

}  // namespace
}  // namespace plimsoll::contract
