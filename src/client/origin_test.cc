#include "client/origin.h"

#include <gtest/gtest.h>

namespace plimsoll::client {
namespace {

std::string url_of(std::string_view text) {
  const auto origin = parse_origin(text);
  return origin ? origin->url() : std::string();
}

TEST(Origin, SchemeHostAndPort) {
  EXPECT_EQ(url_of("https://example.com"), "https://example.com:443");
  EXPECT_EQ(url_of("http://example.com"), "http://example.com:80");
  EXPECT_EQ(url_of("HTTPS://Example.COM:8443"), "https://example.com:8443");
  EXPECT_EQ(url_of("http://127.0.0.1:1"), "http://127.0.0.1:1");
  EXPECT_EQ(url_of("http://[::1]:65535"), "http://[::1]:65535");
  EXPECT_EQ(url_of("https://[2001:DB8::1]"), "https://[2001:db8::1]:443");
  EXPECT_EQ(url_of("https://a_b.svc"), "https://a_b.svc:443");
}

TEST(Origin, WhatIsMoreOrLessIsRefused) {
  for (const char* text : {"",
                           "example.com",
                           "//example.com",
                           "ftp://example.com",
                           "https://",
                           "https:///",
                           "https://example.com/",
                           "https://example.com/x",
                           "https://example.com?x",
                           "https://example.com#x",
                           "https://user@example.com",
                           "https://u:p@example.com",
                           "https://example.com:",
                           "https://example.com:0",
                           "https://example.com:65536",
                           "https://example.com:+1",
                           "https://example.com:1x",
                           "https://exa mple.com",
                           "https://example..com",
                           "https://.example.com",
                           "https://example.com.",
                           "https://[::1",
                           "https://::1",
                           "https://[::1%25lo]",
                           "https://[127.0.0.1]",
                           "https://[]",
                           "https://[::1]x",
                           "https://[::1]:",
                           " https://example.com",
                           "https://example.com\n",
                           "https://ex\xc3\xa4mple.com",
                           "https://example.com%00",
                           "https://a\\b"}) {
    EXPECT_FALSE(parse_origin(text)) << text;
  }
  EXPECT_FALSE(parse_origin("https://" + std::string(64, 'a')));
  EXPECT_FALSE(parse_origin(std::string_view("https://a\0b", 11)));
}

// inet_aton(), which resolvers fall back to, reads each as an address.
TEST(Origin, NumbersAreNoNames) {
  for (const char* text :
       {"http://127.1", "http://2130706433", "http://0x7f000001", "http://0x7f.1",
        "http://127.0.0.1.5", "http://0177.0.0.1", "http://1.2.3.0x", "http://127.0.0.256"}) {
    EXPECT_FALSE(parse_origin(text)) << text;
  }
}

TEST(Origin, WhatIsLoopback) {
  const auto kind = [](std::string_view url) { return parse_origin(url).value().kind; };
  EXPECT_EQ(kind("http://127.0.0.1"), Host::kLoopbackAddress);
  EXPECT_EQ(kind("http://127.255.255.254"), Host::kLoopbackAddress);
  EXPECT_EQ(kind("http://[::1]"), Host::kLoopbackAddress);
  EXPECT_EQ(kind("http://LocalHost:80"), Host::kLocalhost);
  for (const char* text : {"http://128.0.0.1", "http://0.0.0.0", "http://[::]", "http://[::2]",
                           "http://[::ffff:127.0.0.1]", "http://localhost.example",
                           "http://127.0.0.1.example", "http://evil-localhost"}) {
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
