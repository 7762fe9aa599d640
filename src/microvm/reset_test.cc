// After a reset a machine is its template: all of its memory, and all that its processor remembers.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <string_view>

#include "microvm/machine_fixture.h"

namespace plimsoll::microvm {
namespace {

class ResetTest : public MachineTest {
 protected:
  // Compares every page there is.
  static void expect_is_template(Machine& machine) {
    const GuestMemory& memory = machine.memory();
    static constexpr std::array<std::uint8_t, kPage> kZero{};
    std::size_t different = 0;
    for (std::uint64_t page = 0; page < memory.size() / kPage; ++page) {
      const auto expected = origin().page(page);
      const auto* from = expected.empty() ? kZero.data() : expected.data();
      if (std::memcmp(memory.base() + page * kPage, from, kPage) != 0) ++different;
    }
    EXPECT_EQ(different, 0U);
    const auto state = expect_ok(read_state(machine.vcpu_fd(), kvm().xsave_bytes()));
    EXPECT_TRUE(same_state(state, origin().state()));
  }
};

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
  expect_is_template(bench.machine());
  for (const std::string_view program : kPrograms) {
    SCOPED_TRACE(program);
    const TestRun run = bench.run(program, {.timeout_us = 200'000,
                                            .output_cap = 65'536,
                                            .flood_bytes = 1 << 20,
                                            .memory_bytes = kTestMemory});
    EXPECT_EQ(run.end, RunLoopEnd::kReset);
    ASSERT_TRUE(run.done);
    EXPECT_FALSE(run.fault);
    expect_is_template(bench.machine());
    EXPECT_EQ(bench.run("console.log(6*7, typeof left)").out, "42 undefined\n");
    expect_is_template(bench.machine());
  }
}

}  // namespace
}  // namespace plimsoll::microvm
