// A machine whose guest is the attacker. Whatever it does, its own run is all that is lost: the
// process that serves it goes on, and so does the machine beside it.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "microvm/attack/acts.h"
#include "microvm/machine_fixture.h"

extern "C" {
extern const std::uint8_t plimsoll_attack_begin[];
extern const std::uint8_t plimsoll_attack_end[];
}

namespace plimsoll::microvm {
namespace {

using attack::Act;
using guest::DoneCause;
using guest::FaultReason;

class AttackTest : public MachineTest {
 protected:
  static const Template& attacker() {
    static const Template made = expect_ok(Template::make(
        kvm(), {plimsoll_attack_begin, plimsoll_attack_end}, embedded_snapshot(), kTestMemory));
    return made;
  }

  static TestRun attack(Bench& bench, Act act, std::uint64_t argument = 0,
                        std::uint64_t timeout_us = 2'000'000) {
    const guest::RunHeader header{.timeout_us = timeout_us,
                                  .output_cap = 65'536,
                                  .flood_bytes = 1 << 20,
                                  .memory_bytes = kTestMemory};
    const attack::Order order{.act = act, .argument = argument};
    const auto fields = guest::encode(header);
    std::string payload(fields.begin(), fields.end());
    payload.append(reinterpret_cast<const char*>(&order), sizeof order);
    return bench.run_payload(payload);
  }
  static TestRun attack(Act act, std::uint64_t argument = 0) {
    Bench bench(attacker());
    return attack(bench, act, argument);
  }

  static void expect_fault(const TestRun& run, const std::string& what) {
    EXPECT_EQ(run.end, RunLoopEnd::kSpent) << what;
    ASSERT_TRUE(run.done) << what;
    EXPECT_EQ(run.done->cause, DoneCause::kEngineFault) << what;
    EXPECT_TRUE(run.fault) << what;
  }
  static bool survived(const TestRun& run) {
    return run.end == RunLoopEnd::kReset && run.done && run.done->cause == DoneCause::kExited &&
           run.done->exit_code == attack::kSurvived;
  }

