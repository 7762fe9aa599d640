// After any run at all, a reset gives the very memory that the image holds, and the next run works.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

#include "engine/engine_fixture.h"

namespace plimsoll::engine {
namespace {

constexpr std::string_view kHostile[] = {
    "globalThis.m = 1; Array.prototype.m = 1; Object.prototype.toString = () => 'mine'",
    "for (const k of Object.getOwnPropertyNames(globalThis)) try { delete globalThis[k] } catch {}",
    "for (const k of Reflect.ownKeys(Array.prototype)) try { Array.prototype[k] = null } catch {}",
    "for (const f of [console, process, JSON, Math, Reflect]) for (const k of Reflect.ownKeys(f)) "
    "try { f[k] = () => 0 } catch {}",
    "Object.setPrototypeOf(Object.prototype, null); Object.freeze(globalThis)",
    "throw new Error('x')",
    "const = 1",
    "process.exit(9)",
    "process.exitCode = 3; process.on('exit', () => console.log('bye'))",
    "for (;;);",
    "const f = () => Promise.resolve().then(f); f()",
    "setInterval(() => {}, 0)",
    "const f = () => f() + 1; f()",
    "JSON.parse('['.repeat(2e5))",
    "let a = []; for (let i = 0; i < 2e3; i++) a = [a]; JSON.stringify(a)",
    "eval('('.repeat(1e5))",
    "new RegExp('('.repeat(1e5))",
    "const a = []; for (;;) a.push(new Array(1e5).fill(7))",
    "const a = new Uint8Array(40 << 20).fill(255); console.log(a.length)",
    "let s = 'x'; for (;;) s += s",
    "[...'xy'.repeat(3e6)]",
    "const m = new Map(); for (let i = 0;; i++) m.set(i, { i })",
    "for (;;) console.log('x'.repeat(1000))",
    "for (let i = 0; i < 1000; i++) Promise.reject(i)",
    "const x: number = 1; console.log(x)",
    "import 'x'",
    "await new Promise(() => {})",
    "await import('x').catch(() => {}); setTimeout(() => { throw 1 }, 5)",
    "const r = new FinalizationRegistry(() => {}); for (let i = 0; i < 1e4; i++) r.register({}, i)",
    "process.on('uncaughtException', () => { throw 2 }); throw 1",
    "Error.prepareStackTrace = () => { throw 1 }; null.x",
    "function* g() { yield* g() } [...g()]",
    "class A extends Array {} ; A.from({ length: 1e5 }, () => new A())",
    "new TextDecoder().decode(crypto.getRandomValues(new Uint8Array(65536)))",
    "structuredClone(new Array(1e5).fill({ a: 1 }))",
};

class ResetTest : public ::testing::TestWithParam<bool> {};

INSTANTIATE_TEST_SUITE_P(WithAndWithout, ResetTest, ::testing::Bool(), [](const auto& parameter) {
  return parameter.param ? "Pagemap" : "NoPagemap";
});

TEST_P(ResetTest, AfterAnyRunTheMemoryIsTheImageAndTheNextRunWorks) {
  const int pagemap = GetParam() ? ::open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC) : -1;
  ASSERT_EQ(pagemap >= 0, GetParam());
  on_guest_stack([pagemap] {
    TestEngine engine;
    ASSERT_EQ(engine.first_difference(), -1);
    for (const std::string_view code : kHostile) {
      TestHost attacked;
      attacked.polls_left = 2'000;
      attacked.flood_bytes = 100'000;
      const RunEnd end = engine.run(code, attacked, 40U << 20);
      EXPECT_NE(end.cause, EndCause::kEngineFault) << code << ": " << to_string(end.trap);
      EXPECT_NE(engine.first_difference(), -1) << code;  // it did leave traces
      ASSERT_TRUE(engine.reset(pagemap)) << code;
      ASSERT_EQ(engine.first_difference(), -1) << code;

      TestHost host;
      const RunEnd after = engine.run("console.log(6*7, typeof m, [].m)", host);
      EXPECT_EQ(host.out, "42 undefined undefined\n") << code << host.err;
      EXPECT_EQ(after.exit_code, 0) << code;
      ASSERT_TRUE(engine.reset(pagemap));
    }
  });
  if (pagemap >= 0) ::close(pagemap);
}

TEST_P(ResetTest, EqualRunsLeaveEqualMemory) {
  on_guest_stack([] {
    std::vector<std::uint8_t> first;
    TestEngine engine;
    for (int round = 0; round < 3; ++round) {
      TestHost host;
      (void)engine.run("globalThis.a = [1, { b: Math.random() }, new Date()]; throw a", host);
      const std::vector<std::uint8_t> memory(engine.memory.base(),
                                             engine.memory.base() + engine.memory.size());
      if (round == 0) first = memory;
      EXPECT_EQ(memory, first) << "round " << round;  // nothing of an earlier run has a say
      ASSERT_TRUE(engine.reset(-1));
    }
  });
}

}  // namespace
}  // namespace plimsoll::engine
