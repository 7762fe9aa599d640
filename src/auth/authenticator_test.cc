#include "auth/authenticator.h"

#include <gtest/gtest.h>

#include <type_traits>

namespace plimsoll {
namespace {

using Fields = std::vector<std::string_view>;

// The caller, or why there is none.
std::string who(const Authenticator& authenticator, const Fields& fields) {
  const auto authenticated = authenticator.authenticate(fields);
  return authenticated ? authenticated->caller() : std::string(to_string(authenticated.error()));
}

Authenticator registered() {
  CallerRegistry registry;
  for (const std::string name : {"ann", "bob", "cid"}) {
    registry = *registry.with({.id = name,
                               .token = TokenFingerprint::of(name + "'s-token"),
                               .scopes = {name == "cid" ? "other" : "code:run"}});
  }
  return Authenticator::with_registry(registry);
}

// Only the functions that check can make a proof.
static_assert(!std::is_default_constructible_v<Authenticated>);
static_assert(!std::is_constructible_v<Authenticated, std::shared_ptr<const RegisteredCaller>>);
static_assert(!std::is_constructible_v<MayRunCode, Authenticated>);

TEST(Authenticator, EachTokenIsItsCallers) {
  const Authenticator authenticator = registered();
  EXPECT_EQ(who(authenticator, {"Bearer ann's-token"}), "ann");
  EXPECT_EQ(who(authenticator, {"bearer  bob's-token "}), "bob");
  EXPECT_EQ(who(authenticator, {"Bearer cid's-token"}), "cid");
}

TEST(Authenticator, EverythingElseIsRefused) {
  const Authenticator authenticator = registered();
  EXPECT_EQ(who(authenticator, {}), "no_credential");
  EXPECT_EQ(who(authenticator, {""}), "no_bearer_token");
  EXPECT_EQ(who(authenticator, {"Basic YW5uOng="}), "no_bearer_token");
  EXPECT_EQ(who(authenticator, {"Bearer ann's-token", "Bearer ann's-token"}), "no_bearer_token");
  EXPECT_EQ(who(authenticator, {"Bearer ann's-toke"}), "unknown_token");
  EXPECT_EQ(who(authenticator, {"Bearer Ann's-token"}), "unknown_token");
  EXPECT_EQ(who(authenticator, {"Bearer " + TokenFingerprint::of("ann's-token").hex()}),
            "unknown_token");
  EXPECT_EQ(who(Authenticator::with_registry({}), {"Bearer x"}), "unknown_token");
}

TEST(Authenticator, OneSharedToken) {
  const auto authenticator = Authenticator::with_shared_token("pass-phrase");
  EXPECT_EQ(who(authenticator, {"Bearer pass-phrase"}), kSharedCaller);
  EXPECT_EQ(who(authenticator, {"Bearer pass-phras"}), "unknown_token");
  EXPECT_EQ(who(authenticator, {}), "no_credential");
  EXPECT_TRUE(may_run_code(*authenticator.authenticate(Fields{"Bearer pass-phrase"})));
}

TEST(Authenticator, InsecureAsksForNothing) {
  const auto authenticator = Authenticator::insecure();
  for (const Fields& fields : {Fields{}, Fields{"Bearer x"}, Fields{"rubbish", "rubbish"}}) {
    EXPECT_EQ(who(authenticator, fields), kInsecureCaller);
  }
  EXPECT_TRUE(may_run_code(*authenticator.authenticate({})));
}

TEST(Authenticator, OnlyTheScopeRunsCode) {
  const Authenticator authenticator = registered();
  const auto ann = authenticator.authenticate(Fields{"Bearer ann's-token"});
  ASSERT_TRUE(ann && may_run_code(*ann));
  EXPECT_EQ(may_run_code(*ann)->caller(), "ann");
  const auto cid = authenticator.authenticate(Fields{"Bearer cid's-token"});
  ASSERT_TRUE(cid);
  EXPECT_FALSE(may_run_code(*cid));
  EXPECT_TRUE(cid->has_scope("other"));
  EXPECT_FALSE(cid->has_scope("othe"));
}

TEST(Authenticator, AProofOutlivesIt) {
  auto authenticated = registered().authenticate(Fields{"Bearer ann's-token"});
  ASSERT_TRUE(authenticated);
  EXPECT_EQ(authenticated->caller(), "ann");
}

}  // namespace
}  // namespace plimsoll
