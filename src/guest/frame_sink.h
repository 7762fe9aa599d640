// Who takes the frames of one run, in the order in which they come, and says when it is over.
#pragma once

#include <cstdint>

#include "guest/frame.h"

namespace plimsoll::guest {

class FrameSink {
 public:
  enum class Step : std::uint8_t {
    kMore,    // it belongs here, and others follow
    kEnd,     // it was the last one
    kBroken,  // it does not belong here: the guest is not what we started
  };
  virtual ~FrameSink() = default;

  // Any frame but a call, which the channel takes care of. The payload is good during the call
  // only.
  [[nodiscard]] virtual Step take(const FrameReader::Frame& frame) = 0;

 protected:
  FrameSink() = default;
  FrameSink(const FrameSink&) = default;
  FrameSink& operator=(const FrameSink&) = default;
};

}  // namespace plimsoll::guest
