// A hostile worker: whatever it writes, the host's answer is the one that a plain reading of the
// same bytes gives, output never exceeds its cap, and the exchange ends. Input: two bytes of output
// cap (little-endian), one byte of flags (1: two writes; 2: an API was granted, whose answers never
// come), the stream.
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "guest/guest_channel.h"
#include "guest/host_calls.h"
#include "require.h"

namespace {

using plimsoll::UniqueFd;
using plimsoll::fuzz::require;
using plimsoll::guest::FrameKind;
using plimsoll::guest::RunStatus;

constexpr std::size_t kMaxStream = 100'000;  // fits into a socket's buffer, so that nobody waits

// The protocol, read naively from the whole stream.
struct Expected {
  RunStatus status = RunStatus::kLost;
  std::string out[2];
  std::vector<std::string> targets;
};

// Whether the payload is a call; its target goes to `targets`.
bool take_call(std::span<const std::uint8_t> payload, std::vector<std::string>& targets) {
  if (payload.size() < 12) return false;
  const std::size_t method = payload[4];
  const std::size_t target =
      payload[8] + 256U * payload[9] + 65'536U * payload[10] + 16'777'216U * payload[11];
  if (method > 17 || target > 65'537 || payload.size() < 12 + method + target) return false;
  const std::size_t body = payload.size() - 12 - method - target;
  if (payload[5] > 1 || payload[6] != 0 || payload[7] != 0) return false;
  if (body > (1U << 20) + 1 || (payload[5] == 0 && body > 0) || targets.size() == 64) return false;
  const auto text = payload.subspan(12 + method, target);
  targets.emplace_back(text.begin(), text.end());
  return true;
}

bool is_fault(std::span<const std::uint8_t> payload) {
  return payload.size() == 24 && payload[0] >= 1 && payload[0] <= 11 && payload[1] == 0 &&
         payload[2] == 0 && payload[3] == 0;
}

class SilentCalls final : public plimsoll::guest::HostCalls {
 public:
  SilentCalls() : fd_(::eventfd(0, EFD_CLOEXEC)) {}
  void begin(const plimsoll::guest::HostCall& call) override { targets.emplace_back(call.target); }
  [[nodiscard]] int ready_fd() const noexcept override { return fd_.get(); }
  [[nodiscard]] std::optional<plimsoll::guest::HostAnswer> next_answer() override {
    return std::nullopt;
  }
  std::vector<std::string> targets;

 private:
  UniqueFd fd_;
};

Expected expect(std::span<const std::uint8_t> stream, std::size_t cap, bool granted) {
  Expected result;
  bool failed = false;
  for (;;) {
    if (stream.size() < 8) return result;
    const std::size_t size =
        stream[0] + 256U * stream[1] + 65'536U * stream[2] + 16'777'216U * stream[3];
    const unsigned kind = stream[4];
    // Those of a project, 22 to 26, are known; in a run they have no place.
    const bool known = (kind >= 1 && kind <= 4) || (kind >= 16 && kind <= 20) ||
                       (kind == 21 && granted) || (kind >= 22 && kind <= 27);
    const std::size_t most = kind == 21 ? 12 + 16 + 65'536 + (1U << 20) + 3 : 65'536;
    result.status = RunStatus::kBroken;
    if (!known || stream[5] != 0 || stream[6] != 0 || stream[7] != 0 || size > most) {
      return result;
    }
    if (stream.size() - 8 < size) {
      result.status = RunStatus::kLost;
      return result;
    }
    const auto payload = stream.subspan(8, size);
    stream = stream.subspan(8 + size);
    if (kind == 19) {
      const bool sound = size == 16 && payload[0] <= 5 && payload[1] <= 1 && payload[2] <= 1 &&
                         payload[5] == 0 && payload[6] == 0 && payload[7] == 0;
      const bool fits = !failed || payload.empty() || payload[0] == 4;
      if (sound && fits && stream.empty()) result.status = RunStatus::kDone;
      return result;
    }
    if (kind == 27) {
      if (failed || !is_fault(payload)) return result;
      failed = true;
      result.status = RunStatus::kLost;
      continue;
    }
    if (kind == 21) {
      if (!take_call(payload, result.targets)) return result;
      result.status = RunStatus::kLost;
      continue;
    }
    if (kind != 17 && kind != 18) return result;
    std::string& out = result.out[kind - 17];
    if (out.size() + size > cap) return result;
    out.append(payload.begin(), payload.end());
    result.status = RunStatus::kLost;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 3 || size > kMaxStream) return 0;
  const std::size_t cap = data[0] + 256U * data[1];
  const std::span<const std::uint8_t> stream(data + 3, size - 3);
  int ends[2] = {-1, -1};
  require(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0, "a socket pair");
  plimsoll::guest::GuestChannel channel{UniqueFd(ends[0])};
  const UniqueFd guest(ends[1]);
  const std::size_t first = (data[2] & 1) != 0 ? stream.size() / 2 : stream.size();
  for (const auto part : {stream.first(first), stream.subspan(first)}) {
    require(::send(guest.get(), part.data(), part.size(), MSG_DONTWAIT | MSG_NOSIGNAL) ==
                static_cast<ssize_t>(part.size()),
            "the stream fits");
  }
  require(::shutdown(guest.get(), SHUT_WR) == 0, "the guest falls silent");

  const auto until = plimsoll::guest::GuestChannel::Clock::now() + std::chrono::seconds(5);
  const bool granted = (data[2] & 2) != 0;
  SilentCalls calls;
  const auto report = channel.run({.timeout_us = 1, .output_cap = cap},
                                  {.code = "code",
                                   .global = granted ? "host" : std::string_view{},
                                   .calls = granted ? &calls : nullptr},
                                  until);
  const Expected expected = expect(stream, cap, granted);
  require(calls.targets == expected.targets, "the calls of a plain reading");
  require(report.status == expected.status, "the status of a plain reading");
  require(report.stdout_bytes == expected.out[0] && report.stderr_bytes == expected.out[1],
          "the output of a plain reading");
  require(report.stdout_bytes.size() <= cap && report.stderr_bytes.size() <= cap, "the cap");
  return 0;
}
