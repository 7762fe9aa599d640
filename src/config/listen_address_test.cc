#include "config/listen_address.h"

#include <gtest/gtest.h>

namespace plimsoll {
namespace {

TEST(ListenAddress, Accepted) {
  struct Case {
    std::string text;
    ListenAddress address;
  };
  const Case cases[] = {
      {"127.0.0.1:8746", {.host = "127.0.0.1", .port = 8746, .loopback = true}},
      {"127.255.0.9:1", {.host = "127.255.0.9", .port = 1, .loopback = true}},
      {"localhost:0", {.host = "127.0.0.1", .port = 0, .loopback = true}},
      {"0.0.0.0:65535", {.host = "0.0.0.0", .port = 65535}},
      {"128.0.0.1:80", {.host = "128.0.0.1", .port = 80}},
      {"[::1]:8746", {.host = "::1", .port = 8746, .ipv6 = true, .loopback = true}},
      {"[::]:8746", {.host = "::", .port = 8746, .ipv6 = true}},
      {"[::ffff:127.0.0.1]:8",
       {.host = "::ffff:127.0.0.1", .port = 8, .ipv6 = true, .loopback = true}},
      {"[::ffff:10.0.0.1]:8", {.host = "::ffff:10.0.0.1", .port = 8, .ipv6 = true}},
      {"[fe80::1]:8", {.host = "fe80::1", .port = 8, .ipv6 = true}},
  };
  for (const Case& c : cases) {
    const auto address = parse_listen_address(c.text);
    ASSERT_TRUE(address) << c.text;
    EXPECT_EQ(*address, c.address) << c.text;
  }
}

TEST(ListenAddress, Refused) {
  for (const std::string_view text : {"",
                                      ":",
                                      ":8746",
                                      "8746",
                                      "127.0.0.1",
                                      "127.0.0.1:",
                                      "127.0.0.1:65536",
                                      "127.0.0.1:-1",
                                      "127.0.0.1:+1",
                                      "127.0.0.1: 1",
                                      "127.0.0.1:1x",
                                      "127.1:80",
                                      "0177.0.0.1:80",
                                      "::1:8746",
                                      "[::1]",
                                      "[]:1",
                                      "[127.0.0.1]:1",
                                      "example.com:80",
                                      "localhost.:1",
                                      "[::1%lo]:80",
                                      "127.0.0.1 :80",
                                      "[::1:80"}) {
    EXPECT_FALSE(parse_listen_address(text)) << text;
  }
  EXPECT_FALSE(parse_listen_address(std::string_view("127.0.0.1\0x:80", 14)));
}

}  // namespace
}  // namespace plimsoll
