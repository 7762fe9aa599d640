#include "core/project_path.h"

#include <algorithm>

#include "core/wire_limits.h"

namespace plimsoll {
namespace {

bool is_control(char c) noexcept {
  return static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) == 0x7f;
}

}  // namespace

std::optional<std::string_view> flaw_of_path(std::string_view path) noexcept {
  if (path.empty()) return "is empty";
  if (path.size() > kMaxPathBytes) return "is longer than 1024 bytes";
  if (std::ranges::any_of(path, is_control)) return "has a control character in it";
  if (path.front() == '/') return "is absolute; one relative to the project is needed";
  while (true) {
    const std::size_t end = std::min(path.find('/'), path.size());
    const std::string_view component = path.substr(0, end);
    if (component.empty()) return "has an empty component";
    if (component == "." || component == "..") return "has a component . or ..";
    if (end == path.size()) return std::nullopt;
    path.remove_prefix(end + 1);
  }
}

bool has_parent_in(std::string_view path, const std::set<std::string_view>& paths) {
  for (std::size_t end = path.find('/'); end != std::string_view::npos;
       end = path.find('/', end + 1)) {
    if (paths.contains(path.substr(0, end))) return true;
  }
  return false;
}

}  // namespace plimsoll
