// The query of a Connect GET request.
#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "rpc/status.h"

namespace plimsoll::rpc {

struct ConnectQuery {
  std::string encoding;     // "json", "proto"; empty: not given
  std::string compression;  // empty: not given
  std::string message;      // decoded; still compressed
};

// "connect=v1&encoding=json&message=%7B%7D", with "base64=1" and "compression=gzip". In any order;
// unknown parameters are ignored, a repeated one is an error, since two readers could take
// different ones. The error is invalid_argument.
[[nodiscard]] std::expected<ConnectQuery, Status> parse_connect_query(std::string_view query);

}  // namespace plimsoll::rpc
