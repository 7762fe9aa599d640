// The target of a guest's call, taken apart without changing a byte: what is approved is what is
// sent. Everything that two readers could understand differently is refused here: dot segments in
// every spelling, encoded slashes, backslashes, path parameters, fragments, absolute and authority
// forms, control and non-ASCII bytes.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll {

// A longer target matches no route, whatever it says.
inline constexpr std::size_t kMaxMatchedTargetBytes = 8192;
inline constexpr std::size_t kMaxSegments = 64;
inline constexpr std::size_t kMaxQueryParameters = 32;
inline constexpr std::size_t kMaxQueryValueBytes = 256;  // decoded

struct QueryParameter {
  std::string name;   // decoded
  std::string value;  // decoded, 1 to kMaxQueryValueBytes
};

// A target in origin-form (RFC 9112, 3.2.1). The segments are views into the text that was parsed.
struct Target {
  std::vector<std::string_view> segments;  // at least one; each is_path_segment()
  std::vector<QueryParameter> query;       // in the order in which they stand
};

// 1 byte or more of RFC 3986's pchar but '%' and ';', and not only dots.
[[nodiscard]] bool is_path_segment(std::string_view segment) noexcept;

// nullopt: the target is no canonical one, so nothing may be sent for it. Otherwise to_text() of
// the result is `raw`, byte for byte.
[[nodiscard]] std::optional<Target> parse_target(std::string_view raw);

[[nodiscard]] std::string to_text(const Target& target);

}  // namespace plimsoll
