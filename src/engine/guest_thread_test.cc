#include "engine/guest_thread.h"

#include <gtest/gtest.h>
#include <wasm-rt.h>

#include <array>
#include <set>
#include <string>
#include <utility>

#include "engine/engine_fixture.h"

namespace plimsoll::engine {
namespace {

class GuestThreadTest : public ::testing::Test {
 protected:
  GuestThreadTest() : memory_(kWasmPage), instance_(std::make_unique<Instance>(memory_)) {}

  static void expect_outside() {
    EXPECT_EQ(guest_thread().in_guest, 0);
    EXPECT_EQ(guest_thread().scope, nullptr);
    EXPECT_EQ(guest_thread().instance, nullptr);
  }

  LinearMemory memory_;
  std::unique_ptr<Instance> instance_;
};

TEST_F(GuestThreadTest, ABodyThatEndsIsNoTrap) {
  bool in_guest = false;
  EXPECT_EQ(enter_guest(*instance_, [&] { in_guest = guest_thread().in_guest != 0; }), Trap::kNone);
  EXPECT_TRUE(in_guest);
  expect_outside();
}

TEST_F(GuestThreadTest, ATrapAbandonsTheBody) {
  for (const Trap kind :
       {Trap::kOutOfBounds, Trap::kArithmetic, Trap::kUnreachable, Trap::kIndirectCall,
        Trap::kStackExhausted, Trap::kDeadline, Trap::kExit, Trap::kOutputFlood}) {
    volatile bool went_on = false;
    EXPECT_EQ(enter_guest(*instance_,
                          [&] {
                            trap(kind);
                            went_on = true;
                          }),
              kind);
    EXPECT_FALSE(went_on);
    expect_outside();
  }
}

TEST_F(GuestThreadTest, ATrapLandsAtTheInnermostEntry) {
  Trap inner = Trap::kNone;
  bool outer_went_on = false;
  EXPECT_EQ(enter_guest(*instance_,
                        [&] {
                          HostScope host;
                          inner = enter_guest(*instance_, [] { trap(Trap::kArithmetic); });
                          host.resume(Trap::kNone);
                          outer_went_on = guest_thread().in_guest != 0;
                        }),
            Trap::kNone);
  EXPECT_EQ(inner, Trap::kArithmetic);
  EXPECT_TRUE(outer_went_on);
  expect_outside();
}

TEST_F(GuestThreadTest, AHostFunctionCanEndTheGuest) {
  EXPECT_EQ(enter_guest(*instance_,
                        [&] {
                          HostScope host;
                          (void)enter_guest(*instance_, [] {});
                          host.resume(Trap::kExit);
                        }),
            Trap::kExit);
  expect_outside();
}

TEST_F(GuestThreadTest, TheHardDeadlineTakesEffectOnTheWayBackToTheGuest) {
  EXPECT_EQ(enter_guest(*instance_,
                        [&] {
                          HostScope host;
                          EXPECT_EQ(guest_thread().in_guest, 0);
                          guest_thread().hard_stop = 1;
                          host.resume(Trap::kNone);
                        }),
            Trap::kDeadline);
  volatile bool ran = false;
  EXPECT_EQ(enter_guest(*instance_, [&] { ran = true; }), Trap::kDeadline);
  EXPECT_FALSE(ran);
  guest_thread().hard_stop = 0;
  EXPECT_EQ(enter_guest(*instance_, [&] { ran = true; }), Trap::kNone);
  EXPECT_TRUE(ran);
}

TEST_F(GuestThreadTest, AHostFunctionNeedsItsReserveOfStack) {
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  set_guest_stack(here - 4'096, here + 4'096, 0, 8'192);
  bool reached = false;
  EXPECT_EQ(enter_guest(*instance_,
                        [&] {
                          HostScope host;
                          reached = true;
                          host.resume(Trap::kNone);
                        }),
            Trap::kStackExhausted);
  EXPECT_FALSE(reached);
  set_guest_stack(0, 0, 0, 0);
}

TEST_F(GuestThreadTest, TheRuntimesTrapsKeepTheirMeaning) {
  constexpr std::array<std::pair<wasm_rt_trap_t, Trap>, 7> kTraps = {
      {{WASM_RT_TRAP_OOB, Trap::kOutOfBounds},
       {WASM_RT_TRAP_INT_OVERFLOW, Trap::kArithmetic},
       {WASM_RT_TRAP_DIV_BY_ZERO, Trap::kArithmetic},
       {WASM_RT_TRAP_INVALID_CONVERSION, Trap::kArithmetic},
       {WASM_RT_TRAP_UNREACHABLE, Trap::kUnreachable},
       {WASM_RT_TRAP_CALL_INDIRECT, Trap::kIndirectCall},
       {WASM_RT_TRAP_EXHAUSTION, Trap::kStackExhausted}}};
  for (const auto& [code, expected] : kTraps) {
    EXPECT_EQ(enter_guest(*instance_, [code = code] { wasm_rt_trap(code); }), expected) << code;
  }
}

TEST_F(GuestThreadTest, FunctionTypesAreEqualWhenTheirShapeIs) {
  const auto type = [](auto... types) {
    return wasm_rt_register_func_type(static_cast<std::uint32_t>(sizeof...(types)) - 1, 1,
                                      types...);
  };
  const std::uint32_t first = type(WASM_RT_I32, WASM_RT_I64, WASM_RT_I32);
  EXPECT_EQ(type(WASM_RT_I32, WASM_RT_I64, WASM_RT_I32), first);
  EXPECT_NE(type(WASM_RT_I64, WASM_RT_I32, WASM_RT_I32), first);
  EXPECT_NE(type(WASM_RT_I32, WASM_RT_I64, WASM_RT_F64), first);
  EXPECT_NE(type(WASM_RT_I32, WASM_RT_I64), first);
  EXPECT_NE(wasm_rt_register_func_type(3, 0, WASM_RT_I32, WASM_RT_I64, WASM_RT_I32), first);
  EXPECT_GT(first, 0U);
}

TEST(TrapNames, EachIsItsOwn) {
  std::set<std::string> names;
  for (int trap = 0; trap <= static_cast<int>(Trap::kOutputFlood) + 1; ++trap) {
    EXPECT_TRUE(names.insert(to_string(static_cast<Trap>(trap))).second) << trap;
  }
}

TEST(GuestThreadDeathTest, ATrapWithoutAGuestIsOurBug) {
  EXPECT_DEATH(trap(Trap::kOutOfBounds), "");
}

}  // namespace
}  // namespace plimsoll::engine
