#include "client/base64.h"

#include <gtest/gtest.h>

namespace plimsoll::client {
namespace {

using std::string_literals::operator""s;

TEST(Base64, PaddedOrNot) {
  EXPECT_EQ(base64_decode(""), "");
  for (const char* text : {"CAY", "CAY="}) EXPECT_EQ(base64_decode(text), "\x08\x06") << text;
  for (const char* text : {"/w", "/w=="}) EXPECT_EQ(base64_decode(text), "\xff") << text;
  EXPECT_EQ(base64_decode("+/+/"), "\xfb\xff\xbf");
  EXPECT_EQ(base64_decode("AAAA"), "\0\0\0"s);
}

TEST(Base64, WhatIsNoneIsRefused) {
  for (const char* text : {"C", "CAY==", "CA Y", "CAY\n", "C-_Y", "CAZ", "/x", "=",
                           "====", "C===", "CA=Y", "=CAY", "CAYCA"}) {
    EXPECT_EQ(base64_decode(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace plimsoll::client
