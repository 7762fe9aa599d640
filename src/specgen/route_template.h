// The path of an operation as a route of a grant can have it.
#pragma once

#include <cstddef>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::specgen {

// The bounds of the broker (docs of grants): a longer route is not expressible.
inline constexpr std::size_t kMaxRouteSegments = 64;
inline constexpr std::size_t kMaxRouteQueryNames = 32;
inline constexpr std::size_t kMaxRouteQueryNameBytes = 64;

struct RouteTemplate {
  std::string path;                     // "/v1/orders/*"
  std::vector<std::string> parameters;  // the names within the braces, in their order
};

// `base` is the path of the server, "" or "/v1"; `path` as the document has it: "/orders/{id}".
// The error says why no route expresses it; for people, no full stop.
[[nodiscard]] std::expected<RouteTemplate, std::string> read_route_template(std::string_view base,
                                                                            std::string_view path);

// Whether a route may name this query parameter: 1 to 64 visible ASCII characters that cannot be
// mistaken for syntax.
[[nodiscard]] bool is_query_name(std::string_view name) noexcept;

}  // namespace plimsoll::specgen
