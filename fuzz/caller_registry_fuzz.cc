// The caller registry: whatever is accepted keeps its invariants and reads back as itself; whatever
// is not has an error of visible ASCII that quotes no long piece of the input.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "auth/caller_registry.h"
#include "require.h"

namespace {

using plimsoll::CallerRegistry;
using plimsoll::fuzz::require;

constexpr std::size_t kLongPiece = 26;  // more than an unknown field's name may be shown

// No run of bytes that could be a token is in the message.
void check_error(std::string_view input, std::string_view message) {
  require(!message.empty(), "an error has a message");
  require(std::ranges::all_of(message, [](char c) { return c >= 0x20 && c < 0x7F; }), "one line");
  for (std::size_t at = 0; at + kLongPiece <= input.size() && at < 4096; ++at) {
    const std::string_view piece = input.substr(at, kLongPiece);
    if (piece.find_first_of(" '\"[]{},;:\n") != std::string_view::npos) continue;
    require(message.find(piece) == std::string_view::npos, "no content in an error");
  }
}

void check_registry(const CallerRegistry& registry) {
  std::set<std::string> ids;
  std::set<std::string> tokens;
  for (const plimsoll::RegisteredCaller& caller : registry.callers()) {
    require(plimsoll::is_caller_id(caller.id), "ids are ids");
    require(ids.insert(caller.id).second, "ids are unique");
    require(tokens.insert(caller.token.hex()).second, "tokens are unique");
    require(!caller.scopes.empty(), "a caller has a scope");
    require(std::ranges::all_of(caller.scopes, plimsoll::is_scope), "scopes are scopes");
    const std::set<std::string> scopes(caller.scopes.begin(), caller.scopes.end());
    require(scopes.size() == caller.scopes.size(), "scopes are unique");
  }
  const std::string json = registry.to_json();
  const auto again = CallerRegistry::parse(json);
  require(again && again->to_json() == json, "reads back as itself");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const auto registry = CallerRegistry::parse(input);
  if (registry) {
    check_registry(*registry);
  } else {
    check_error(input, registry.error().message);
  }
  return 0;
}
