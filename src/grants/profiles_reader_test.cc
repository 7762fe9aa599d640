#include "grants/profiles_reader.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace plimsoll {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// The mistakes of a file with one profile 'p' whose further fields are these.
std::vector<std::string> mistakes_of(std::string_view fields) {
  return read_profiles(fmt::format(R"({{"profiles":{{"p":{{"base_url":"https://api.example.com",)"
                                   R"("allow":["GET /a"],"allowed_callers":["ann"]{}{}}}}}}})",
                                   fields.empty() ? "" : ",", fields))
      .mistakes;
}

TEST(ProfilesReader, ReadsEveryField) {
  const auto [profiles, mistakes] = read_profiles(R"({"profiles": {"orders.v1": {
      "base_url": "https://api.example.com:8443",
      "allow": ["GET /v1/orders/*", "GET /v1/orders?status"],
      "allowed_callers": ["ann", "bob"],
      "scopes": ["orders:read"],
      "catalog": ["GET /v1/orders/*", "POST /v1/orders"],
      "global": "orders",
      "advice": "caller",
      "advice_retention": "detailed",
      "token": {"type": "jwt", "alg": "ES256", "key_file": "key.pem", "ttl_sec": 30,
                "issuer": "us", "audience": "them", "key_id": "k"},
      "preamble": "orders.x = 1;",
      "health_check": "GET /health",
      "max_calls": 1000,
      "allow_private": true}}})");
  ASSERT_THAT(mistakes, IsEmpty());
  ASSERT_EQ(profiles.size(), 1U);
  const GrantProfile& profile = profiles[0];
  EXPECT_EQ(profile.name, "orders.v1");
  EXPECT_EQ(profile.grant.base_url, "https://api.example.com:8443");
  EXPECT_THAT(profile.grant.allow, ElementsAre("GET /v1/orders/*", "GET /v1/orders?status"));
  EXPECT_THAT(profile.allowed_callers, ElementsAre("ann", "bob"));
  EXPECT_THAT(profile.grant.scopes, ElementsAre("orders:read"));
  EXPECT_EQ(profile.grant.catalog.size(), 2U);
  EXPECT_EQ(profile.grant.global, "orders");
  EXPECT_EQ(profile.grant.advice, Advice::kCaller);
  EXPECT_EQ(profile.advice_retention, AdviceRetention::kDetailed);
  EXPECT_EQ(profile.token.type, TokenType::kJwt);
  EXPECT_EQ(profile.token.algorithm, JwtAlgorithm::kEs256);
  EXPECT_EQ(profile.token.key_file, "key.pem");
  EXPECT_EQ(profile.token.ttl, std::chrono::seconds(30));
  EXPECT_EQ(profile.token.issuer, "us");
  EXPECT_EQ(profile.token.audience, "them");
  EXPECT_EQ(profile.token.key_id, "k");
  EXPECT_EQ(profile.grant.preamble, "orders.x = 1;");
  EXPECT_EQ(profile.grant.health_check, "GET /health");
  EXPECT_EQ(profile.grant.max_calls, 1000U);
  EXPECT_EQ(profile.grant.private_addresses, PrivateAddresses::kAllowed);
}

TEST(ProfilesReader, WhatIsLeftOutHasItsDefault) {
  const auto [profiles, mistakes] = read_profiles(
      R"({"profiles":{"p":{"base_url":"https://a.example","allow":[],"allowed_callers":["*"]}}})");
  ASSERT_THAT(mistakes, IsEmpty());
  const GrantProfile& profile = profiles.at(0);
  EXPECT_EQ(profile.grant.global, "host");
  EXPECT_EQ(profile.grant.max_calls, 256U);
  EXPECT_EQ(profile.grant.private_addresses, PrivateAddresses::kRefused);
  EXPECT_EQ(profile.token.type, TokenType::kNone);
  EXPECT_EQ(profile.grant.advice, Advice::kOff);
  EXPECT_EQ(profile.advice_retention, AdviceRetention::kNone);
  EXPECT_TRUE(profile.permits_everybody());
  EXPECT_THAT(read_profiles(R"({"profiles":{}})").mistakes, IsEmpty());
}

TEST(ProfilesReader, EveryMistakeIsNamedAtOnceByProfileAndField) {
  const auto [profiles, mistakes] = read_profiles(R"({"profiles": {
      "one": {"base_url": "http://api.example.com", "allow": ["GET /a", "nonsense"],
              "allowed_callers": [], "max_calls": 0, "surprise": 1},
      "two": {"allow": [], "allowed_callers": ["ann"], "global": "Promise"},
      "bad name": {}}})");
  const auto has = [&](std::string_view start) {
    return std::ranges::any_of(mistakes,
                               [&](const std::string& one) { return one.starts_with(start); });
  };
  for (const std::string_view start :
       {"profile 'one': base_url is http", "profile 'one': allow[1] is no route",
        "profile 'one': allowed_callers is empty", "profile 'one': max_calls is no whole number",
        "profile 'one': has the unknown field 'surprise'", "profile 'two': base_url is missing",
        "profile 'two': global is no name", "profiles[2] has a name that is none"}) {
    EXPECT_TRUE(has(start)) << start << " is not among\n"
                            << fmt::format("{}", fmt::join(mistakes, "\n"));
  }
}

