#include "client/origin.h"

#include <gtest/gtest.h>

namespace plimsoll::client {
namespace {

// Apart, since hosts that cannot be are tried here.
const std::string kHttp =
    "http:"
    "//";
const std::string kHttps =
    "https:"
    "//";

std::string url_of(std::string_view text) {
  const auto origin = parse_origin(text);
  return origin ? origin->url() : std::string();
}

TEST(Origin, SchemeHostAndPort) {
  EXPECT_EQ(url_of(kHttps + "example.com"), kHttps + "example.com:443");
  EXPECT_EQ(url_of(kHttp + "example.com"), kHttp + "example.com:80");
  EXPECT_EQ(url_of("HTTPS://Example.COM:8443"), kHttps + "example.com:8443");
  EXPECT_EQ(url_of(kHttp + "127.0.0.1:1"), kHttp + "127.0.0.1:1");
  EXPECT_EQ(url_of(kHttp + "[::1]:65535"), kHttp + "[::1]:65535");
  EXPECT_EQ(url_of(kHttps + "[2001:DB8::1]"), kHttps + "[2001:db8::1]:443");
  EXPECT_EQ(url_of(kHttps + "a_b.svc"), kHttps + "a_b.svc:443");
}

TEST(Origin, WhatIsMoreOrLessIsRefused) {
  for (const std::string& text : {std::string(),
                                  std::string("example.com"),
                                  std::string("//example.com"),
                                  std::string("ftp://example.com"),
                                  kHttps,
                                  kHttps + "/",
                                  kHttps + "example.com/",
                                  kHttps + "example.com/x",
                                  kHttps + "example.com?x",
                                  kHttps + "example.com#x",
                                  kHttps + "user@example.com",
                                  kHttps + "u:p@example.com",
                                  kHttps + "example.com:",
                                  kHttps + "example.com:0",
                                  kHttps + "example.com:65536",
                                  kHttps + "example.com:+1",
                                  kHttps + "example.com:1x",
                                  kHttps + "exa mple.com",
                                  kHttps + "example..com",
                                  kHttps + ".example.com",
                                  kHttps + "example.com.",
                                  kHttps + "[::1",
                                  kHttps + "::1",
                                  kHttps + "[::1%25lo]",
                                  kHttps + "[127.0.0.1]",
                                  kHttps + "[]",
                                  kHttps + "[::1]x",
                                  kHttps + "[::1]:",
                                  " " + kHttps + "example.com",
                                  kHttps + "example.com\n",
                                  kHttps + "ex\xc3\xa4mple.com",
                                  kHttps + "example.com%00",
                                  kHttps + "a\\b"}) {
    EXPECT_FALSE(parse_origin(text)) << text;
  }
  EXPECT_FALSE(parse_origin(kHttps + std::string(64, 'a')));
  EXPECT_FALSE(parse_origin(kHttps + std::string("a\0b", 3)));
}

// inet_aton(), which resolvers fall back to, reads each as an address.
TEST(Origin, NumbersAreNoNames) {
  for (const std::string& text :
       {kHttp + "127.1", kHttp + "2130706433", kHttp + "0x7f000001", kHttp + "0x7f.1",
        kHttp + "127.0.0.1.5", kHttp + "0177.0.0.1", kHttp + "1.2.3.0x", kHttp + "127.0.0.256"}) {
    EXPECT_FALSE(parse_origin(text)) << text;
  }
}

TEST(Origin, WhatIsLoopback) {
  const auto kind = [](std::string_view url) { return parse_origin(url).value().kind; };
  EXPECT_EQ(kind(kHttp + "127.0.0.1"), Host::kLoopbackAddress);
  EXPECT_EQ(kind(kHttp + "127.255.255.254"), Host::kLoopbackAddress);
  EXPECT_EQ(kind(kHttp + "[::1]"), Host::kLoopbackAddress);
  EXPECT_EQ(kind(kHttp + "LocalHost:80"), Host::kLocalhost);
  for (const std::string& text :
       {kHttp + "128.0.0.1", kHttp + "0.0.0.0", kHttp + "[::]", kHttp + "[::2]",
        kHttp + "[::ffff:127.0.0.1]", kHttp + "localhost.example", kHttp + "127.0.0.1.example",
        kHttp + "evil-localhost"}) {
    EXPECT_EQ(kind(text), Host::kElsewhere) << text;
  }
}

TEST(Origin, AddressesOfPeers) {
  EXPECT_TRUE(is_loopback_address("127.0.0.1"));
  EXPECT_TRUE(is_loopback_address("::1"));
  for (const char* text : {"", "10.0.0.1", "::2", "localhost", "127.0.0.1x"}) {
    EXPECT_FALSE(is_loopback_address(text)) << text;
  }
  EXPECT_FALSE(is_loopback_address(std::string(100, '1')));
}

}  // namespace
}  // namespace plimsoll::client
