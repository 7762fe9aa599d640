#include "broker/ip_address.h"

#include <gtest/gtest.h>
#include <netinet/in.h>

namespace plimsoll {
namespace {

using enum AddressClass;

TEST(IpAddress, Classes) {
  const std::pair<std::string_view, AddressClass> cases[] = {
      {"8.8.8.8", kPublic},
      {"1.1.1.1", kPublic},
      {"9.255.255.255", kPublic},
      {"11.0.0.0", kPublic},
      {"100.63.255.255", kPublic},
      {"100.128.0.0", kPublic},
      {"126.255.255.255", kPublic},
      {"128.0.0.1", kPublic},
      {"172.15.255.255", kPublic},
      {"172.32.0.0", kPublic},
      {"192.167.255.255", kPublic},
      {"192.169.0.0", kPublic},
      {"198.17.255.255", kPublic},
      {"198.20.0.0", kPublic},
      {"223.255.255.255", kPublic},
      {"0.0.0.0", kUnusable},
      {"0.1.2.3", kUnusable},
      {"10.0.0.1", kPrivate},
      {"10.255.255.255", kPrivate},
      {"100.64.0.0", kPrivate},
      {"100.127.255.255", kPrivate},
      {"127.0.0.1", kLoopback},
      {"127.255.255.255", kLoopback},
      {"169.254.169.254", kLinkLocal},
      {"172.16.0.0", kPrivate},
      {"172.31.255.255", kPrivate},
      {"192.0.0.8", kPrivate},
      {"192.0.2.1", kPrivate},
      {"192.88.99.1", kPrivate},
      {"192.168.1.1", kPrivate},
      {"198.18.0.0", kPrivate},
      {"198.19.255.255", kPrivate},
      {"198.51.100.7", kPrivate},
      {"203.0.113.7", kPrivate},
      {"224.0.0.1", kUnusable},
      {"239.255.255.255", kUnusable},
      {"240.0.0.1", kUnusable},
      {"255.255.255.255", kUnusable},
      {"2606:4700::1111", kPublic},
      {"2a00:1450:4001::1", kPublic},
      {"::", kUnusable},
      {"::1", kLoopback},
      {"100::1", kUnusable},
      {"2001::1", kPrivate},
      {"2001:db8::1", kPrivate},
      {"2001:200::1", kPublic},
      {"3fff::1", kPrivate},
      {"fc00::1", kPrivate},
      {"fdff::1", kPrivate},
      {"fe80::1", kLinkLocal},
      {"febf::1", kLinkLocal},
      {"fec0::1", kPrivate},
      {"ff02::1", kUnusable},
      // IPv4 in IPv6's clothes.
      {"::ffff:127.0.0.1", kLoopback},
      {"::ffff:10.0.0.1", kPrivate},
      {"::ffff:169.254.169.254", kLinkLocal},
      {"::ffff:0.0.0.0", kUnusable},
      {"::ffff:224.0.0.1", kUnusable},
      {"::ffff:8.8.8.8", kPublic},
      {"::ffff:0:127.0.0.1", kLoopback},
      {"::127.0.0.1", kLoopback},
      {"::10.0.0.1", kPrivate},
      {"64:ff9b::127.0.0.1", kLoopback},
      {"64:ff9b::192.168.0.1", kPrivate},
      {"64:ff9b::8.8.8.8", kPublic},
      {"64:ff9b:1::8.8.8.8", kPrivate},
      {"2002:7f00:1::", kLoopback},
      {"2002:a00:1::1", kPrivate},
      {"2002:a9fe:a9fe::1", kLinkLocal},
      {"2002:808:808::1", kPublic},
  };
  for (const auto& [text, its_class] : cases) {
    const auto address = IpAddress::parse(text);
    ASSERT_TRUE(address) << text;
    EXPECT_EQ(classify(*address), its_class) << text;
  }
}

TEST(IpAddress, OtherSpellingsAreNone) {
  for (const std::string_view text :
       {"", "127.1", "0x7f.0.0.1", "0177.0.0.1", "2130706433", "127.0.0.1.", "127.0.0.01",
        "127.0.0.256", " 127.0.0.1", "127.0.0.1 ", "[::1]", "::1%lo", "fe80::1%eth0", "1:2",
        ":::", "localhost", "12345:1::", "1.2.3.4/8"}) {
    EXPECT_FALSE(IpAddress::parse(text)) << text;
  }
  EXPECT_FALSE(IpAddress::parse(std::string_view("127.0.0.1\0", 10)));
  EXPECT_FALSE(IpAddress::parse(std::string(100, '1')));
}

TEST(IpAddress, OfASocket) {
  sockaddr_in v4{};
  v4.sin_family = AF_INET;
  v4.sin_addr.s_addr = htonl(0x7F000001);
  const auto* plain = reinterpret_cast<const sockaddr*>(&v4);
  ASSERT_TRUE(IpAddress::from(plain, sizeof v4));
  EXPECT_EQ(IpAddress::from(plain, sizeof v4)->to_text(), "127.0.0.1");
  EXPECT_EQ(IpAddress::from(plain, sizeof v4), IpAddress::parse("127.0.0.1"));
  EXPECT_FALSE(IpAddress::from(plain, 4));
  EXPECT_FALSE(IpAddress::from(nullptr, 0));
  sockaddr_in6 v6{};
  v6.sin6_family = AF_INET6;
  v6.sin6_addr = in6addr_loopback;
  const auto* six = reinterpret_cast<const sockaddr*>(&v6);
  EXPECT_EQ(IpAddress::from(six, sizeof v6), IpAddress::parse("::1"));
  EXPECT_FALSE(IpAddress::from(six, sizeof v4));
  v4.sin_family = AF_UNIX;
  EXPECT_FALSE(IpAddress::from(plain, sizeof v4));
}

TEST(IpAddress, WhoMayBeAPeer) {
  struct Case {
    std::string_view text;
    bool public_only, any_usable, loopback_only;
  };
  for (const auto& [text, public_only, any_usable, loopback_only] : {
           Case{"8.8.8.8", true, true, false},
           Case{"10.0.0.1", false, true, false},
           Case{"169.254.169.254", false, true, false},
           Case{"127.0.0.1", false, true, true},
           Case{"::1", false, true, true},
           Case{"::ffff:127.0.0.1", false, true, true},
           Case{"0.0.0.0", false, false, false},
           Case{"::", false, false, false},
           Case{"224.0.0.1", false, false, false},
           Case{"64:ff9b::0.0.0.0", false, false, false},
       }) {
    const IpAddress address = *IpAddress::parse(text);
    EXPECT_EQ(may_connect(PeerRule::kPublicOnly, address), public_only) << text;
    EXPECT_EQ(may_connect(PeerRule::kAnyUsable, address), any_usable) << text;
    EXPECT_EQ(may_connect(PeerRule::kLoopbackOnly, address), loopback_only) << text;
  }
}

}  // namespace
}  // namespace plimsoll