TEST(ProfilesReader, WrongValues) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {R"("allow": ["GET /b"])", "profile 'p': allow is there twice"},
      {R"("global": "constructor")", "profile 'p': global is no name"},
      {R"("global": "__proto__")", "profile 'p': global is no name"},
      {R"("global": 7)", "profile 'p': global is a number"},
      {R"("scopes": ["code:run"])", "profile 'p': scopes[0] is no scope"},
      {R"("scopes": ["*"])", "profile 'p': scopes[0] is no scope"},
      {R"("scopes": ["a b"])", "profile 'p': scopes[0] is no scope"},
      {R"("scopes": ["a", "a"])", "profile 'p': scopes[1] repeats"},
      {R"("scopes": "a")", "profile 'p': scopes is a string"},
      {R"("catalog": ["GET /b/"])", "profile 'p': catalog[0] has an empty segment"},
      {R"("advice": "all")", "profile 'p': advice is none of off, operator, caller"},
      {R"("advice_retention": true)", "profile 'p': advice_retention is none of"},
      {R"("health_check": "GET /a/*")", "profile 'p': health_check is no concrete"},
      {R"("health_check": "POST /a")", "profile 'p': health_check is no concrete"},
      {R"("health_check": "GET /a?x")", "profile 'p': health_check is no concrete"},
      {R"("max_calls": 100001)", "profile 'p': max_calls is no whole number of 1 to 100000"},
      {R"("max_calls": 1.5)", "profile 'p': max_calls is no whole number"},
      {R"("max_calls": "9")", "profile 'p': max_calls is no whole number"},
      {R"("max_calls": 18446744073709551617)", "profile 'p': max_calls is no whole number"},
      {R"("allow_private": 1)", "profile 'p': allow_private is a number"},
      {R"("preamble": "x", "preamble_file": "x.js")", "profile 'p': preamble and preamble_file"},
      {R"("preamble_file": "")", "profile 'p': preamble_file is no name"},
      {R"("preamble_file": "a\u0000b")", "profile 'p': preamble_file is no name"},
      {R"("token": [])", "profile 'p': token.is an array"},
      {R"("token": {})", "profile 'p': token.type is missing"},
      {R"("token": {"type": "basic"})", "profile 'p': token.type is none of static, jwt"},
      {R"("token": {"type": "static"})", "profile 'p': token.env is missing"},
      {R"("token": {"type": "static", "env": "A B"})", "profile 'p': token.env is no name"},
      {R"("token": {"type": "static", "env": "lower"})", "profile 'p': token.env is no name"},
      {R"("token": {"type": "static", "env": "A", "alg": "HS256"})",
       "profile 'p': token.alg is for"},
      {R"("token": {"type": "jwt", "secret_env": "A"})", "profile 'p': token.audience is missing"},
      {R"("token": {"type": "jwt", "audience": "a"})", "profile 'p': token.secret_env is missing"},
      {R"("token": {"type": "jwt", "audience": "a", "alg": "none", "secret_env": "A"})",
       "profile 'p': token.alg is none of HS256, ES256, EdDSA"},
      {R"("token": {"type": "jwt", "audience": "a", "alg": "ES256", "secret_env": "A"})",
       "profile 'p': token.key_file is missing"},
      {R"("token": {"type": "jwt", "audience": "a", "secret_env": "A", "key_file": "k"})",
       "profile 'p': token.key_file is not for HS256"},
      {R"("token": {"type": "jwt", "audience": "a", "secret_env": "A", "ttl_sec": 0})",
       "profile 'p': token.ttl_sec is no whole number of 1 to 3600"},
      {R"("token": {"type": "jwt", "audience": "", "secret_env": "A"})",
       "profile 'p': token.audience is no claim"},
      {R"("token": {"type": "jwt", "audience": "a", "secret_env": "A", "issuer": ""})",
       "profile 'p': token.issuer is no claim"},
      {R"("token": {"type": "jwt", "audience": "a", "secret_env": "A", "env": "B"})",
       "profile 'p': token.env is for static"},
  };
  for (const auto& [fields, mistake] : cases) {
    EXPECT_THAT(mistakes_of(fields), testing::Contains(testing::StartsWith(std::string(mistake))))
        << fields;
  }
  EXPECT_THAT(mistakes_of(""), IsEmpty());
}

TEST(ProfilesReader, WhoMayUseAProfileIsSaidAlways) {
  const auto mistakes = [](std::string_view callers) {
    return read_profiles(
               fmt::format(
                   R"({{"profiles":{{"p":{{"base_url":"https://a.example","allow":[]{}}}}}}})",
                   callers))
        .mistakes;
  };
  EXPECT_THAT(mistakes(""), ElementsAre(HasSubstr("allowed_callers is missing")));
  EXPECT_THAT(mistakes(R"(,"allowed_callers":[])"), ElementsAre(HasSubstr("is empty")));
  EXPECT_THAT(mistakes(R"(,"allowed_callers":["*","ann"])"),
              ElementsAre(HasSubstr("stands alone")));
  EXPECT_THAT(mistakes(R"(,"allowed_callers":["ann","ann"])"), ElementsAre(HasSubstr("repeats")));
  EXPECT_THAT(mistakes(R"(,"allowed_callers":[""])"), ElementsAre(HasSubstr("is no id")));
  EXPECT_THAT(mistakes(R"(,"allowed_callers":"*")"), ElementsAre(HasSubstr("is a string")));

  const GrantProfile some{.allowed_callers = {"ann"}};
  EXPECT_TRUE(some.permits("ann"));
  EXPECT_FALSE(some.permits("Ann"));
  EXPECT_FALSE(some.permits("*"));
  EXPECT_FALSE(some.permits(""));
  const GrantProfile all{.allowed_callers = {"*"}};
  EXPECT_TRUE(all.permits("ann"));
  EXPECT_FALSE(all.permits("")) << "nobody was authenticated";
}

TEST(ProfilesReader, WhatIsNoProfilesFile) {
  for (const std::string_view json :
       {"", "{}", "[]", "null", R"({"profiles":[]})", R"({"profiles":{}} {})",
        R"({"profiles":{},})", R"({"profiles":{},"x":1})", R"({"profiles":{},"profiles":{}})",
        R"({"profiles":{"p":1}})", R"({"profiles":{"":{}}})", R"({"profiles":{"a/b":{}}})"}) {
    EXPECT_THAT(read_profiles(json).mistakes, Not(IsEmpty())) << json;
  }
  const auto twice = read_profiles(
      R"({"profiles":{"p":{"base_url":"https://a.example","allow":[],"allowed_callers":["*"]},)"
      R"("p":{"base_url":"https://b.example","allow":[],"allowed_callers":["*"]}}})");
  EXPECT_THAT(twice.mistakes, ElementsAre("profile 'p' is there twice"));
}

TEST(ProfilesReader, NoValueIsShown) {
  constexpr std::string_view kSecret = "hunter2hunter2";
  for (const std::string_view fields :
       {R"("hunter2hunter2hunter2hunter2": 1)", R"("max_calls": "hunter2hunter2")",
        R"("token": "hunter2hunter2")", R"("token": {"type": "hunter2hunter2"})",
        R"("token": {"type": "static", "env": "hunter2hunter2"})",
        R"("health_check": "hunter2hunter2")", R"("scopes": ["hunter2 hunter2hunter2"])",
        R"("preamble_file": ["hunter2hunter2"])", R"("global": "hunter2hunter2-")"}) {
    const auto mistakes = mistakes_of(fields);
    EXPECT_THAT(mistakes, Not(IsEmpty())) << fields;
    for (const std::string& one : mistakes) EXPECT_THAT(one, Not(HasSubstr(std::string(kSecret))));
  }
}

}  // namespace
}  // namespace plimsoll
