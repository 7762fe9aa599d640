#include "broker/origin.h"

#include <gtest/gtest.h>

#include <string>

namespace plimsoll {
namespace {

TEST(Origin, ReadsWhatItIsMadeOf) {
  struct Case {
    std::string_view text, host;
    Scheme scheme;
    unsigned port;
    bool is_loopback;
  };
  for (const auto& [text, host, scheme, port, is_loopback] : {
           Case{"https://api.example.com", "api.example.com", Scheme::kHttps, 443, false},
           Case{"https://api.example.com:8443", "api.example.com", Scheme::kHttps, 8443, false},
           Case{"https://a", "a", Scheme::kHttps, 443, false},
           Case{"https://xn--bcher-kva.example", "xn--bcher-kva.example", Scheme::kHttps, 443,
                false},
           Case{"https://127.0.0.1", "127.0.0.1", Scheme::kHttps, 443, true},
           Case{"https://[2001:db8::1]:444", "2001:db8::1", Scheme::kHttps, 444, false},
           Case{"http://localhost", "localhost", Scheme::kHttp, 80, true},
           Case{"http://localhost:3000", "localhost", Scheme::kHttp, 3000, true},
           Case{"http://127.0.0.1:1", "127.0.0.1", Scheme::kHttp, 1, true},
           Case{"http://127.9.9.9:65535", "127.9.9.9", Scheme::kHttp, 65535, true},
           Case{"http://[::1]:80", "::1", Scheme::kHttp, 80, true},
           Case{"https://localhost", "localhost", Scheme::kHttps, 443, true},
       }) {
    const auto origin = Origin::parse(text);
    ASSERT_TRUE(origin) << text << ": " << origin.error();
    EXPECT_EQ(origin->host(), host);
    EXPECT_EQ(origin->scheme(), scheme);
    EXPECT_EQ(origin->port(), port);
    EXPECT_EQ(origin->is_loopback(), is_loopback) << text;
    EXPECT_EQ(origin->to_text(), text);
  }
}

TEST(Origin, WhatIsNoneOrCouldBeReadAsAnother) {
  for (const std::string_view text :
       {"", "api.example.com", "//api.example.com", "ftp://api.example.com", "HTTPS://a.example",
        "https:/a.example", "https://", "http://a.example", "http://localhost.example",
        "http://alocalhost"}) {
    EXPECT_FALSE(Origin::parse(text)) << text;
  }
  for (const std::string_view host : {"10.0.0.1", "[::ffff:127.0.0.1]", "128.0.0.1"}) {
    EXPECT_FALSE(Origin::parse("http://" + std::string(host))) << host;
  }
  for (const std::string_view rest : {"/a",
                                      "A.example",
                                      "a.example/",
                                      "a.example/v1",
                                      "a.example?x",
                                      "a.example#x",
                                      "user@a.example",
                                      "user:pw@a.example",
                                      "a.example:",
                                      "a.example:0",
                                      "a.example:080",
                                      "a.example:65536",
                                      "a.example:-1",
                                      "a.example:+1",
                                      "a.example:1x",
                                      "a.example:1:2",
                                      "a..example",
                                      ".example",
                                      "a.example.",
                                      "-a.example",
                                      "a-.example",
                                      "a b.example",
                                      "a%2eexample",
                                      "a.example\n",
                                      "a\\b",
                                      "\xC3\xA9.example",
                                      "127.1",
                                      "0x7f.1",
                                      "2130706433",
                                      "0177.0.0.1",
                                      "a.0x7f",
                                      "a.123",
                                      "[::1",
                                      "::1",
                                      "[127.0.0.1]",
                                      "[::1]x",
                                      "[fe80::1%25eth0]",
                                      "[]"}) {
    EXPECT_FALSE(Origin::parse("https://" + std::string(rest))) << rest;
  }
  EXPECT_FALSE(Origin::parse("https://" + std::string(64, 'a') + ".example"));
  std::string long_name = "https://";
  for (int i = 0; i < 64; ++i) long_name += "abc.";
  EXPECT_FALSE(Origin::parse(long_name + "example"));
}

}  // namespace
}  // namespace plimsoll
