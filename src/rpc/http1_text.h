// The head of an HTTP/1.1 response.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "rpc/http.h"

namespace plimsoll::rpc {

enum class ConnectionFate : std::uint8_t { kKept, kEnds };

// Status line and fields up to the empty line, with Content-Length, Date and, at an end,
// Connection. A field whose value has a control character is left out: nothing can split a
// response.
[[nodiscard]] std::string http1_head(const Response& response, ConnectionFate fate);

// "Mon, 02 Jan 2006 15:04:05 GMT" of now (RFC 9110 section 5.6.7); made once a second for each
// thread.
[[nodiscard]] std::string_view http_date();

}  // namespace plimsoll::rpc
