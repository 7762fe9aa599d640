// Parses protobuf of a peer's, silently: protobuf would write to the embedder's stderr what is
// wrong with it.
#pragma once

#include <google/protobuf/message_lite.h>
#include <google/protobuf/stubs/logging.h>

#include <limits>
#include <string_view>

namespace plimsoll::client {

// False: `bytes` are not one whole message of that type. `message` is then of no use.
[[nodiscard]] inline bool parse_message(std::string_view bytes,
                                        google::protobuf::MessageLite& message) {
  if (bytes.size() > std::numeric_limits<int>::max()) return false;
  const google::protobuf::LogSilencer silencer;
  return message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
}

}  // namespace plimsoll::client
