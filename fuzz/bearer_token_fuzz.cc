// The Authorization field: a token that comes out is one piece of visible ASCII of the field, and
// the field is the scheme, blanks and that token only; the text forms of fingerprints are exact.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "auth/token.h"
#include "require.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using plimsoll::fuzz::require;
  const std::string_view field(reinterpret_cast<const char*>(data), size);
  if (const auto token = plimsoll::bearer_token(field)) {
    require(plimsoll::is_token(*token), "a token is a token");
    require(token->data() >= field.data() &&
                token->data() + token->size() <= field.data() + field.size(),
            "a view into the field");
    require(plimsoll::bearer_token("Bearer " + std::string(*token)) == *token, "reads back");
    std::string rest(field);
    rest.erase(static_cast<std::size_t>(token->data() - field.data()), token->size());
    std::erase_if(rest, [](char c) { return c == ' ' || c == '\t'; });
    require(rest.size() == 6, "the scheme and nothing else");
  }
  if (const auto fingerprint = plimsoll::TokenFingerprint::from_hex(field)) {
    require(field.size() == 64, "64 digits");
    const auto again = plimsoll::TokenFingerprint::from_hex(fingerprint->hex());
    require(again && again->matches(*fingerprint), "reads back as itself");
  }
  return 0;
}
