#include "auth/caller_registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "auth/registry_reader.h"
#include "base/json_text.h"
#include "base/utf8.h"
#include "core/mistakes.h"
#include "plimsoll/request.h"

namespace plimsoll {
namespace {

// A file that is wrong throughout is told by its first mistakes.
constexpr std::size_t kMaxToldMistakes = 50;

std::unexpected<Error> refused(std::string message) {
  return std::unexpected(Error{.code = ErrorCode::kInvalidRequest,
                               .message = std::move(message),
                               .not_dispatched = NotDispatchedReason::kRequest});
}

}  // namespace

bool is_caller_id(std::string_view id) noexcept {
  return !id.empty() && id.size() <= kMaxCallerBytes && is_valid_utf8(id);
}

bool is_scope(std::string_view scope) noexcept {
  const auto allowed = [](char c) { return c > 0x20 && c < 0x7F && c != '"' && c != '\\'; };
  return !scope.empty() && scope.size() <= kMaxScopeBytes && scope != "*" &&
         std::ranges::all_of(scope, allowed);
}

Result<CallerRegistry> CallerRegistry::parse(std::string_view json) {
  ReadRegistry read = read_registry(json);
  if (read.mistakes.empty()) {
    CallerRegistry registry;
    registry.callers_ = std::move(read.callers);
    return registry;
  }
  Mistakes mistakes;
  for (std::size_t i = 0; i < std::min(read.mistakes.size(), kMaxToldMistakes); ++i) {
    mistakes.add(read.mistakes[i]);
  }
  if (read.mistakes.size() > kMaxToldMistakes) {
    mistakes.add(fmt::format("and {} more mistakes", read.mistakes.size() - kMaxToldMistakes));
  }
  return std::unexpected(
      mistakes.to_error(ErrorCode::kInvalidConfig, NotDispatchedReason::kEnvironment));
}

const RegisteredCaller* CallerRegistry::find(std::string_view id) const noexcept {
  const auto found = std::ranges::find(callers_, id, &RegisteredCaller::id);
  return found == callers_.end() ? nullptr : &*found;
}

std::string CallerRegistry::to_json() const {
  std::string text = "{\n  \"clients\": [";
  std::string_view separator = "\n";
  for (const RegisteredCaller& caller : callers_) {
    std::string scopes;
    for (const std::string& scope : caller.scopes) {
      if (!scopes.empty()) scopes += ", ";
      append_json_string(scopes, scope);
    }
    text += separator;
    text += fmt::format(R"(    {{"id": {}, "token_sha256": "{}", "scopes": [{}]}})",
                        json_string(caller.id), caller.token.hex(), scopes);
    separator = ",\n";
  }
  text += callers_.empty() ? "]\n}\n" : "\n  ]\n}\n";
  return text;
}

Result<CallerRegistry> CallerRegistry::with(RegisteredCaller caller) const {
  if (!is_caller_id(caller.id)) {
    return refused(
        fmt::format("the id is none; 1 to {} bytes of UTF-8 are accepted", kMaxCallerBytes));
  }
  if (find(caller.id) != nullptr) {
    return refused(fmt::format("there is a caller {} already", json_string(caller.id)));
  }
  if (caller.scopes.empty() || caller.scopes.size() > kMaxScopes) {
    return refused(fmt::format("1 to {} scopes are accepted", kMaxScopes));
  }
  for (const std::string& scope : caller.scopes) {
    if (!is_scope(scope)) return refused(fmt::format("a scope is none; {}", kScopeForm));
    if (std::ranges::count(caller.scopes, scope) > 1) {
      return refused(fmt::format("the scope {} is given twice", scope));
    }
  }
  for (const RegisteredCaller& other : callers_) {
    if (other.token.matches(caller.token)) {
      return refused(fmt::format("the caller {} has this token", json_string(other.id)));
    }
  }
  if (callers_.size() == kMaxCallers) {
    return refused(fmt::format("there are {} callers, the most that is accepted", kMaxCallers));
  }
  CallerRegistry changed = *this;
  changed.callers_.push_back(std::move(caller));
  return changed;
}

Result<CallerRegistry> CallerRegistry::with_token(std::string_view id,
                                                  const TokenFingerprint& token) const {
  CallerRegistry changed = *this;
  const auto found = std::ranges::find(changed.callers_, id, &RegisteredCaller::id);
  if (found == changed.callers_.end()) {
    return refused(fmt::format("there is no caller {}", json_string(id)));
  }
  for (const RegisteredCaller& other : callers_) {
    if (other.token.matches(token)) {
      return refused(fmt::format("the caller {} has this token", json_string(other.id)));
    }
  }
  found->token = token;
  return changed;
}

Result<CallerRegistry> CallerRegistry::without(std::string_view id) const {
  CallerRegistry changed = *this;
  if (std::erase_if(changed.callers_, [&](const auto& caller) { return caller.id == id; }) == 0) {
    return refused(fmt::format("there is no caller {}", json_string(id)));
  }
  return changed;
}

}  // namespace plimsoll
