// Protobuf messages as bytes and as JSON.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "rpc/status.h"

namespace google::protobuf {
class Message;
}

namespace plimsoll::rpc {

enum class Codec : std::uint8_t { kProto, kJson };

// Fills `message`. The error is invalid_argument: malformed, nested deeper than protobuf's limit of
// 100, a string that is not UTF-8. No bytes are the empty message, but no JSON. Unknown fields are
// ignored in both codecs; JSON names are taken as lowerCamelCase and as the .proto spells them.
[[nodiscard]] Status decode_message(Codec codec, std::string_view bytes,
                                    google::protobuf::Message& message);

// JSON: the proto3 mapping with lowerCamelCase names, base64 bytes, 64-bit integers as strings;
// fields with their default are left out. The error is `internal` (a string that is not UTF-8), or
// resource_exhausted above `limit_bytes`.
[[nodiscard]] Status encode_message(Codec codec, const google::protobuf::Message& message,
                                    std::size_t limit_bytes, std::string& out);

}  // namespace plimsoll::rpc
