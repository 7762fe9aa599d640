// The JSON files: what the broker enforces.
#include <algorithm>
#include <array>
#include <ostream>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "plimsoll/grant.h"
#include "specgen/emitters.h"
#include "specgen/text.h"

namespace plimsoll::specgen {
namespace {

using Json = nlohmann::ordered_json;

struct Names {
  Artifact artifact;
  std::string_view name;
  std::string_view file;
};
constexpr std::array kNames = {
    Names{Artifact::kGrants, "grants", "grants.json"},
    Names{Artifact::kAllow, "allow", "allow.json"},
    Names{Artifact::kPreamble, "preamble", "preamble.js"},
    Names{Artifact::kDescription, "description", "description.txt"},
    Names{Artifact::kCatalog, "catalog", "catalog.json"},
    Names{Artifact::kHealth, "health", "health_check.txt"},
    Names{Artifact::kTypes, "types", "types.d.ts"},
};

const Names& names_of(Artifact artifact) {
  return *std::ranges::find(kNames, artifact, &Names::artifact);
}

Json lines(const Api& api, Which which) {
  Json list = Json::array();
  for (const Route& route : routes_of(api, which)) list.push_back(route.text());
  return list;
}

void write(const Json& json, std::ostream& out) { out << json.dump(2, ' ', true) << '\n'; }

// A grant's origin is https, but for loopback.
std::string base_url(const Api& api) {
  static constexpr std::string_view kPlain = "http://";
  std::string url = api.server.origin.empty() ? std::string(kNoOrigin) : api.server.origin;
  if (url.starts_with(kPlain) && !is_loopback_origin(url))
    url.replace(0, kPlain.size(), "https://");
  return url;
}

// A profile's name: the words of the title, joined by '-'.
std::string profile_name(std::string_view title) {
  std::string name;
  bool gap = false;
  for (const char c : title) {
    const bool upper = c >= 'A' && c <= 'Z';
    if (!upper && !(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9')) {
      gap = true;
      continue;
    }
    if (gap && !name.empty()) name += '-';
    gap = false;
    name += upper ? static_cast<char>(c - 'A' + 'a') : c;
    if (name.size() >= 48) break;
  }
  return name.empty() ? "api" : name;
}

}  // namespace

std::string_view to_string(Artifact artifact) noexcept { return names_of(artifact).name; }
std::string_view file_name(Artifact artifact) noexcept { return names_of(artifact).file; }

std::optional<Artifact> artifact_of(std::string_view name) noexcept {
  const auto* found = std::ranges::find(kNames, name, &Names::name);
  return found == kNames.end() ? std::nullopt : std::optional(found->artifact);
}

bool is_loopback_origin(std::string_view origin) noexcept {
  origin.remove_prefix(std::min(origin.find("://") + 3, origin.size()));
  const bool bracketed = origin.starts_with('[');
  const std::string_view host =
      origin.substr(0, bracketed ? origin.find(']') + 1 : origin.find(':'));
  return host == "localhost" || host == "[::1]" ||
         (host.starts_with("127.") &&
          host.find_first_not_of("0123456789.") == std::string_view::npos);
}

void emit_allow(const Api& api, Which which, std::ostream& out) { write(lines(api, which), out); }

void emit_health(const Api& api, std::ostream& out) {
  if (api.health_check) out << *api.health_check << '\n';
}

void emit_grants(const Api& api, const EmitOptions& options, std::ostream& out) {
  Json profile;
  profile["base_url"] = base_url(api);
  profile["allow"] = lines(api, Which::kSelected);
  profile["allowed_callers"] = Json::array({kNobody});
  Json catalog = lines(api, Which::kAll);
  if (catalog.size() <= kMaxRoutes) profile["catalog"] = std::move(catalog);
  profile["global"] = options.global;
  profile["preamble_file"] = file_name(Artifact::kPreamble);
  if (api.health_check) profile["health_check"] = *api.health_check;
  Json grants;
  grants["profiles"][profile_name(api.title)] = std::move(profile);
  write(grants, out);
}

void emit(Artifact artifact, const Api& api, Refs& refs, const EmitOptions& options,
          std::ostream& out) {
  switch (artifact) {
    case Artifact::kGrants:
      return emit_grants(api, options, out);
    case Artifact::kAllow:
      return emit_allow(api, Which::kSelected, out);
    case Artifact::kPreamble:
      return emit_preamble(api, options, out);
    case Artifact::kDescription:
      return emit_description(api, refs, options, out);
    case Artifact::kCatalog:
      return emit_allow(api, Which::kAll, out);
    case Artifact::kHealth:
      return emit_health(api, out);
    case Artifact::kTypes:
      return emit_types(api, refs, options, out);
  }
}

}  // namespace plimsoll::specgen
