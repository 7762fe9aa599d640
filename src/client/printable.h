// Text of a peer's, for a message.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace plimsoll::client {

// At most `max_bytes` of `text`, where everything but visible ASCII and blanks is '?': no escape
// sequence of a hostile service's reaches a terminal, no line break forges a line of a log.
[[nodiscard]] inline std::string printable(std::string_view text, std::size_t max_bytes) {
  std::string out(text.substr(0, max_bytes));
  for (char& c : out) {
    if (c < ' ' || c > '~') c = '?';
  }
  return out;
}

}  // namespace plimsoll::client
