#include "rpc/connect_query.h"

#include <array>
#include <optional>

#include "rpc/text_codec.h"

namespace plimsoll::rpc {

namespace {

std::unexpected<Status> invalid(std::string message) {
  return std::unexpected(Status{.code = Code::kInvalidArgument, .message = std::move(message)});
}

struct Parameter {
  std::string_view name;
  std::optional<std::string> value;
};

}  // namespace

std::expected<ConnectQuery, Status> parse_connect_query(std::string_view query) {
  std::array<Parameter, 5> known{{{.name = "connect"},
                                  {.name = "encoding"},
                                  {.name = "compression"},
                                  {.name = "base64"},
                                  {.name = "message"}}};
  while (!query.empty()) {
    const std::size_t end = query.find('&');
    const std::string_view pair = query.substr(0, end);
    query.remove_prefix(end == std::string_view::npos ? query.size() : end + 1);
    const std::size_t equals = pair.find('=');
    const auto name = query_decode(pair.substr(0, equals));
    if (!name) return invalid("the query has a name with a malformed percent-encoding");
    for (Parameter& parameter : known) {
      if (parameter.name != *name) continue;
      if (parameter.value) return invalid("the query has " + *name + " twice");
      parameter.value = query_decode(equals == std::string_view::npos ? std::string_view{}
                                                                      : pair.substr(equals + 1));
      if (!parameter.value) {
        return invalid("the query's " + *name + " has a malformed percent-encoding");
      }
    }
  }
  const auto& [version, encoding, compression, base64, message] = known;
  if (version.value && *version.value != "v1") {
    return invalid("the query's connect is the protocol's version; accepted: v1");
  }
  if (!message.value) return invalid("the query has no message");
  ConnectQuery result{.encoding = encoding.value.value_or(""),
                      .compression = compression.value.value_or(""),
                      .message = *message.value};
  const std::string flag = base64.value.value_or("0");
  if (flag != "0" && flag != "1") return invalid("the query's base64 is 0 or 1");
  if (flag == "1") {
    auto decoded = base64url_decode(result.message);
    if (!decoded) return invalid("the query's message is not base64url");
    result.message = *std::move(decoded);
  }
  return result;
}

}  // namespace plimsoll::rpc
