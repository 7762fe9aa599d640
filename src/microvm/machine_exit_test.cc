#include "microvm/machine_exit.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>

#include "microvm/layout.h"

namespace plimsoll::microvm {
namespace {

using guest::FaultReason;
using Kind = MachineExit::Kind;

// A run page as KVM leaves it, with room for the data of ports.
struct RunPage {
  RunPage() { std::memset(bytes.data(), 0, bytes.size()); }
  kvm_run& run() { return *reinterpret_cast<kvm_run*>(bytes.data()); }
  MachineExit exit() { return classify(run(), bytes.size()); }
  RunPage& port(std::uint16_t number, std::uint8_t value) {
    run().exit_reason = KVM_EXIT_IO;
    run().io.direction = KVM_EXIT_IO_OUT;
    run().io.size = 1;
    run().io.count = 1;
    run().io.port = number;
    run().io.data_offset = kPage;
    bytes[kPage] = value;
    return *this;
  }
  alignas(kvm_run) std::array<std::uint8_t, 2 * kPage> bytes;
};

TEST(MachineExit, EveryNumberIsAHypercallOrAPanic) {
  for (unsigned number = 0; number <= 255; ++number) {
    RunPage page;
    const MachineExit exit = page.port(kHypercallPort, static_cast<std::uint8_t>(number)).exit();
    if (number >= 1 && number <= 8) {
      EXPECT_EQ(exit.kind, Kind::kHypercall) << number;
      EXPECT_EQ(static_cast<unsigned>(exit.call), number);
    } else {
      EXPECT_EQ(exit.kind, Kind::kFault) << number;
      EXPECT_EQ(exit.fault, FaultReason::kPanic) << number;
      EXPECT_EQ(exit.detail, number);
    }
  }
}

TEST(MachineExit, APortIsOursInOneWayOnly) {
  const auto expect_port = [](RunPage& page, const char* what) {
    const MachineExit exit = page.exit();
    EXPECT_EQ(exit.kind, Kind::kFault) << what;
    EXPECT_EQ(exit.fault, FaultReason::kPort) << what;
    EXPECT_EQ(exit.detail, page.run().io.port) << what;
  };
  for (const unsigned port : {0U, 0x7fU, 0x81U, 0x3f8U, 0x8000U, 0xffffU}) {
    RunPage page;
    expect_port(page.port(static_cast<std::uint16_t>(port), 8), "another port");
  }
  RunPage in;
  in.port(kHypercallPort, 8).run().io.direction = KVM_EXIT_IO_IN;
  expect_port(in, "a read");
  for (const unsigned size : {0U, 2U, 4U, 255U}) {
    RunPage page;
    page.port(kHypercallPort, 8).run().io.size = static_cast<std::uint8_t>(size);
    expect_port(page, "another width");
  }
  for (const std::uint32_t count : {0U, 2U, ~0U}) {
    RunPage page;
    page.port(kHypercallPort, 8).run().io.count = count;
    expect_port(page, "a string of them");
  }
  for (const std::uint64_t offset :
       {std::uint64_t{2 * kPage}, std::uint64_t{1} << 40, ~std::uint64_t{0}}) {
    RunPage page;
    page.port(kHypercallPort, 8).run().io.data_offset = offset;
    expect_port(page, "data beyond the page");
  }
}

TEST(MachineExit, TheWaysToFailAreToldApart) {
  const std::pair<std::uint32_t, FaultReason> kCases[] = {
      {KVM_EXIT_SHUTDOWN, FaultReason::kShutdown}, {KVM_EXIT_FAIL_ENTRY, FaultReason::kFailedEntry},
      {KVM_EXIT_HLT, FaultReason::kHalt},          {KVM_EXIT_MMIO, FaultReason::kNoMemory},
      {KVM_EXIT_DEBUG, FaultReason::kUnknownExit}, {KVM_EXIT_HYPERCALL, FaultReason::kUnknownExit},
      {0x7fff'ffff, FaultReason::kUnknownExit}};
  for (const auto& [reason, expected] : kCases) {
    RunPage page;
    page.run().exit_reason = reason;
    EXPECT_EQ(page.exit().kind, Kind::kFault) << reason;
    EXPECT_EQ(page.exit().fault, expected) << reason;
  }
  RunPage internal;
  internal.run().exit_reason = KVM_EXIT_INTERNAL_ERROR;
  internal.run().internal.suberror = KVM_INTERNAL_ERROR_EMULATION;
  EXPECT_EQ(internal.exit().fault, FaultReason::kEmulation);
  internal.run().internal.suberror = KVM_INTERNAL_ERROR_DELIVERY_EV;
  EXPECT_EQ(internal.exit().fault, FaultReason::kInternalError);
  EXPECT_EQ(internal.exit().detail, KVM_INTERNAL_ERROR_DELIVERY_EV);
  RunPage signal;
  signal.run().exit_reason = KVM_EXIT_INTR;
  EXPECT_EQ(signal.exit().kind, Kind::kInterrupted);
}

TEST(MachineExit, AnAddressSaysWhichTrapItIs) {
  constexpr auto kShutdown = FaultReason::kShutdown;
  EXPECT_EQ(trap_of(kShutdown, kLinearAddress), 1);
  EXPECT_EQ(trap_of(kShutdown, kLinearAddress + kLinearReach - 1), 1);
  EXPECT_EQ(trap_of(kShutdown, kLinearAddress + kLinearReach), 3);
  EXPECT_EQ(trap_of(kShutdown, kStackAddress - 1), 5);
  EXPECT_EQ(trap_of(kShutdown, kStackAddress), 3);
  EXPECT_EQ(trap_of(kShutdown, 0), 3);
  EXPECT_EQ(trap_of(FaultReason::kPort, kLinearAddress), 3);
}

}  // namespace
}  // namespace plimsoll::microvm