  // The machine beside, with the engine in it, is what it was and does what it should.
  static void expect_unharmed(Bench& bystander) {
    expect_is(origin(), bystander.machine());
    EXPECT_EQ(bystander.run("console.log(6*7)").out, "42\n");
    expect_is(origin(), bystander.machine());
  }
};

// Of ring 0, or without anybody who would handle it.
constexpr Act kEndTheMachine[] = {
    Act::kHlt,      Act::kRdmsr,    Act::kWrmsr,    Act::kReadCr0,  Act::kWriteCr0, Act::kReadCr3,
    Act::kWriteCr3, Act::kWriteCr4, Act::kReadDr7,  Act::kWriteDr7, Act::kLgdt,     Act::kLidt,
    Act::kLtr,      Act::kLldt,     Act::kSysenter, Act::kSyscall,  Act::kInt80,    Act::kInt3,
    Act::kUd2,      Act::kInvlpg,   Act::kWbinvd,   Act::kClts,     Act::kCli,      Act::kSti,
    Act::kIret,     Act::kSwapgs,   Act::kXsetbv,   Act::kDivide};
// Answered by the processor or by KVM in one way or another; none of them may be more than that.
constexpr Act kMayPass[] = {Act::kCpuid,   Act::kRdpmc,    Act::kMonitor,         Act::kVmcall,
                            Act::kVmmcall, Act::kWrfsbase, Act::kLoadNullSegments};

TEST_F(AttackTest, NoInstructionReachesBeyondTheRun) {
  Bench bystander;
  for (const Act act : kEndTheMachine) {
    expect_fault(attack(act), "act " + std::to_string(static_cast<unsigned>(act)));
  }
  for (const Act act : kMayPass) {
    Bench bench(attacker());
    const TestRun run = attack(bench, act);
    SCOPED_TRACE("act " + std::to_string(static_cast<unsigned>(act)));
    if (survived(run)) {
      expect_is(attacker(), bench.machine());
    } else {
      expect_fault(run, "it neither passes nor ends the machine");
    }
  }
  expect_unharmed(bystander);
}

TEST_F(AttackTest, NoOtherPortIsOpen) {
  std::vector<std::uint64_t> ports = {0x92,  0x3f8, 0x3fd,  0x402,  0x501,  0x510,  0x604,  0xcf8,
                                      0xcf9, 0xcfc, 0x5658, 0xb004, 0xffff, 0xfffe, 0x4000, 0x8900};
  for (std::uint64_t port = 0; port <= 0x90; ++port) ports.push_back(port);
  for (const std::uint64_t port : ports) {
    for (const Act act :
         {Act::kIn8, Act::kOut8, Act::kIn16, Act::kIn32, Act::kOut16, Act::kOut32}) {
      const bool wide = act != Act::kIn8 && act != Act::kOut8;
      if (wide && (port < kHypercallPort - 4U || port > kHypercallPort + 4U)) continue;
      const std::string what =
          "port " + std::to_string(port) + " act " + std::to_string(static_cast<unsigned>(act));
      // The one that is open takes a byte, and 0xff is no hypercall either.
      expect_fault(attack(act, port), what);
    }
  }
}

struct Range {
  std::uint64_t from;
  std::uint64_t size;
};
// What the guest sees; everything else is not there.
constexpr Range kReadable[] = {{kMailbox, kPage},
                               {kTls, kPage},
                               {kHeader, kPage},
                               {kOutputArea, 2 * kOutputWindow},
                               {kCallArea, guest::kMaxHostCallPayload},
                               {kReplyArea, kMaxReplyBytes},
                               {kRunArea, guest::kMaxRunPayload},
                               {kStackAddress, kStackBytes},
                               {kLinearAddress, kTestMemory}};

std::uint64_t last_page(const Range& range) {
  return range.from + (range.size - 1) / kPage * kPage;
}

TEST_F(AttackTest, WhatIsNotMappedCannotBeTouched) {
  std::vector<std::uint64_t> pages = {0,
                                      kTask,
                                      kImage - kPage,
                                      kImageEnd - kPage,
                                      kAreasEnd,
                                      kLinear,
                                      kLinear + kTestMemory - kPage,
                                      kLinearAddress + kLinearReach,
                                      0x7fff'ffff'f000,
                                      0x8000'0000'0000,
                                      0xffff'8000'0000'0000,
                                      0xffff'ffff'8000'0000,
                                      0xffff'ffff'ffff'f000};
  for (std::uint64_t page = kPageTables; page < kPageTables + 0x20 * kPage; page += kPage) {
    pages.push_back(page);
  }
  for (unsigned bit = 30; bit < 47; ++bit) pages.push_back(std::uint64_t{1} << bit);
  for (const Range& range : kReadable) {
    for (const std::uint64_t page : {range.from - kPage, last_page(range) + kPage}) {
      bool mapped = false;
      for (const Range& other : kReadable) {
        mapped = mapped || (page >= other.from && page - other.from < other.size);
      }
      if (!mapped) pages.push_back(page);
    }
  }
  std::erase(pages, kStackAddress);
  std::erase(pages, kLinearAddress);
  Bench bystander;
  for (const std::uint64_t page : pages) {
    for (const Act act : {Act::kRead, Act::kWrite, Act::kExecute}) {
      const TestRun run = attack(act, page);
      expect_fault(run, "page " + std::to_string(page));
      if (run.fault) {
        EXPECT_EQ(run.fault->reason, FaultReason::kShutdown) << page;
      }
    }
  }
  expect_unharmed(bystander);
}

TEST_F(AttackTest, WhatIsReadOnlyIsNotWritten) {
  for (const Range& range :
       {Range{kImage, kPage}, Range{kHeader, kPage}, Range{kReplyArea, kMaxReplyBytes},
        Range{kRunArea, guest::kMaxRunPayload}}) {
    for (const std::uint64_t page : {range.from, range.from + range.size / 2, last_page(range)}) {
      EXPECT_TRUE(survived(attack(Act::kRead, page))) << page;
      expect_fault(attack(Act::kWrite, page), "page " + std::to_string(page));
    }
  }
}

TEST_F(AttackTest, NoDataIsExecuted) {
  for (const Range& range : kReadable) {
    for (const std::uint64_t page : {range.from, last_page(range)}) {
      const TestRun run = attack(Act::kExecute, page);
      expect_fault(run, "page " + std::to_string(page));
      if (run.fault) {
        EXPECT_EQ(run.fault->rip, page);
      }
    }
  }
}

TEST_F(AttackTest, EveryOtherPageOfItsOwnIsItsOwn) {
  Bench bench(attacker());
  for (const Range& range : kReadable) {
    for (const std::uint64_t page : {range.from, last_page(range)}) {
      EXPECT_TRUE(survived(attack(bench, Act::kRead, page))) << page;
    }
  }
}

TEST_F(AttackTest, AFaultSaysWhereAndOfWhichKind) {
  constexpr std::uint8_t kOutOfBounds = 1;
  constexpr std::uint8_t kAborted = 3;
  constexpr std::uint8_t kStackExhausted = 5;
  for (const auto& [address, trap] :
       {std::pair{kLinearAddress + kMaxLinearBytes, kOutOfBounds},
        std::pair{kLinearAddress + (std::uint64_t{1} << 33), kOutOfBounds},
        std::pair{kStackAddress - 8, kStackExhausted}, std::pair{std::uint64_t{8}, kAborted}}) {
    const TestRun run = attack(Act::kWrite, address);
    ASSERT_TRUE(run.fault && run.done);
    EXPECT_EQ(run.fault->cr2, address);
    EXPECT_GE(run.fault->rip, kImage);
    EXPECT_LT(run.fault->rip, kImageEnd);
    EXPECT_EQ(run.done->trap, trap);
  }
}

TEST_F(AttackTest, WildLengthsAreTheRunsOwnEnd) {
  for (const std::uint64_t bytes :
       {std::uint64_t{kOutputWindow} + 1, std::uint64_t{1} << 20, std::uint64_t{0x7fff'ffff},
        std::uint64_t{0x8000'0000}, std::uint64_t{0xffff'ffff}}) {
    const TestRun run = attack(Act::kOutputBytes, bytes);
    expect_fault(run, std::to_string(bytes));
    EXPECT_EQ(run.fault->reason, FaultReason::kMailbox);
    EXPECT_EQ(run.out, "");
    expect_fault(attack(Act::kCallBytes, bytes), std::to_string(bytes));
  }
  EXPECT_EQ(attack(Act::kOutputBytes, kOutputWindow).out.size(), kOutputWindow);
  // This run was granted nothing.
  expect_fault(attack(Act::kCallBytes, 12), "a call without a grant");
  expect_fault(attack(Act::kCallGarbage), "a call that is none");
}

TEST_F(AttackTest, AnEndThatIsNoneIsAFault) {
  for (std::uint64_t at = 0; at < 8; ++at) {
    for (const std::uint64_t value : {1U, 2U, 4U, 5U, 128U, 255U}) {
      const TestRun run = attack(Act::kDoneByte, at | value << 8);
      const bool valid =
          at == 3 || at == 4 || (at == 0 && value <= 4) || ((at == 1 || at == 2) && value == 1);
      if (valid) {
        EXPECT_EQ(run.end, RunLoopEnd::kReset) << at << " " << value;
      } else {
        expect_fault(run, std::to_string(at) + " " + std::to_string(value));
      }
    }
  }
}

TEST_F(AttackTest, AHypercallThatIsNoneIsAFault) {
  for (std::uint64_t number = 0; number <= 255; ++number) {
    const auto call = static_cast<Hypercall>(number);
    if (call >= Hypercall::kFlush && call <= Hypercall::kDone) continue;
    expect_fault(attack(Act::kHypercall, number), std::to_string(number));
  }
}

TEST_F(AttackTest, NothingOutlivesItsDeadline) {
  for (const Act act : {Act::kHypercallStorm, Act::kSleepForever, Act::kLoop}) {
    Bench bench(attacker());
    const auto start = std::chrono::steady_clock::now();
    const TestRun run = attack(bench, act, 0, 50'000);
    const auto took = std::chrono::steady_clock::now() - start;
    EXPECT_EQ(run.end, RunLoopEnd::kReset);
    ASSERT_TRUE(run.done);
    EXPECT_EQ(run.done->cause, DoneCause::kTimedOut);
    EXPECT_GE(took, std::chrono::milliseconds{50});
    EXPECT_LE(took, std::chrono::seconds{10});  // on a machine that has other things to do
    expect_is(attacker(), bench.machine());
  }
}

TEST_F(AttackTest, AllMemoryMadeDirtyIsRestored) {
  Bench bench(attacker());
  for (int round = 0; round < 2; ++round) {
    EXPECT_TRUE(survived(attack(bench, Act::kDirtyEverything, 0, 60'000'000)));
    expect_is(attacker(), bench.machine());
  }
}

// The processor may let vectors through that XCR0 does not have (it does on a paravirtual KVM).
TEST_F(AttackTest, WhatIsLeftInRegistersIsGoneForTheNextRun) {
  Bench bench(attacker());
  const TestRun clean = attack(bench, Act::kReportState);
  ASSERT_EQ(clean.out.size(), sizeof(attack::State));
  for (const std::uint64_t vectors : {0U, 1U, 2U}) {
    SCOPED_TRACE(vectors);
    Bench machine(attacker());
    const TestRun left = attack(machine, Act::kLeaveState, vectors);
    if (!survived(left)) {
      EXPECT_GT(vectors, 0U);
      expect_fault(left, "vectors are refused");
      continue;
    }
    expect_is(attacker(), machine.machine());
    const TestRun found = attack(machine, Act::kReportState, vectors);
    ASSERT_TRUE(survived(found));
    EXPECT_EQ(found.out.find("secret"), std::string::npos);
    attack::State before{};
    attack::State after{};
    std::memcpy(&before, clean.out.data(), sizeof before);
    std::memcpy(&after, found.out.data(), sizeof after);
    EXPECT_EQ(after.mxcsr, before.mxcsr);
    EXPECT_EQ(after.x87_control, before.x87_control);
    EXPECT_EQ(std::memcmp(after.x87, before.x87, sizeof before.x87), 0);
    EXPECT_EQ(std::memcmp(after.segments, before.segments, sizeof before.segments), 0);
    EXPECT_EQ(after.flags, before.flags);
  }
}

// Nothing that a guest does to its clock is there for the next run; it goes on over all of them.
TEST_F(AttackTest, TheCounterOfTicksOnlyGoesUp) {
  Bench bench(attacker());
  std::uint64_t last = 0;
  for (int i = 0; i < 50; ++i) {
    const TestRun run = attack(bench, Act::kTicks);
    ASSERT_EQ(run.out.size(), sizeof last);
    std::uint64_t now = 0;
    std::memcpy(&now, run.out.data(), sizeof now);
    EXPECT_GT(now, last);
    last = now;
  }
}

TEST_F(AttackTest, AMachineSharesNothingWritableWithTheNextOne) {
  Bench one(attacker());
  Bench two(attacker());
  for (const Range& range : {Range{kLinearAddress, kTestMemory}, Range{kStackAddress, kStackBytes},
                             Range{kOutputArea, 2 * kOutputWindow}}) {
    EXPECT_TRUE(survived(attack(one, Act::kWrite, range.from)));
  }
  expect_is(attacker(), two.machine());
  EXPECT_NE(one.machine().memory().base(), two.machine().memory().base());
}

}  // namespace
}  // namespace plimsoll::microvm
