#include "grants/profile_words.h"

#include <gtest/gtest.h>

namespace plimsoll {
namespace {

TEST(ProfileWords, EverythingThatIsPermittedIsSaid) {
  GrantProfile profile{
      .name = "orders",
      .grant = {.base_url = "https://api.example.com",
                .allow = {"POST /v1/orders", "GET /v1/orders/*", "GET /v1/orders?status&limit"},
                .scopes = {"orders:read", "orders:write"},
                .preamble = "x",
                .health_check = "GET /health"},
      .allowed_callers = {"ann",
                          "b\xC3\xB6"
                          "b\n"},
      .token = {.type = TokenType::kJwt,
                .key_file = "key.pem",
                .algorithm = JwtAlgorithm::kEdDsa,
                .audience = "orders"}};
  EXPECT_EQ(in_words(profile),
            R"(orders: code of the callers "ann", "b\u00f6b\n" may call https://api.example.com
    GET    /v1/orders
             may have status=..., once
             may have limit=..., once
    POST   /v1/orders
    GET    /v1/orders/*
    (each * is one segment of a path, chosen by the code)
  calls       at most 256 in a run, 16 at once
  credential  a JWT for each run: EdDSA, key from the file "key.pem"
              for the audience "orders"; it names the caller and lives at most 60 s
  scopes      orders:read orders:write
  peers       public addresses only
  client      host, with a preamble
  after 503   GET /health is asked once a second
)");
}

TEST(ProfileWords, WhatIsWideIsLoud) {
  const GrantProfile profile{.name = "wide",
                             .grant = {.base_url = "https://billing.test",
                                       .max_calls = 9,
                                       .private_addresses = PrivateAddresses::kAllowed},
                             .allowed_callers = {"*"},
                             .token = {.type = TokenType::kStatic, .env = "BEARER"}};
  EXPECT_EQ(in_words(profile),
            R"(wide: code of EVERY authenticated caller may call https://billing.test
    nothing
  calls       at most 9 in a run, 16 at once
  credential  the same bearer for every run, from the variable BEARER
  peers       any address, PRIVATE and link-local ones and this host too
  client      host
  after 503   the pause is waited out
)");
}

}  // namespace
}  // namespace plimsoll
