// After a reset a machine is its template: all of its memory, and all that its processor remembers.
#include <gtest/gtest.h>

#include <string_view>

#include "microvm/machine_fixture.h"

namespace plimsoll::microvm {
namespace {

using ResetTest = MachineTest;

constexpr std::string_view kPrograms[] = {
    "console.log(6*7)",
    "console.error('x'.repeat(70000)); globalThis.left = [1, 2, 3]",
    "const a = []; for (let i = 0; i < 20000; ++i) a.push('q' + i); console.log(a.length)",
    "const f = (n) => n ? f(n - 1) + 1 : 0; console.log(f(5000))",
    "console.log(new Uint8Array(30 << 20).fill(1).length)",
    "for (;;);",
    "'x'.repeat(1 << 20).normalize('NFKD'); for (;;) 'x'.repeat(1 << 20).normalize('NFKD')",
    "const a = []; for (;;) a.push(new Uint8Array(1 << 20).fill(1))",
    "console.log(Math.sin(1), 0.1 + 0.2, 5.5 % 2.1, crypto.randomUUID().length)",
    "await new Promise((done) => setTimeout(done, 5)); process.exit(3)",
    "throw new Error('boom')",
};

TEST_F(ResetTest, AfterEveryRunTheWholeMachineIsTheTemplate) {
  Bench bench;
  expect_is(origin(), bench.machine());
  for (const std::string_view program : kPrograms) {
    SCOPED_TRACE(program);
    const TestRun run = bench.run(program, {.timeout_us = 200'000,
                                            .output_cap = 65'536,
                                            .flood_bytes = 1 << 20,
                                            .memory_bytes = kTestMemory});
    EXPECT_EQ(run.end, RunLoopEnd::kReset);
    ASSERT_TRUE(run.done);
    EXPECT_FALSE(run.fault);
    expect_is(origin(), bench.machine());
    EXPECT_EQ(bench.run("console.log(6*7, typeof left)").out, "42 undefined\n");
    expect_is(origin(), bench.machine());
  }
}

// Whether many pages are kept for the next run, or given back, the next run finds none of it.
TEST_F(ResetTest, ACallerOfBigRunsFindsTheTemplateEachTime) {
  Bench bench;
  constexpr std::string_view kBig =
      "const a = []; for (let i = 0; i < 2e4; ++i) a.push({i, s: 'x' + i});"
      "console.log(JSON.stringify(JSON.parse(JSON.stringify(a))).length, typeof left);"
      "globalThis.left = a";
  for (const std::string_view program : {kBig, kBig, kBig, kPrograms[0], kBig, kPrograms[0]}) {
    EXPECT_EQ(bench.run(program).end, RunLoopEnd::kReset);
    expect_is(origin(), bench.machine());
  }
}

}  // namespace
}  // namespace plimsoll::microvm
