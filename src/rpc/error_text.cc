#include "rpc/error_text.h"

#include <cstdint>
#include <string_view>

#include "rpc/text_codec.h"

namespace plimsoll::rpc {

namespace {

constexpr std::size_t kMaxMessageBytes = 4096;  // of a header field, before it is escaped

// Protobuf's wire format, for the two messages that are needed: a varint, a length-delimited field.
void append_varint(std::string& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7U) out += static_cast<char>((value & 0x7FU) | 0x80U);
  out += static_cast<char>(value);
}

void append_field(std::string& out, unsigned number, std::string_view bytes) {
  append_varint(out, number << 3U | 2U);
  append_varint(out, bytes.size());
  out += bytes;
}

// google.rpc.Status{code=1, message=2, repeated google.protobuf.Any{type_url=1, value=2}
// details=3}. A protobuf string must be UTF-8, or a client rejects the whole.
std::string status_proto(const Status& status) {
  std::string out;
  append_varint(out, 1U << 3U);
  append_varint(out, static_cast<std::uint64_t>(status.code));
  append_field(out, 2, std::string_view(status.message).substr(0, utf8_prefix(status.message)));
  for (const Detail& detail : status.details) {
    std::string any;
    append_field(any, 1, "type.googleapis.com/" + detail.type);
    append_field(any, 2, detail.value);
    append_field(out, 3, any);
  }
  return out;
}

}  // namespace

std::string connect_error_json(const Status& status) {
  std::string out = R"({"code":")";
  out += to_string(status.code);
  out += '"';
  if (!status.message.empty()) out += ",\"message\":" + json_quote(status.message);
  if (!status.details.empty()) {
    out += ",\"details\":[";
    const char* separator = "";
    for (const Detail& detail : status.details) {
      out += separator;
      out += "{\"type\":" + json_quote(detail.type) + R"(,"value":")" +
             base64_encode(detail.value) + "\"}";
      separator = ",";
    }
    out += ']';
  }
  out += '}';
  return out;
}

void add_grpc_status(Headers& fields, const Status& status) {
  fields.add("grpc-status", std::to_string(static_cast<unsigned>(status.code)));
  if (!status.message.empty()) {
    const std::string_view message = std::string_view(status.message).substr(0, kMaxMessageBytes);
    fields.add("grpc-message", grpc_percent_encode(message));
  }
  if (!status.details.empty()) {
    fields.add("grpc-status-details-bin", base64_encode(status_proto(status)));
  }
}

std::string grpc_web_trailers(const Status& status) {
  Headers fields;
  add_grpc_status(fields, status);
  if (status.retry_after) fields.add("retry-after", std::to_string(status.retry_after->count()));
  std::string out;
  for (const Header& field : fields) out += field.name + ": " + field.value + "\r\n";
  return out;
}

}  // namespace plimsoll::rpc
