#include "broker/route.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "plimsoll/grant.h"

namespace plimsoll {
namespace {

constexpr std::array<std::string_view, 5> kMethods = {"GET", "PUT", "POST", "DELETE", "PATCH"};

using Flaw = std::optional<std::string>;

Flaw flaw_of_segment(std::string_view segment) {
  if (segment == "*") return std::nullopt;
  if (segment.empty()) {
    return "has an empty segment or a trailing slash; '/a/b' is the form that is accepted";
  }
  if (segment.find('*') != std::string_view::npos) {
    return "has a '*' inside of a segment; it fills exactly one whole segment";
  }
  if (segment.find_first_not_of('.') == std::string_view::npos) {
    return "has a segment of dots alone; readers disagree on what it means";
  }
  if (is_path_segment(segment)) return std::nullopt;
  return "has a byte that is not sent as it stands; letters, digits and -._~!$&'()+,=:@ are "
         "accepted in a segment";
}

Flaw flaw_of_name(std::string_view name) {
  // What a query would be cut at, or what has two spellings.
  static constexpr std::string_view kRefused = "&=#%;\\?*\"<>^`{|}";
  const auto fine = [](char c) {
    return c > 0x20 && c < 0x7F && kRefused.find(c) == std::string_view::npos;
  };
  if (!name.empty() && name.size() <= kMaxQueryNameBytes && std::ranges::all_of(name, fine)) {
    return std::nullopt;
  }
  return fmt::format(
      "has a query parameter without a proper name; 1 to {} visible ASCII characters "
      "but {} are accepted, decoded",
      kMaxQueryNameBytes, kRefused);
}

template <class Part>
Flaw split_into(std::string_view text, char at, std::vector<std::string>& parts, Part flaw_of) {
  while (true) {
    const auto end = text.find(at);
    const std::string_view part = text.substr(0, end);
    if (auto flaw = flaw_of(part)) return flaw;
    parts.emplace_back(part);
    if (end == std::string_view::npos) return std::nullopt;
    text.remove_prefix(end + 1);
  }
}

}  // namespace

std::expected<Route, std::string> Route::parse(std::string_view text) {
  if (text.size() > kMaxRouteBytes) {
    return std::unexpected(fmt::format("has more than {} bytes", kMaxRouteBytes));
  }
  Route route;
  const auto blank = text.find(' ');
  const std::string_view method = text.substr(0, blank);
  if (blank == std::string_view::npos || std::ranges::find(kMethods, method) == kMethods.end()) {
    return std::unexpected(
        fmt::format("is no route; 'METHOD /path' with {} is accepted", fmt::join(kMethods, ", ")));
  }
  const std::string_view target = text.substr(blank + 1);
  if (!target.starts_with('/')) {
    return std::unexpected(std::string("has no absolute path; 'METHOD /path' is accepted"));
  }
  const auto question = target.find('?');
  route.method_ = method;
  route.template_ = target;
  route.path_ = target.substr(0, question);
  auto flaw =
      split_into(std::string_view(route.path_).substr(1), '/', route.segments_, flaw_of_segment);
  if (!flaw && route.segments_.size() > kMaxSegments) {
    flaw = fmt::format("has more than {} segments", kMaxSegments);
  }
  if (!flaw && question != std::string_view::npos) {
    flaw = split_into(target.substr(question + 1), '&', route.names_, flaw_of_name);
    if (!flaw && route.names_.size() > kMaxQueryParameters) {
      flaw = fmt::format("has more than {} query parameters", kMaxQueryParameters);
    }
  }
  if (flaw) return std::unexpected(std::move(*flaw));
  for (const std::string& name : route.names_) {
    if (std::ranges::count(route.names_, name) > 1) {
      return std::unexpected(fmt::format("names the query parameter '{}' twice", name));
    }
  }
  route.wildcards_ = static_cast<std::size_t>(std::ranges::count(route.segments_, "*"));
  return route;
}

bool Route::permits(std::string_view method, const Target& target) const {
  if (method != method_ || target.segments.size() != segments_.size()) return false;
  for (std::size_t i = 0; i < segments_.size(); ++i) {
    if (segments_[i] != "*" && segments_[i] != target.segments[i]) return false;
  }
  for (std::size_t i = 0; i < target.query.size(); ++i) {
    const std::string& name = target.query[i].name;
    if (std::ranges::find(names_, name) == names_.end()) return false;
    const auto later = target.query.begin() + static_cast<std::ptrdiff_t>(i) + 1;
    if (std::find_if(later, target.query.end(), [&](const QueryParameter& one) {
          return one.name == name;
        }) != target.query.end()) {
      return false;  // twice: one reader takes the first, another the last
    }
  }
  return true;
}

}  // namespace plimsoll
