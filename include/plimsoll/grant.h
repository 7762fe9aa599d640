// Capability grants: what one run may ask of one HTTP API. A run has no network; a run with a grant
// can send the requests that the grant lists, and no other, and never holds the API's credential.
//
//   auto grant = plimsoll::Grant::build({.base_url = "https://api.example.com",
//                                        .allow = {"GET /v1/orders/*", "GET
//                                        /v1/orders?status&limit"}, .minter =
//                                        *plimsoll::static_token(std::move(bearer))});
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "plimsoll/advice.h"
#include "plimsoll/call_trace.h"
#include "plimsoll/result.h"
#include "plimsoll/token_minter.h"

namespace plimsoll {

struct FrozenGrant;

// The bounds of a grant.
inline constexpr std::uint32_t kDefaultMaxCalls = 256;
inline constexpr std::uint32_t kMaxMaxCalls = 100'000;
inline constexpr std::size_t kMaxRoutes = 2048;
inline constexpr std::size_t kMaxRouteBytes = 2048;
inline constexpr std::size_t kMaxGrantScopes = 64;
inline constexpr std::size_t kMaxPreambleBytes = 524'288;

// Calls of one run that may be under way at once; a further one is answered 429.
inline constexpr unsigned kMaxCallsInFlight = 16;

// Whether an API may stand on a loopback, private or link-local address. An origin whose host is
// loopback itself needs no permission, and reaches nothing else.
enum class PrivateAddresses : std::uint8_t { kRefused, kAllowed };

// What Grant::build() checks.
struct GrantConfig {
  // An origin: scheme, host, optional port. https, unless the host is loopback (localhost,
  // 127.0.0.0/8, [::1]). No user, path, query or fragment.
  std::string base_url{};
  // Routes, "METHOD /path": GET, PUT, POST, DELETE or PATCH; "*" fills exactly one whole segment;
  // "?a&b" admits the named query parameters, each at most once. Empty: nothing may be called.
  std::vector<std::string> allow{};
  // What the minter asks for; tokens without blanks, and neither "code:run" nor "*".
  std::vector<std::string> scopes{};
  // The client's name in JavaScript: an identifier that no built-in has.
  std::string global = "host";
  // JavaScript that is evaluated after the client is there and before the snippet; up to
  // kMaxPreambleBytes.
  std::string preamble{};
  // "GET /path" without "*" and "?": asked once a second whether the API recovered from a 503.
  // Empty: a pause is waited out.
  std::string health_check{};
  // Calls of one run, refused ones as well; 1 to kMaxMaxCalls.
  std::uint32_t max_calls = kDefaultMaxCalls;
  PrivateAddresses private_addresses = PrivateAddresses::kRefused;
  // Routes that the API has besides, spelled as in `allow`. They permit nothing: advice names them.
  std::vector<std::string> catalog{};
  Advice advice = Advice::kOff;
  // Null: requests carry no credential.
  std::shared_ptr<const TokenMinter> minter{};
};

// A grant whose every rule was checked; it never changes. Cheap to copy; safe for concurrent use.
class Grant {
 public:
  // Errors: kInvalidConfig, every mistake named by its field.
  [[nodiscard]] static Result<Grant> build(GrantConfig config);

  [[nodiscard]] const GrantConfig& config() const noexcept;

  // For the broker, whose business FrozenGrant is.
  explicit Grant(std::shared_ptr<const FrozenGrant> frozen) noexcept : frozen_(std::move(frozen)) {}
  [[nodiscard]] const FrozenGrant& frozen() const noexcept { return *frozen_; }

 private:
  std::shared_ptr<const FrozenGrant> frozen_;
};

// Every mistake of `config` as a sentence that starts with the field's name; empty: it is valid.
// Unlike Grant::build() it needs no HTTP library in the program that calls it.
[[nodiscard]] std::vector<std::string> check_grant(const GrantConfig& config);

}  // namespace plimsoll
