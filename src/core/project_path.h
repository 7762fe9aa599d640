// Paths inside of a project's folder. A path from a caller ends in a file system: it must not leave
// the folder, and one file must have one name.
#pragma once

#include <optional>
#include <set>
#include <string_view>

namespace plimsoll {

// What is wrong with a path, as the end of a sentence; nullopt when it is in order: 1 to
// kMaxPathBytes bytes, relative, components parted by single slashes, none of them "." or "..", and
// no control character (NUL among them) in it.
[[nodiscard]] std::optional<std::string_view> flaw_of_path(std::string_view path) noexcept;

// Whether one of `paths` is a folder that `path` lies in: a file cannot be both.
[[nodiscard]] bool has_parent_in(std::string_view path, const std::set<std::string_view>& paths);

}  // namespace plimsoll
