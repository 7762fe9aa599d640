#include "broker/target.h"

#include <gtest/gtest.h>

namespace plimsoll {
namespace {

using std::literals::string_view_literals::operator""sv;

TEST(Target, WhatIsUnderstoodIsWhatStandsThere) {
  for (const std::string_view raw :
       {"/a", "/v1/orders/17", "/a-b_c.d~e", "/a.b", "/..a", "/a..", "/a...b", "/!$&'()*+,=:@",
        "/*", "/a?x=1", "/a?x=1&y=2", "/a?x=%20", "/a?x=%2F..%2F", "/a?x=%00%0D%0A",
        "/a?f%5Bs%5D=1", "/a?x=%C3%A9", "/a?x=.", "/a?x=1&x=2"}) {
    const auto target = parse_target(raw);
    ASSERT_TRUE(target) << raw;
    EXPECT_EQ(to_text(*target), raw);
  }
}

TEST(Target, WhatTwoReadersCouldUnderstandDifferentlyIsNone) {
  for (const std::string_view raw : {""sv,
                                     "a"sv,
                                     "/"sv,
                                     "//"sv,
                                     "/a/"sv,
                                     "//a"sv,
                                     "/a//b"sv,
                                     "/."sv,
                                     "/.."sv,
                                     "/..."sv,
                                     "/a/../b"sv,
                                     "/a/./b"sv,
                                     "/a/.."sv,
                                     "../a"sv,
                                     "/../../admin"sv,
                                     "/a;b"sv,
                                     "/a/..;/b"sv,
                                     "/a#b"sv,
                                     "/a?x=1#b"sv,
                                     "/%2e%2e%2fa"sv,
                                     "/%2E%2E/a"sv,
                                     "/%252e"sv,
                                     "/a%5cb"sv,
                                     "/a\\b"sv,
                                     "/a%20b"sv,
                                     "/a%"sv,
                                     "/a b"sv,
                                     "/a\tb"sv,
                                     "/a\0b"sv,
                                     "/a\rb"sv,
                                     "/a\nb"sv,
                                     "/a HTTP/1.1\r\nX-A: b"sv,
                                     "/\xC3\xA9"sv,
                                     "/a\x7F"sv,
                                     "/a\xFF"sv,
                                     "/a\"b"sv,
                                     "/<a>"sv,
                                     "/a|b"sv,
                                     "/a^b"sv,
                                     "/{a}"sv,
                                     "/[a]"sv,
                                     "/`a`"sv,
                                     "http://host.test/a"sv,
                                     "//host.test/a"sv,
                                     "host.test:443"sv,
                                     "*"sv,
                                     "/a?"sv,
                                     "/a?x"sv,
                                     "/a?x="sv,
                                     "/a?=1"sv,
                                     "/a?&"sv,
                                     "/a?x=1&"sv,
                                     "/a?&x=1"sv,
                                     "/a?x=1&&y=1"sv,
                                     "/a?x==1"sv,
                                     "/a?x=1=2"sv,
                                     "/a?x=1?y"sv,
                                     "/a??x=1"sv,
                                     "/a?x=a+b"sv,
                                     "/a?x=%2f"sv,
                                     "/a?x=%41"sv,
                                     "/a?x=%"sv,
                                     "/a?x=a;y=1"sv,
                                     "/a?x=a/b"sv,
                                     "/a?x=@"sv,
                                     "/a?x=\xC3\xA9"sv,
                                     "/a?f[s]=1"sv,
                                     "/a?%78=1"sv,
                                     "/a?x=1\n"sv,
                                     "/a?x=\0"sv,
                                     " /a"sv,
                                     "/a "sv}) {
    EXPECT_FALSE(parse_target(raw)) << raw;
  }
}

TEST(Target, Bounds) {
  const auto accepted = [](const std::string& raw) { return parse_target(raw).has_value(); };
  EXPECT_TRUE(accepted("/" + std::string(kMaxMatchedTargetBytes - 1, 'a')));
  EXPECT_FALSE(accepted("/" + std::string(kMaxMatchedTargetBytes, 'a')));
  EXPECT_FALSE(accepted("/" + std::string(65'535, 'a')));
  std::string segments;
  for (std::size_t i = 0; i < kMaxSegments; ++i) segments += "/a";
  EXPECT_TRUE(accepted(segments));
  EXPECT_FALSE(accepted(segments + "/a"));
  EXPECT_TRUE(accepted("/a?x=" + std::string(kMaxQueryValueBytes, 'v')));
  EXPECT_FALSE(accepted("/a?x=" + std::string(kMaxQueryValueBytes + 1, 'v')));
  std::string encoded = "/a?x=";
  for (std::size_t i = 0; i < kMaxQueryValueBytes; ++i) encoded += "%20";
  EXPECT_TRUE(accepted(encoded));
  EXPECT_FALSE(accepted(encoded + "%20"));
  std::string query = "/a?n0=1";
  for (std::size_t i = 1; i < kMaxQueryParameters; ++i) query += "&n" + std::to_string(i) + "=1";
  EXPECT_TRUE(accepted(query));
  EXPECT_FALSE(accepted(query + "&m=1"));
}

}  // namespace
}  // namespace plimsoll
