#include "auth/caller_registry.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

namespace plimsoll {
namespace {

const std::string kA(64, 'a');
const std::string kB(64, 'B');

std::string client(std::string_view id, std::string_view token, std::string_view scopes) {
  return fmt::format(R"({{"id": "{}", "token_sha256": "{}", "scopes": {}}})", id, token, scopes);
}

std::string clients(std::string_view list) { return fmt::format(R"({{"clients": [{}]}})", list); }

const std::string kGood = client("ann", kA, R"(["code:run"])");

// The error, or each caller as "id:scope,scope ".
std::string parsed(std::string_view json) {
  const auto registry = CallerRegistry::parse(json);
  if (!registry) {
    EXPECT_EQ(registry.error().code, ErrorCode::kInvalidConfig);
    return registry.error().message;
  }
  std::string text;
  for (const RegisteredCaller& caller : registry->callers()) {
    text += caller.id + ":" + fmt::format("{}", fmt::join(caller.scopes, ",")) + " ";
  }
  return text;
}

TEST(CallerRegistry, ReadsCallers) {
  EXPECT_EQ(parsed(clients("")), "");
  EXPECT_EQ(parsed(clients(kGood + "," + client("b\\nb", kB, R"(["x:y", "code:run"])"))),
            "ann:code:run b\nb:x:y,code:run ");
  const auto registry =
      CallerRegistry::parse(clients(client("up", std::string(64, 'A'), "[\"a\"]")));
  ASSERT_TRUE(registry);
  EXPECT_EQ(registry->find("up")->token.hex(), kA);
  EXPECT_EQ(registry->find("UP"), nullptr);
}

TEST(CallerRegistry, EveryMistakeHasItsPlace) {
  const std::string kScopes = fmt::format("is no scope; {}", kScopeForm);
  const std::string kNoFingerprint =
      "clients[0] 'token_sha256' is no fingerprint; 64 hex digits are accepted";
  const std::string kNoId = "clients[0] 'id' is no id; a string of 1 to 256 bytes is accepted";
  const std::string kNoScopes =
      "clients[0] 'scopes' is no list of scopes; an array of 1 to 32 is accepted";
  const std::pair<std::string, std::string> cases[] = {
      {"", "the file is not JSON from line 1, column 1 on"},
      {clients(kGood) + "x", "the file is not JSON from line 1, column 137 on"},
      {"[]", "the file is an array; an object is accepted"},
      {"{}", "the file has no 'clients'"},
      {R"({"clients": {}})", "'clients' is an object; an array is accepted"},
      {R"({"clients": [], "version": 1})",
       "the file has the unknown field 'version'; clients are accepted"},
      {R"({"clients": [], "clients": []})", "the file has 'clients' twice"},
      {clients("7"), "clients[0] is a number; an object is accepted"},
      {clients("{}"),
       "clients[0] has no 'id'; clients[0] has no 'token_sha256'; "
       "clients[0] has no 'scopes'"},
      {clients(R"({"id": "a", "id": "a", "token_sha256": ")" + kA + R"(", "scopes": ["s"]})"),
       "clients[0] has 'id' twice"},
      {clients(R"({"id": "a", "name": "x", "token_sha256": ")" + kA + R"(", "scopes": ["s"]})"),
       "clients[0] has the unknown field 'name'; id, token_sha256, scopes are accepted"},
      {clients(client("", kA, R"(["s"])")), kNoId},
      {clients(client(std::string(257, 'x'), kA, R"(["s"])")), kNoId},
      {clients(R"({"id": 7, "token_sha256": ")" + kA + R"(", "scopes": ["s"]})"), kNoId},
      {clients(kGood + "," + client("ann", kB, R"(["s"])")), "clients[1] has the id of clients[0]"},
      {clients(kGood + "," + client("bob", std::string(64, 'A'), R"(["s"])")),
       "clients[1] has the token of clients[0]"},
      {clients(client("a", kA.substr(1), R"(["s"])")), kNoFingerprint},
      {clients(client("a", kA + "a", R"(["s"])")), kNoFingerprint},
      {clients(client("a", "g" + kA.substr(1), R"(["s"])")), kNoFingerprint},
      {clients(client("a", kA, "[]")), kNoScopes},
      {clients(client("a", kA, "\"code:run\"")), kNoScopes},
      {clients(client("a", kA, "null")), kNoScopes},
      {clients(client("a", kA, R"([""])")), "clients[0].scopes[0] " + kScopes},
      {clients(client("a", kA, R"(["code:run", "*"])")), "clients[0].scopes[1] " + kScopes},
      {clients(client("a", kA, R"(["code: run"])")), "clients[0].scopes[0] " + kScopes},
      {clients(client("a", kA, R"([" code:run"])")), "clients[0].scopes[0] " + kScopes},
      {clients(client("a", kA, R"(["é"])")), "clients[0].scopes[0] " + kScopes},
      {clients(client("a", kA, "[7]")), "clients[0].scopes[0] " + kScopes},
      {clients(client("a", kA, R"(["s", "t", "s"])")), "clients[0].scopes[2] repeats a scope"},
      {std::string(kMaxRegistryBytes + 1, ' '), "the file has more than 4194304 bytes"},
      {clients("[[[[]]]]"), "the file is nested more than 5 deep"},
  };
  for (const auto& [json, error] : cases) {
    EXPECT_EQ(parsed(json), error) << json.substr(0, 300);
  }
}

TEST(CallerRegistry, AllMistakesAtOnce) {
  EXPECT_EQ(parsed(clients(kGood + R"(, {"id": "ann", "scopes": ["*", "a b"]}, 1)")),
            fmt::format("clients[1] has no 'token_sha256'; clients[1] has the id of clients[0]; "
                        "clients[1].scopes[0] is no scope; {0}; clients[1].scopes[1] is no scope; "
                        "{0}; clients[2] is a number; an object is accepted",
                        kScopeForm));
}

TEST(CallerRegistry, NeverShowsWhatMayBeAToken) {
  const std::string token = "s3cr3t-" + std::string(50, 'q');
  for (const std::string& json :
       {clients(client("a", token, R"(["s"])")),
        clients(client("a", kA, "[\"" + token + "*\\\\\"]")), clients("{\"" + token + "\": 1}"),
        clients(token), "{\"" + token, token, clients(client("a", kA, "\"" + token + "\""))}) {
    EXPECT_EQ(parsed(json).find("s3cr3t"), std::string::npos) << json;
    EXPECT_EQ(parsed(json).find("qqq"), std::string::npos) << json;
  }
}

TEST(CallerRegistry, ManyMistakesAreCut) {
  std::string list = "1";
  for (int i = 0; i < 99; ++i) list += ",1";
  const std::string error = parsed(clients(list));
  EXPECT_TRUE(error.ends_with("; and 50 more mistakes")) << error;
}

TEST(CallerRegistry, AsManyCallersAsAccepted) {
  std::string list;
  for (std::size_t i = 0; i < kMaxCallers; ++i) {
    list +=
        (i == 0 ? "" : ",") + client(fmt::format("c{}", i), fmt::format("{:064x}", i), "[\"s\"]");
  }
  const auto registry = CallerRegistry::parse(clients(list));
  ASSERT_TRUE(registry);
  EXPECT_EQ(registry->callers().size(), kMaxCallers);
  EXPECT_FALSE(registry->with({"more", TokenFingerprint::of("more"), {"s"}}));
  EXPECT_EQ(parsed(clients(list + ",1")), "'clients' has more than 4096 entries");
}

TEST(CallerRegistry, WhatItWritesIsWhatItReads) {
  const auto registry = CallerRegistry::parse(
      clients(kGood + "," + client("\\u2028\\\"\\n\\u00e9", kB, R"(["a", "b"])")));
  ASSERT_TRUE(registry);
  const auto again = CallerRegistry::parse(registry->to_json());
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->to_json(), registry->to_json());
  EXPECT_EQ(again->callers()[1].id, "\xE2\x80\xA8\"\né");
  EXPECT_EQ(parsed(CallerRegistry().to_json()), "");
}

TEST(CallerRegistry, Edits) {
  const auto one = CallerRegistry().with({"ann", TokenFingerprint::of("1"), {"code:run"}});
  ASSERT_TRUE(one);
  const auto two = one->with({"bob", TokenFingerprint::of("2"), {"code:run"}});
  ASSERT_TRUE(two);
  EXPECT_EQ(one->callers().size(), 1U);
  const auto error = [](const Result<CallerRegistry>& result) {
    return result ? std::string("none") : result.error().message;
  };
  const TokenFingerprint fresh = TokenFingerprint::of("3");
  EXPECT_EQ(error(two->with({"ann", fresh, {"s"}})), "there is a caller \"ann\" already");
  EXPECT_EQ(error(two->with({"cid", TokenFingerprint::of("2"), {"s"}})),
            "the caller \"bob\" has this token");
  EXPECT_EQ(error(two->with({"cid", fresh, {}})), "1 to 32 scopes are accepted");
  EXPECT_EQ(error(two->with({"cid", fresh, {"a", "a"}})), "the scope a is given twice");
  EXPECT_EQ(error(two->with({"cid", fresh, {"*"}})),
            fmt::format("a scope is none; {}", kScopeForm));
  EXPECT_EQ(error(two->with({"", fresh, {"s"}})),
            "the id is none; 1 to 256 bytes of UTF-8 are accepted");
  EXPECT_EQ(error(two->with_token("cid", fresh)), "there is no caller \"cid\"");
  EXPECT_EQ(error(two->with_token("ann", TokenFingerprint::of("1"))),
            "the caller \"ann\" has this token");
  EXPECT_EQ(error(two->without("cid")), "there is no caller \"cid\"");
  EXPECT_EQ(two->with_token("ann", fresh)->find("ann")->token.hex(), fresh.hex());
  EXPECT_EQ(two->without("ann")->callers().size(), 1U);
}

}  // namespace
}  // namespace plimsoll
