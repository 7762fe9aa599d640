#include "rpc/http.h"

#include <algorithm>

namespace plimsoll::rpc {

namespace {
char lower(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
}
}  // namespace

bool equal_ignoring_case(std::string_view a, std::string_view b) noexcept {
  return std::ranges::equal(a, b, [](char x, char y) { return lower(x) == lower(y); });
}

std::string_view trim(std::string_view text) noexcept {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

bool split_target(std::string_view target, std::string& path, std::string& query) {
  if (!target.starts_with('/')) {
    const std::size_t scheme = target.find("://");
    if (scheme == std::string_view::npos) return false;
    const std::string_view name = target.substr(0, scheme);
    if (!equal_ignoring_case(name, "http") && !equal_ignoring_case(name, "https")) return false;
    target.remove_prefix(scheme + 3);
    const std::size_t slash = target.find_first_of("/?");
    if (slash == 0) return false;
    target = slash == std::string_view::npos ? std::string_view("/") : target.substr(slash);
  }
  const std::size_t mark = target.find('?');
  path = mark == 0 ? "/" : target.substr(0, mark);
  query = mark == std::string_view::npos ? std::string_view{} : target.substr(mark + 1);
  return true;
}

}  // namespace plimsoll::rpc
