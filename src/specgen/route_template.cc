#include "specgen/route_template.h"

#include <fmt/format.h>

#include <algorithm>

#include "specgen/diagnostics.h"

namespace plimsoll::specgen {
namespace {

using Flaw = std::unexpected<std::string>;

// RFC 3986's pchar without '%', ';' and '*': what a route may say literally.
bool is_literal_byte(char c) {
  static constexpr std::string_view kMarks = "-._~!$&'()+,=:@";
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
         kMarks.find(c) != std::string_view::npos;
}

std::expected<void, std::string> add_segment(std::string_view segment, RouteTemplate& route) {
  if (segment.empty()) {
    return Flaw("its path has an empty segment or a trailing slash, which no route has");
  }
  route.path += '/';
  const bool braces = segment.find_first_of("{}") != std::string_view::npos;
  if (braces) {
    const std::string_view name = segment.substr(1, segment.size() - 2);
    const bool whole = segment.size() > 2 && segment.front() == '{' && segment.back() == '}' &&
                       name.find_first_of("{}") == std::string_view::npos;
    if (!whole) {
      return Flaw(
          fmt::format("its path has a parameter that is a part of the segment {}; a '*' "
                      "fills a whole one",
                      quoted(segment)));
    }
    route.path += '*';
    route.parameters.emplace_back(name);
    return {};
  }
  if (segment.find_first_not_of('.') == std::string_view::npos) {
    return Flaw("its path has a segment of dots alone");
  }
  if (!std::ranges::all_of(segment, is_literal_byte)) {
    return Flaw(fmt::format("its path has the segment {}, which is not sent as it stands",
                            quoted(segment)));
  }
  route.path += segment;
  return {};
}

}  // namespace

std::expected<RouteTemplate, std::string> read_route_template(std::string_view base,
                                                              std::string_view path) {
  if (!path.starts_with('/')) return Flaw("its path does not start with a slash");
  std::string whole(base);
  whole += path;
  RouteTemplate route;
  std::size_t segments = 0;
  for (std::string_view rest = whole; !rest.empty();) {
    rest.remove_prefix(1);
    const std::size_t end = std::min(rest.find('/'), rest.size());
    if (auto added = add_segment(rest.substr(0, end), route); !added) return Flaw(added.error());
    if (++segments > kMaxRouteSegments) {
      return Flaw(fmt::format("its path has more than {} segments", kMaxRouteSegments));
    }
    rest.remove_prefix(end);
  }
  return route;
}

bool is_query_name(std::string_view name) noexcept {
  static constexpr std::string_view kRefused = "&=#%;\\?*\"<>^`{|}";
  return !name.empty() && name.size() <= kMaxRouteQueryNameBytes &&
         std::ranges::all_of(name, [](char c) {
           return c > 0x20 && c < 0x7F && kRefused.find(c) == std::string_view::npos;
         });
}

}  // namespace plimsoll::specgen
