// A path that is in order stays inside of its folder, by a walk over it that knows nothing of the
// check.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/project_path.h"
#include "require.h"

namespace {

// How deep below the folder the path ends; -1 as soon as it leaves it.
int depth_of(std::string_view path) {
  int depth = 0;
  std::string component;
  for (const char c : std::string(path) + "/") {
    if (c != '/') {
      component += c;
      continue;
    }
    if (component == "..") --depth;
    if (!component.empty() && component != "." && component != "..") ++depth;
    if (depth < 0) return -1;
    component.clear();
  }
  return depth;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using plimsoll::fuzz::require;
  const std::string_view path(reinterpret_cast<const char*>(data), size);
  if (plimsoll::flaw_of_path(path)) return 0;
  require(!path.empty() && path.front() != '/', "it is relative");
  require(depth_of(path) >= 1, "it ends inside of the folder");
  require(path.find('\0') == std::string_view::npos, "the kernel sees all of it");
  require(path.find("//") == std::string_view::npos && path.back() != '/', "it has one spelling");
  require(!plimsoll::has_parent_in(path, {path}), "it is not its own folder");
  return 0;
}
