#include "broker/target.h"

#include <algorithm>
#include <utility>

#include "broker/percent.h"

namespace plimsoll {
namespace {

constexpr std::string_view kSubDelims = "!$&'()*+,=";  // RFC 3986, 2.2, but ';'

bool is_path_byte(char c) noexcept {
  return is_unreserved(c) || kSubDelims.find(c) != std::string_view::npos || c == ':' || c == '@';
}

// Splits at every `at`; "a//b" has an empty part.
std::optional<std::vector<std::string_view>> split(std::string_view text, char at,
                                                   std::size_t most) {
  std::vector<std::string_view> parts;
  while (true) {
    if (parts.size() == most) return std::nullopt;
    const auto end = text.find(at);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::optional<QueryParameter> parse_parameter(std::string_view text) {
  const auto equals = text.find('=');
  if (equals == std::string_view::npos) return std::nullopt;
  auto name = percent_decode(text.substr(0, equals));
  auto value = percent_decode(text.substr(equals + 1));
  if (!name || !value || name->empty() || value->empty()) return std::nullopt;
  if (value->size() > kMaxQueryValueBytes) return std::nullopt;
  return QueryParameter{.name = std::move(*name), .value = std::move(*value)};
}

}  // namespace

bool is_path_segment(std::string_view segment) noexcept {
  return !segment.empty() && std::ranges::all_of(segment, is_path_byte) &&
         segment.find_first_not_of('.') != std::string_view::npos;
}

std::optional<Target> parse_target(std::string_view raw) {
  if (raw.empty() || raw.size() > kMaxMatchedTargetBytes || raw[0] != '/') return std::nullopt;
  const auto question = raw.find('?');
  auto segments = split(raw.substr(1, question == std::string_view::npos ? question : question - 1),
                        '/', kMaxSegments);
  if (!segments || !std::ranges::all_of(*segments, is_path_segment)) return std::nullopt;

  Target target{.segments = std::move(*segments), .query = {}};
  if (question != std::string_view::npos) {
    const auto parts = split(raw.substr(question + 1), '&', kMaxQueryParameters);
    if (!parts) return std::nullopt;
    for (const std::string_view part : *parts) {
      auto parameter = parse_parameter(part);
      if (!parameter) return std::nullopt;
      target.query.push_back(std::move(*parameter));
    }
  }
  // The last word: what we understood is what stands there.
  if (to_text(target) != raw) return std::nullopt;
  return target;
}

std::string to_text(const Target& target) {
  std::string text;
  for (const std::string_view segment : target.segments) {
    text += '/';
    text += segment;
  }
  char separator = '?';
  for (const QueryParameter& parameter : target.query) {
    text += separator;
    text += percent_encode(parameter.name);
    text += '=';
    text += percent_encode(parameter.value);
    separator = '&';
  }
  return text;
}

}  // namespace plimsoll
