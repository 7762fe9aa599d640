#include "grants/profiles_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "base/utf8.h"
#include "broker/frozen_grant.h"
#include "core/wire_names.h"
#include "grants/object_fields.h"
#include "plimsoll/request.h"

namespace plimsoll {
namespace {

constexpr JsonLimits kLimits{.max_bytes = kMaxProfilesBytes, .max_depth = 6, .max_values = 200'000};
// A profile with the longest lists, or with the longest preamble, is one that a file can hold.
static_assert(2 * kMaxRoutes < kLimits.max_values / 2 && kMaxPreambleBytes < kMaxProfilesBytes / 2);
constexpr std::size_t kMaxVariableBytes = 128;
constexpr std::size_t kMaxFileNameBytes = 4096;

constexpr std::array<std::string_view, 14> kProfileFields = {
    "base_url",      "allow",        "allowed_callers",  "scopes",       "catalog",
    "global",        "advice",       "advice_retention", "token",        "preamble",
    "preamble_file", "health_check", "max_calls",        "allow_private"};
constexpr std::array<std::string_view, 9> kTokenFields = {
    "type", "env", "secret_env", "key_file", "alg", "ttl_sec", "issuer", "audience", "key_id"};
constexpr std::array<std::string_view, 3> kAdvice = {"off", "operator", "caller"};
constexpr std::array<std::string_view, 3> kRetention = {"none", "aggregate", "detailed"};
constexpr std::array<std::string_view, 2> kTokenTypes = {"static", "jwt"};
constexpr std::array<std::string_view, 3> kAlgorithms = {"HS256", "ES256", "EdDSA"};

bool is_variable_name(std::string_view name) noexcept {
  const auto fine = [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  return !name.empty() && name.size() <= kMaxVariableBytes && std::ranges::all_of(name, fine) &&
         (name.front() < '0' || name.front() > '9');
}

bool is_file_name(std::string_view name) noexcept {
  return !name.empty() && name.size() <= kMaxFileNameBytes &&
         name.find('\0') == std::string_view::npos;
}

// A field that has to name something.
void read_name(ObjectFields& fields, std::string_view name, bool (*is_name)(std::string_view),
               std::string_view form, std::string& into) {
  if (!fields.has(name)) {
    fields.mistake(name, "is missing");
    return;
  }
  into = fields.text(name);
  if (!is_name(into)) fields.mistake(name, form);
}

constexpr std::string_view kVariableForm =
    "is no name of a variable; capital letters, digits and '_' are accepted";
constexpr std::string_view kFileForm = "is no name of a file";

void refuse(ObjectFields& fields, std::initializer_list<std::string_view> names,
            std::string_view why) {
  for (const std::string_view name : names) {
    if (fields.has(name)) fields.mistake(name, why);
  }
}

void read_jwt(ObjectFields& fields, TokenSpec& token) {
  token.algorithm = static_cast<JwtAlgorithm>(fields.one_of("alg", kAlgorithms));
  if (token.algorithm == JwtAlgorithm::kHs256) {
    read_name(fields, "secret_env", is_variable_name, kVariableForm, token.secret_env);
    refuse(fields, {"key_file"}, "is not for HS256; secret_env is");
  } else {
    read_name(fields, "key_file", is_file_name, kFileForm, token.key_file);
    refuse(fields, {"secret_env"}, "is for HS256 only; key_file is needed");
  }
  token.ttl = std::chrono::seconds(fields.integer("ttl_sec", 1, kMaxTokenTtl.count(), 60));
  const auto not_empty = [](std::string_view text) { return !text.empty() && text.size() <= 1024; };
  constexpr std::string_view kClaimForm = "is no claim; 1 to 1024 bytes are accepted";
  read_name(fields, "audience", not_empty, kClaimForm, token.audience);
  for (const auto& [name, into] :
       {std::pair<std::string_view, std::string*>("issuer", &token.issuer),
        {"key_id", &token.key_id}}) {
    if (fields.has(name)) read_name(fields, name, not_empty, kClaimForm, *into);
  }
}

TokenSpec read_token(const std::string& place, const JsonValue& value,
                     std::vector<std::string>& mistakes) {
  TokenSpec token;
  ObjectFields fields(place + "token.", value, kTokenFields, mistakes);
  if (value.kind != JsonKind::kObject) return token;
  if (!fields.has("type")) {
    fields.mistake("type", "is missing; static and jwt are accepted");
    return token;
  }
  if (fields.one_of("type", kTokenTypes) == 1) {
    token.type = TokenType::kJwt;
    read_jwt(fields, token);
    refuse(fields, {"env"}, "is for static tokens only");
  } else {
    token.type = TokenType::kStatic;
    read_name(fields, "env", is_variable_name, kVariableForm, token.env);
    refuse(fields, {"secret_env", "key_file", "alg", "ttl_sec", "issuer", "audience", "key_id"},
           "is for jwt only");
  }
  return token;
}

std::vector<std::string> read_callers(ObjectFields& fields) {
  constexpr std::string_view kName = "allowed_callers";
  if (!fields.has(kName)) {
    fields.mistake(kName, "is missing; ids of callers, or '*' for all that are authenticated");
    return {};
  }
  auto callers = fields.texts(kName, kMaxAllowedCallers);
  const JsonValue& value = *fields.find(kName);
  if (value.kind == JsonKind::kArray && value.items.empty()) {
    fields.mistake(kName, "is empty, so nobody could use the profile");
  }
  for (std::size_t i = 0; i < callers.size(); ++i) {
    const std::string& caller = callers[i];
    const auto here = callers.begin() + static_cast<std::ptrdiff_t>(i);
    const std::string place = fmt::format("{}[{}]", kName, i);
    if (caller.empty() || caller.size() > kMaxCallerBytes || !is_valid_utf8(caller)) {
      fields.mistake(place, fmt::format("is no id; 1 to {} bytes are accepted", kMaxCallerBytes));
    } else if (caller == "*" && callers.size() != 1) {
      fields.mistake(place, "is '*', which stands alone");
    } else if (std::find(callers.begin(), here, caller) != here) {
      fields.mistake(place, "repeats a caller");
    }
  }
  return callers;
}

GrantProfile read_profile(const std::string& name, const JsonValue& value,
                          std::vector<std::string>& mistakes) {
  GrantProfile profile{.name = name};
  const std::string place = place_of(profile);
  ObjectFields fields(place, value, kProfileFields, mistakes);
  if (value.kind != JsonKind::kObject) return profile;
  GrantConfig& grant = profile.grant;
  if (!fields.has("base_url")) fields.mistake("base_url", "is missing");
  if (!fields.has("allow")) fields.mistake("allow", "is missing; it may be empty");
  grant.base_url = fields.text("base_url");
  grant.allow = fields.texts("allow", kMaxRoutes);
  grant.scopes = fields.texts("scopes", kMaxGrantScopes);
  grant.global = fields.text("global", "host");
  grant.preamble = fields.text("preamble");
  grant.health_check = fields.text("health_check");
  grant.max_calls =
      static_cast<std::uint32_t>(fields.integer("max_calls", 1, kMaxMaxCalls, kDefaultMaxCalls));
  if (fields.flag("allow_private")) grant.private_addresses = PrivateAddresses::kAllowed;
  grant.catalog = fields.texts("catalog", kMaxRoutes);
  profile.allowed_callers = read_callers(fields);
  grant.advice = static_cast<Advice>(fields.one_of("advice", kAdvice));
  profile.advice_retention =
      static_cast<AdviceRetention>(fields.one_of("advice_retention", kRetention));
  if (const JsonValue* token = fields.find("token")) {
    profile.token = read_token(place, *token, mistakes);
  }
  if (fields.has("preamble_file")) {
    read_name(fields, "preamble_file", is_file_name, kFileForm, profile.preamble_file);
    refuse(fields, {"preamble"}, "and preamble_file exclude each other");
  }
  // That it is missing, or no string, was said already.
  GrantConfig checked = grant;
  const JsonValue* base_url = fields.find("base_url");
  if (base_url == nullptr || base_url->kind != JsonKind::kString) {
    checked.base_url = "https://api.invalid";
  }
  for (const std::string& flaw : check_grant(checked)) mistakes.push_back(place + flaw);
  return profile;
}

}  // namespace

std::string place_of(const GrantProfile& profile) {
  return fmt::format("profile '{}': ", profile.name);
}

ReadProfiles read_profiles(std::string_view json) {
  static constexpr std::array<std::string_view, 1> kNames = {"profiles"};
  ReadProfiles result;
  const auto document = parse_json(json, kLimits);
  if (!document) {
    result.mistakes.push_back("the file " + document.error().message);
    return result;
  }
  const ObjectFields fields("the file ", *document, kNames, result.mistakes);
  const JsonValue* profiles = fields.find("profiles");
  if (profiles == nullptr || profiles->kind != JsonKind::kObject) {
    result.mistakes.emplace_back("the file has no object 'profiles'");
    return result;
  }
  if (profiles->members.size() > kMaxProfiles) {
    result.mistakes.push_back(fmt::format("the file has more than {} profiles", kMaxProfiles));
    return result;
  }
  for (std::size_t i = 0; i < profiles->members.size(); ++i) {
    const auto& [name, value] = profiles->members[i];
    if (!WireName::parse(name)) {
      result.mistakes.push_back(fmt::format(
          "profiles[{}] has a name that is none; letters, digits, '.', '_' and '-' are accepted",
          i));
      continue;
    }
    if (std::ranges::find(result.profiles, name, &GrantProfile::name) != result.profiles.end()) {
      result.mistakes.push_back(fmt::format("profile '{}' is there twice", name));
      continue;
    }
    result.profiles.push_back(read_profile(name, value, result.mistakes));
  }
  return result;
}

}  // namespace plimsoll
