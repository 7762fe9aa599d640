// Minted tokens, verified by the openssl program: no line of ours says that a signature is right.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/entropy.h"
#include "base/json_tree.h"
#include "base/manual_clock.h"
#include "broker/jwt_key.h"
#include "broker/jwt_minter.h"
#include "tests/broker/broker_rig.h"
#include "tests/broker/recording_upstream.h"

extern char** environ;  // NOLINT(readability-redundant-declaration)

namespace plimsoll {
namespace {

using std::literals::chrono_literals::operator""s;
using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kHmacKey = "0123456789abcdef0123456789abcdef";

class Minting : public testing::Test {
 protected:
  Minting() {
    std::string name = testing::TempDir() + "plimsoll-mint-XXXXXX";
    folder_ = ::mkdtemp(name.data());
  }
  ~Minting() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string path(std::string_view name) const {
    return folder_ + "/" + std::string(name);
  }
  std::string write(std::string_view name, std::string_view bytes) const {
    std::ofstream(path(name), std::ios::binary) << bytes;
    return path(name);
  }
  static std::string read(const std::string& from) {
    std::ifstream file(from, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  // What openssl printed; empty when it failed.
  std::string openssl(std::vector<std::string> args) const {
    args.insert(args.begin(), "openssl");
    std::vector<char*> argv;
    for (std::string& one : args) argv.push_back(one.data());
    argv.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    const std::string out = path("out");
    ::posix_spawn_file_actions_addopen(&actions, 1, out.c_str(), O_WRONLY | O_CREAT | O_TRUNC,
                                       0600);
    ::posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    pid_t pid = 0;
    const int error = ::posix_spawnp(&pid, "openssl", &actions, nullptr, argv.data(), environ);
    ::posix_spawn_file_actions_destroy(&actions);
    int status = -1;
    if (error != 0 || ::waitpid(pid, &status, 0) != pid || status != 0) return {};
    return read(out);
  }

  // Decoded by openssl as well.
  [[nodiscard]] std::string decode(std::string text) const {
    std::ranges::replace(text, '-', '+');
    std::ranges::replace(text, '_', '/');
    while (text.size() % 4 != 0) text += '=';
    write("base64", text);
    return openssl({"base64", "-d", "-A", "-in", path("base64")});
  }

  struct Parts {
    std::string signed_part, header, claims, signature;
  };
  [[nodiscard]] Parts parts_of(std::string_view token) const {
    const auto first = token.find('.');
    const auto last = token.rfind('.');
    EXPECT_NE(first, last);
    return {.signed_part = std::string(token.substr(0, last)),
            .header = decode(std::string(token.substr(0, first))),
            .claims = decode(std::string(token.substr(first + 1, last - first - 1))),
            .signature = decode(std::string(token.substr(last + 1)))};
  }

  std::string mint(JwtConfig config, const MintScope& scope) {
    auto minter = make_jwt_minter(std::move(config), clock_, entropy_);
    EXPECT_TRUE(minter) << minter.error().message;
    auto token = (*minter)->mint(scope);
    EXPECT_TRUE(token) << token.error().message;
    return std::string(token->reveal());
  }
  [[nodiscard]] Secret key_file(const std::vector<std::string>& args) const {
    return Secret(openssl(args));
  }

  std::string folder_;
  ManualClock clock_;
  SystemEntropy entropy_;
};

const MintScope kScope{.base_url = "https://api.example.com",
                       .allow = {"GET /a"},
                       .scopes = {"orders:read", "orders:write"},
                       .ttl = 1000s,
                       .subject = "ann"};

std::string hex(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    text += kDigits[static_cast<unsigned char>(c) >> 4U];
    text += kDigits[static_cast<unsigned char>(c) & 15U];
  }
  return text;
}

TEST_F(Minting, AnHs256TokenIsTheHmacThatOpensslMakes) {
  const std::string token =
      mint({.key = Secret(kHmacKey), .audience = "orders", .key_id = "k1"}, kScope);
  const Parts parts = parts_of(token);
  EXPECT_EQ(parts.header, R"({"alg":"HS256","typ":"JWT","kid":"k1"})");
  const std::string message = write("message", parts.signed_part);
  const std::string mac = openssl({"dgst", "-sha256", "-mac", "HMAC", "-macopt",
                                   "hexkey:" + hex(kHmacKey), "-binary", message});
  ASSERT_EQ(mac.size(), 32U);
  EXPECT_EQ(parts.signature, mac);
}

// DER of an ECDSA signature, for openssl.
std::string to_der(std::string_view r_and_s) {
  const auto integer = [](std::string_view bytes) {
    while (bytes.size() > 1 && bytes.front() == '\0') bytes.remove_prefix(1);
    std::string value(bytes);
    if ((static_cast<unsigned char>(value.front()) & 0x80U) != 0) value.insert(0, 1, '\0');
    return std::string("\x02") + static_cast<char>(value.size()) + value;
  };
  const std::string both = integer(r_and_s.substr(0, 32)) + integer(r_and_s.substr(32));
  return std::string("\x30") + static_cast<char>(both.size()) + both;
}

TEST_F(Minting, AnEs256TokenIsVerifiedByOpenssl) {
  const std::string key =
      openssl({"genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"});
  write("key.pem", key);
  write("public.pem", openssl({"pkey", "-in", path("key.pem"), "-pubout"}));
  for (int i = 0; i < 8; ++i) {  // R and S with and without leading zeros and high bits
    const Parts parts = parts_of(mint(
        {.algorithm = JwtAlgorithm::kEs256, .key = Secret(key), .audience = "orders"}, kScope));
    EXPECT_EQ(parts.header, R"({"alg":"ES256","typ":"JWT"})");
    ASSERT_EQ(parts.signature.size(), 64U);
    EXPECT_THAT(
        openssl({"dgst", "-sha256", "-verify", path("public.pem"), "-signature",
                 write("signature", to_der(parts.signature)), write("message", parts.signed_part)}),
        HasSubstr("Verified OK"));
    EXPECT_EQ(openssl({"dgst", "-sha256", "-verify", path("public.pem"), "-signature",
                       path("signature"), write("message", parts.signed_part + "x")}),
              "");
  }
}

TEST_F(Minting, AnEdDsaTokenIsVerifiedByOpenssl) {
  const std::string key = openssl({"genpkey", "-algorithm", "ED25519"});
  write("key.pem", key);
  write("public.pem", openssl({"pkey", "-in", path("key.pem"), "-pubout"}));
  const Parts parts = parts_of(
      mint({.algorithm = JwtAlgorithm::kEdDsa, .key = Secret(key), .audience = "orders"}, kScope));
  EXPECT_EQ(parts.header, R"({"alg":"EdDSA","typ":"JWT"})");
  const std::string message = write("message", parts.signed_part);
  EXPECT_THAT(openssl({"pkeyutl", "-verify", "-pubin", "-inkey", path("public.pem"), "-rawin",
                       "-in", message, "-sigfile", write("signature", parts.signature)}),
              HasSubstr("Verified Successfully"));
}

TEST_F(Minting, TheClaimsAreThoseOfTheRun) {
  const Parts parts = parts_of(
      mint({.key = Secret(kHmacKey), .audience = "orders", .issuer = "us", .ttl = 90s}, kScope));
  const auto id = parts.claims.substr(parts.claims.find("\"jti\":\"") + 7, 22);
  EXPECT_EQ(parts.claims,
            R"({"iss":"us","aud":"orders","sub":"ann","scope":"orders:read orders:write",)"
            R"("iat":1700000000,"nbf":1699999995,"exp":1700000090,"jti":")" +
                id + "\"}");
  // A caller's name can forge no claim.
  MintScope odd = kScope;
  odd.scopes = {};
  odd.subject = "a\",\"admin\":true,\"x\":\"\n";
  const Parts forged = parts_of(mint({.key = Secret(kHmacKey), .audience = "orders"}, odd));
  const auto tree =
      parse_json(forged.claims, {.max_bytes = 4096, .max_depth = 2, .max_values = 20});
  ASSERT_TRUE(tree) << tree.error().message;
  std::vector<std::string> names;
  for (const auto& [name, value] : tree->members) {
    names.push_back(name);
    if (name == "sub") {
      EXPECT_EQ(value.text, odd.subject);
    }
  }
  EXPECT_THAT(names, testing::ElementsAre("iss", "aud", "sub", "iat", "nbf", "exp", "jti"));
}

TEST_F(Minting, ATokenEndsWithItsRun) {
  MintScope scope = kScope;
  scope.ttl = 12s;
  const Parts parts = parts_of(mint({.key = Secret(kHmacKey), .audience = "orders"}, scope));
  EXPECT_THAT(parts.claims, HasSubstr("\"exp\":1700000012,"));
}

TEST_F(Minting, AnAnonymousCallerIsRefusedBeforeAnythingRuns) {
  auto minter = jwt_minter({.key = Secret(kHmacKey), .audience = "orders"});
  ASSERT_TRUE(minter);
  const Grant grant =
      grant_of({.base_url = "https://api.example.com", .allow = {"GET /a"}, .minter = *minter});
  const auto broker = open_broker(grant, {.deadline = clock_.now() + 10s}, clock_);
  ASSERT_FALSE(broker);
  EXPECT_EQ(broker.error().code, ErrorCode::kInvalidRequest);
  EXPECT_EQ(broker.error().not_dispatched, NotDispatchedReason::kPermission);
}

TEST_F(Minting, TwoRunsHaveDifferentTokensAndOneRunHasOne) {
  const RecordingUpstream upstream;
  auto minter = jwt_minter({.key = Secret(kHmacKey), .audience = "orders"});
  ASSERT_TRUE(minter);
  const Grant grant =
      grant_of({.base_url = upstream.origin(), .allow = {"GET /a"}, .minter = *minter});
  for (int run = 0; run < 2; ++run) {
    BrokerRig rig(grant);
    EXPECT_EQ(rig.call("GET", "/a").status, 200U);
    EXPECT_EQ(rig.call("GET", "/a").status, 200U);
  }
  const auto requests = upstream.requests();
  ASSERT_EQ(requests.size(), 4U);
  std::map<std::string, int> tokens;
  for (const auto& request : requests) ++tokens[request.fields("authorization").at(0)];
  EXPECT_EQ(tokens.size(), 2U);
  for (const auto& [token, times] : tokens) EXPECT_EQ(times, 2) << token;
}

// The run's rest of time, from the broker's side.
TEST_F(Minting, TheMinterIsToldTheRestOfTheRunAndFiveSeconds) {
  class Spy final : public TokenMinter {
   public:
    [[nodiscard]] Result<Secret> mint(const MintScope& scope) const override {
      seen = scope;
      return Secret("tok");
    }
    mutable MintScope seen;
  };
  const auto spy = std::make_shared<const Spy>();
  const Grant grant = grant_of({.base_url = "https://api.example.com",
                                .allow = {"GET /a"},
                                .scopes = {"read"},
                                .minter = spy});
  ASSERT_TRUE(open_broker(grant, {.caller = "bob", .deadline = clock_.now() + 20s}, clock_));
  EXPECT_EQ(spy->seen.ttl, 25s);
  EXPECT_EQ(spy->seen.subject, "bob");
  EXPECT_EQ(spy->seen.base_url, "https://api.example.com");
  EXPECT_THAT(spy->seen.allow, testing::ElementsAre("GET /a"));
  EXPECT_THAT(spy->seen.scopes, testing::ElementsAre("read"));
}

TEST_F(Minting, WhatIsNoTokenIsNotSent) {
  class Forger final : public TokenMinter {
   public:
    [[nodiscard]] Result<Secret> mint(const MintScope&) const override {
      return Secret("tok\r\nX-Injected: 1");
    }
  };
  const Grant grant = grant_of({.base_url = "https://api.example.com",
                                .allow = {"GET /a"},
                                .minter = std::make_shared<const Forger>()});
  const auto broker = open_broker(grant, {.deadline = clock_.now() + 10s}, clock_);
  ASSERT_FALSE(broker);
  EXPECT_THAT(broker.error().message, Not(HasSubstr("Injected")));
  for (const std::string_view bad : {"", "a b", "a\n", "\xC3\xA9"}) {
    EXPECT_FALSE(static_token(Secret(bad))) << bad;
  }
}

TEST_F(Minting, AKeyThatIsNotRightIsRefusedAndNotShown) {
  const Secret ec =
      key_file({"genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"});
  const Secret ec384 =
      key_file({"genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-384"});
  const Secret ed = key_file({"genpkey", "-algorithm", "ED25519"});
  const Secret x25519 = key_file({"genpkey", "-algorithm", "X25519"});
  write("ed.pem", ed.reveal());
  const Secret locked = key_file({"pkey", "-in", path("ed.pem"), "-aes256", "-passout", "pass:x"});
  const Secret open_half = key_file({"pkey", "-in", path("ed.pem"), "-pubout"});
  ASSERT_FALSE(locked.empty() || open_half.empty() || ec384.empty() || x25519.empty());
  EXPECT_TRUE(JwtKey::read(JwtAlgorithm::kEs256, ec));
  EXPECT_TRUE(JwtKey::read(JwtAlgorithm::kEdDsa, ed));
  const std::pair<JwtAlgorithm, const Secret*> cases[] = {
      {JwtAlgorithm::kEs256, &ec384},  {JwtAlgorithm::kEs256, &ed},
      {JwtAlgorithm::kEdDsa, &ec},     {JwtAlgorithm::kEdDsa, &x25519},
      {JwtAlgorithm::kEdDsa, &locked}, {JwtAlgorithm::kEdDsa, &open_half},
  };
  for (const auto& [algorithm, key] : cases) EXPECT_FALSE(JwtKey::read(algorithm, *key));
  EXPECT_FALSE(JwtKey::read(JwtAlgorithm::kHs256, Secret(kHmacKey.substr(1))));
  EXPECT_FALSE(JwtKey::read(JwtAlgorithm::kEdDsa, Secret(std::string(kMaxKeyBytes + 1, 'x'))));
  EXPECT_FALSE(JwtKey::read(JwtAlgorithm::kEdDsa, Secret()));

  const auto wrong =
      jwt_minter({.key = Secret("short-secret"), .audience = "", .issuer = "", .ttl = 0s});
  ASSERT_FALSE(wrong);
  for (const std::string_view part : {"the key", "audience", "issuer", "ttl"}) {
    EXPECT_THAT(wrong.error().message, HasSubstr(std::string(part)));
  }
  EXPECT_THAT(wrong.error().message, Not(HasSubstr("short-secret")));
}

}  // namespace
}  // namespace plimsoll
