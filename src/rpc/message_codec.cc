#include "rpc/message_codec.h"

#include <google/protobuf/message.h>
#include <google/protobuf/util/json_util.h>

#include <climits>

#include "rpc/text_codec.h"

namespace plimsoll::rpc {

namespace {

Status invalid(std::string message) {
  return {.code = Code::kInvalidArgument, .message = std::move(message)};
}

Status decode_json(std::string_view bytes, google::protobuf::Message& message) {
  // The library's JSON reader replaces what is not UTF-8; what was sent must be what is hashed.
  if (utf8_prefix(bytes) != bytes.size()) return invalid("the JSON is not UTF-8");
  google::protobuf::util::JsonParseOptions options;
  options.ignore_unknown_fields = true;
  const auto status =
      google::protobuf::util::JsonStringToMessage({bytes.data(), bytes.size()}, &message, options);
  if (status.ok()) return {};
  std::string reason = status.message().ToString();
  reason.resize(std::min<std::size_t>(reason.size(), 200));
  return invalid("not the JSON of " + message.GetTypeName() + ": " + reason);
}

}  // namespace

Status decode_message(Codec codec, std::string_view bytes, google::protobuf::Message& message) {
  if (bytes.size() > INT_MAX) return invalid("too large for a message");
  if (codec == Codec::kJson) return decode_json(bytes, message);
  if (!message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return invalid("not a serialized " + message.GetTypeName());
  }
  return {};
}

Status encode_message(Codec codec, const google::protobuf::Message& message,
                      std::size_t limit_bytes, std::string& out) {
  const std::size_t size = message.ByteSizeLong();
  if (size <= limit_bytes) {
    if (codec == Codec::kJson) {
      const auto status = google::protobuf::util::MessageToJsonString(message, &out);
      if (!status.ok()) {
        return {.code = Code::kInternal, .message = "the answer has no JSON form"};
      }
    } else if (!message.SerializeToString(&out)) {
      return {.code = Code::kInternal, .message = "the answer could not be serialized"};
    }
  }
  if (size > limit_bytes || out.size() > limit_bytes) {
    out.clear();
    return {.code = Code::kResourceExhausted,
            .message = "the answer is larger than " + std::to_string(limit_bytes) + " bytes"};
  }
  return {};
}

}  // namespace plimsoll::rpc
