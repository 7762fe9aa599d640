#include "rpc/grpc_frame.h"

#include <cassert>

namespace plimsoll::rpc {

FrameState take_frame(std::string_view& bytes, std::size_t limit_bytes, GrpcFrame& frame) noexcept {
  if (bytes.empty()) return FrameState::kNeedMore;
  const auto at = [&](std::size_t i) -> std::uint32_t {
    return static_cast<unsigned char>(bytes[i]);
  };
  if (at(0) > kGrpcCompressed) return FrameState::kBadFlags;
  if (bytes.size() < kGrpcPrefixBytes) return FrameState::kNeedMore;
  const std::size_t size = at(1) << 24U | at(2) << 16U | at(3) << 8U | at(4);
  if (size > limit_bytes) return FrameState::kTooLarge;
  if (bytes.size() - kGrpcPrefixBytes < size) return FrameState::kNeedMore;
  frame = {.flags = static_cast<std::uint8_t>(at(0)),
           .payload = bytes.substr(kGrpcPrefixBytes, size)};
  bytes.remove_prefix(kGrpcPrefixBytes + size);
  return FrameState::kFrame;
}

void append_frame(std::string& out, std::uint8_t flags, std::string_view payload) {
  assert(payload.size() <= UINT32_MAX);
  const auto size = static_cast<std::uint32_t>(payload.size());
  out.reserve(out.size() + kGrpcPrefixBytes + payload.size());
  out += static_cast<char>(flags);
  for (const unsigned shift : {24U, 16U, 8U, 0U}) out += static_cast<char>(size >> shift & 0xFFU);
  out += payload;
}

}  // namespace plimsoll::rpc
