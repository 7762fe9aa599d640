// The length-prefixed messages of gRPC and gRPC-Web: a byte of flags, four bytes of size
// (big-endian), the payload.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace plimsoll::rpc {

inline constexpr std::size_t kGrpcPrefixBytes = 5;
inline constexpr std::uint8_t kGrpcCompressed = 0x01;
inline constexpr std::uint8_t kGrpcWebTrailers = 0x80;

struct GrpcFrame {
  std::uint8_t flags = 0;
  std::string_view payload;  // points into the bytes that were read
};

enum class FrameState : std::uint8_t {
  kFrame,     // `frame` is set, and its bytes are taken off
  kNeedMore,  // no whole frame yet
  kTooLarge,  // the prefix announces more than the limit
  kBadFlags,  // a flag that a client must not set
};

// Takes the first frame off `bytes`. The size is looked at before the payload is there.
[[nodiscard]] FrameState take_frame(std::string_view& bytes, std::size_t limit_bytes,
                                    GrpcFrame& frame) noexcept;

// Appends the prefix and the payload (at most 4 GiB) to `out`.
void append_frame(std::string& out, std::uint8_t flags, std::string_view payload);

}  // namespace plimsoll::rpc
