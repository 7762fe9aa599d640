// What the tests of machines share: one template, booted once a process, and runs without a VMM
// process around them. Where there is no KVM they are skipped, and the gate,
// which takes no skipped test, fails.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/errno_text.h"
#include "base/unique_fd.h"
#include "guest/frame.h"
#include "microvm/deadline.h"
#include "microvm/embedded_guest.h"
#include "microvm/host_link.h"
#include "microvm/kvm.h"
#include "microvm/run_loop.h"
#include "microvm/slot.h"
#include "microvm/template.h"

namespace plimsoll::microvm {

inline constexpr std::size_t kTestMemory = std::size_t{64} << 20;

template <class T>
T expect_ok(Try<T> result) {
  if (!result) {
    throw std::runtime_error(std::string(result.error().step) + ": " +
                             errno_text(result.error().error));
  }
  return std::move(*result);
}

// What a run sent, in order of its kinds.
struct TestRun {
  RunLoopEnd end = RunLoopEnd::kGone;
  std::string out;
  std::string err;
  std::optional<guest::Done> done;
  std::optional<guest::Fault> fault;
};

class MachineTest : public ::testing::Test {
 protected:
  void SetUp() override {
    device_ = UniqueFd(::open("/dev/kvm", O_RDWR | O_CLOEXEC));
    if (device_) return;
    GTEST_SKIP() << "no /dev/kvm here: " << errno_text(errno);
  }

  [[nodiscard]] static const Kvm& kvm() {
    static const Kvm kvm = expect_ok(Kvm::open(UniqueFd(::open("/dev/kvm", O_RDWR | O_CLOEXEC))));
    return kvm;
  }
  // The engine's.
  [[nodiscard]] static const Template& origin() {
    static const Template origin =
        expect_ok(Template::make(kvm(), embedded_guest(), embedded_snapshot(), kTestMemory));
    return origin;
  }

  // Compares every page there is, and everything that the processor remembers.
  static void expect_is(const Template& expected, Machine& machine) {
    const GuestMemory& memory = machine.memory();
    static constexpr std::array<std::uint8_t, kPage> kZero{};
    std::size_t different = 0;
    for (std::uint64_t page = 0; page < memory.size() / kPage; ++page) {
      const auto bytes = expected.page(page);
      const auto* from = bytes.empty() ? kZero.data() : bytes.data();
      if (std::memcmp(memory.base() + page * kPage, from, kPage) != 0) ++different;
    }
    EXPECT_EQ(different, 0U);
    const auto state = expect_ok(read_state(machine.vcpu_fd(), kvm().xsave_bytes()));
    EXPECT_TRUE(same_state(state, expected.state()));
  }

  // A machine, and runs in it.
  class Bench {
   public:
    explicit Bench(const Template& from = origin())
        : from_(from), machine_(expect_ok(from.start(kvm()))), slot_(machine_, from) {
      int ends[2] = {-1, -1};
      if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        throw std::runtime_error("socketpair");
      }
      host_ = UniqueFd(ends[0]);
      guest_ = UniqueFd(ends[1]);
      constexpr int kBuffer = 8 << 20;
      (void)::setsockopt(host_.get(), SOL_SOCKET, SO_SNDBUFFORCE, &kBuffer, sizeof kBuffer);
      (void)::setsockopt(guest_.get(), SOL_SOCKET, SO_SNDBUFFORCE, &kBuffer, sizeof kBuffer);
      static const int prepared = prepare_deadline();
      if (prepared != 0) throw std::runtime_error("timer");
    }

    TestRun run(std::string_view code, guest::RunHeader header = {.timeout_us = 5'000'000,
                                                                  .output_cap = 65'536,
                                                                  .flood_bytes = 1 << 20,
                                                                  .memory_bytes = kTestMemory}) {
      std::string payload(guest::kRunHeaderBytes, '\0');
      const auto fields = guest::encode(header);
      std::memcpy(payload.data(), fields.data(), fields.size());
      payload += code;
      return run_payload(payload);
    }

    TestRun run_payload(const std::string& payload) {
      if (::send(host_.get(), payload.data(), payload.size(), MSG_NOSIGNAL) !=
          static_cast<ssize_t>(payload.size())) {
        throw std::runtime_error("send");
      }
      const HostLink link(guest_.get());
      RunLoop loop(slot_, link, (std::uint64_t{1'000'000} << 32) / from_.tsc_khz());
      TestRun result;
      result.end = loop.run(static_cast<std::uint32_t>(payload.size()));
      collect(result);
      return result;
    }

    [[nodiscard]] Slot& slot() noexcept { return slot_; }
    [[nodiscard]] Machine& machine() noexcept { return machine_; }

   private:
    void collect(TestRun& result) {
      guest::FrameReader reader;
      for (;;) {
        guest::FrameReader::Frame frame;
        while (reader.next(frame) == guest::FrameReader::Status::kFrame) take(frame, result);
        const auto space = reader.space();
        const ssize_t got = ::recv(host_.get(), space.data(), space.size(), MSG_DONTWAIT);
        if (got <= 0) break;
        reader.filled(static_cast<std::size_t>(got));
      }
      EXPECT_TRUE(reader.empty());
    }
    static void take(const guest::FrameReader::Frame& frame, TestRun& result) {
      const std::string text(reinterpret_cast<const char*>(frame.payload.data()),
                             frame.payload.size());
      if (frame.kind == guest::FrameKind::kStdout) result.out += text;
      if (frame.kind == guest::FrameKind::kStderr) result.err += text;
      if (frame.kind == guest::FrameKind::kDone) result.done = guest::decode_done(frame.payload);
      if (frame.kind == guest::FrameKind::kFault) result.fault = guest::decode_fault(frame.payload);
    }

    const Template& from_;
    Machine machine_;
    Slot slot_;
    UniqueFd host_;
    UniqueFd guest_;
  };

 private:
  UniqueFd device_;
};

}  // namespace plimsoll::microvm
