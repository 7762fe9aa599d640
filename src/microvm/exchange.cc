#include "microvm/exchange.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace plimsoll::microvm {

namespace {

// A copy of one field: nobody changes it between the check and the use.
template <class T>
T field(const GuestMemory& memory, std::size_t offset) noexcept {
  T value{};
  std::memcpy(&value, memory.at(kMailbox + offset, sizeof value).data(), sizeof value);
  return value;
}

}  // namespace

std::optional<Output> output_of(const GuestMemory& memory) noexcept {
  Output output;
  for (std::size_t i = 0; i < output.streams.size(); ++i) {
    const std::size_t at = i * sizeof(std::uint32_t);
    const auto bytes = field<std::uint32_t>(memory, offsetof(Mailbox, output_bytes) + at);
    if (bytes > kOutputWindow) return std::nullopt;
    output.streams[i] = memory.at(kOutputArea + i * kOutputWindow, bytes);
    output.truncated[i] = field<std::uint32_t>(memory, offsetof(Mailbox, truncated) + at) != 0;
  }
  return output;
}

std::optional<std::span<const std::uint8_t>> call_of(const GuestMemory& memory) noexcept {
  const auto bytes = field<std::uint32_t>(memory, offsetof(Mailbox, call_bytes));
  if (bytes > guest::kMaxHostCallPayload) return std::nullopt;
  const std::span<const std::uint8_t> payload = memory.at(kCallArea, bytes);
  if (!guest::decode_call(payload)) return std::nullopt;
  return payload;
}

std::optional<guest::Done> done_of(const GuestMemory& memory) noexcept {
  const auto bytes =
      field<std::array<std::uint8_t, guest::kDoneBytes>>(memory, offsetof(Mailbox, done));
  const auto done = guest::decode_done(bytes);
  // There are no processes in a machine, so that none is ended by a signal.
  if (done && done->cause == guest::DoneCause::kSignaled) return std::nullopt;
  return done;
}

std::uint64_t sleep_of(const GuestMemory& memory) noexcept {
  constexpr std::uint64_t kHour = 3'600'000'000'000;
  return std::min(field<std::uint64_t>(memory, offsetof(Mailbox, sleep_ns)), kHour);
}

}  // namespace plimsoll::microvm
