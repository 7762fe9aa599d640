// What an errno means, for a message.
#pragma once

#include <cstring>
#include <string>

namespace plimsoll {

// "No such file or directory (ENOENT)". Thread-safe.
[[nodiscard]] inline std::string errno_text(int error) {
  const char* text = ::strerrordesc_np(error);
  const char* name = ::strerrorname_np(error);
  if (text == nullptr || name == nullptr) return "error " + std::to_string(error);
  return std::string(text) + " (" + name + ")";
}

}  // namespace plimsoll
