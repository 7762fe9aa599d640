// Timeouts, encodings, base64, percent encoding and JSON strings.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "require.h"
#include "rpc/encoding.h"
#include "rpc/error_text.h"
#include "rpc/text_codec.h"
#include "rpc/timeout.h"

namespace {
using plimsoll::fuzz::require;
using plimsoll::rpc::base64_encode;
using plimsoll::rpc::base64url_decode;
using plimsoll::rpc::choose_encoding;
using plimsoll::rpc::Code;
using plimsoll::rpc::grpc_percent_encode;
using plimsoll::rpc::grpc_web_trailers;
using plimsoll::rpc::json_quote;
using plimsoll::rpc::parse_connect_timeout;
using plimsoll::rpc::parse_grpc_timeout;
using plimsoll::rpc::query_decode;
using plimsoll::rpc::utf8_prefix;
}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto timeout = parse_connect_timeout(text)) {
    require(timeout->count() > 0 && timeout->count() <= 9'999'999'999, "a bounded Connect timeout");
  }
  if (const auto timeout = parse_grpc_timeout(text)) {
    require(timeout->count() > 0 && timeout->count() <= 359'999'996'400'000,
            "a bounded gRPC timeout");
  }
  (void)choose_encoding(text);
  std::string url = base64_encode(text);
  for (char& c : url) c = c == '+' ? '-' : c == '/' ? '_' : c;
  require(base64url_decode(url) == text, "base64 both ways");
  if (const auto bytes = base64url_decode(text))
    require(bytes->size() <= size, "no bytes from nowhere");
  const std::string quoted = json_quote(text);
  require(utf8_prefix(quoted) == quoted.size(), "JSON is UTF-8");
  const std::string percent = grpc_percent_encode(text);
  for (const char c : percent) require(c >= 0x20 && c <= 0x7E, "printable");
  // '+' is a blank in a query only.
  if (text.find('+') == std::string_view::npos)
    require(query_decode(percent) == text, "percent encoding both ways");
  const std::string trailers =
      grpc_web_trailers({.code = Code::kInternal, .message = std::string(text)});
  require(std::ranges::count(trailers, '\n') <= 2, "no line is split");
  return 0;
}
