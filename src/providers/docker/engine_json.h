// What the engine answers, read strictly: bounded in bytes, depth and values, and every field that
// is asked for has the type that it should have.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_tree.h"
#include "plimsoll/result.h"

namespace plimsoll::docker {

// Errors: kNotReady, naming `what` and the place.
[[nodiscard]] Result<JsonValue> parse_answer(std::string_view what, std::string_view bytes);

// Paths are names of members joined with '/'. Null, or nullopt: it is not there, or of another
// type.
[[nodiscard]] const JsonValue* member_at(const JsonValue& root, std::string_view path) noexcept;
[[nodiscard]] std::optional<std::string> string_at(const JsonValue& root, std::string_view path);
[[nodiscard]] std::optional<std::int64_t> whole_at(const JsonValue& root,
                                                   std::string_view path) noexcept;
[[nodiscard]] std::optional<bool> bool_at(const JsonValue& root, std::string_view path) noexcept;
// An array of strings; null and what is not there are an empty one.
[[nodiscard]] std::optional<std::vector<std::string>> strings_at(const JsonValue& root,
                                                                 std::string_view path);

// 64 lower-case hex digits: a container's id, or an image's behind "sha256:".
[[nodiscard]] bool is_hex_id(std::string_view text) noexcept;

}  // namespace plimsoll::docker
