// Who answers the calls of a granted run. The guest channel carries them and knows nothing of what
// they mean.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "guest/frame.h"

namespace plimsoll::guest {

// An answer. `body` of at most kMaxReplyBody bytes; a content type longer than kMaxReplyType is
// cut.
struct HostAnswer {
  std::uint32_t id = 0;
  std::uint16_t status = 0;
  bool refused = false;
  std::string content_type{};
  std::string body{};
};

// How many calls of one run may wait for their answers. The client in the guest stays far below it;
// a guest that goes beyond is not ours any more.
inline constexpr std::size_t kMaxUnanswered = 64;

// Used by the channel's thread only. Never blocks.
class HostCalls {
 public:
  virtual ~HostCalls() = default;

  // Takes the call over; its views are good during the call only. One answer with its id must come.
  virtual void begin(const HostCall& call) = 0;

  // Readable when next_answer() has something to give.
  [[nodiscard]] virtual int ready_fd() const noexcept = 0;

  // The next answer, in whatever order; nullopt: none yet.
  [[nodiscard]] virtual std::optional<HostAnswer> next_answer() = 0;
};

}  // namespace plimsoll::guest
