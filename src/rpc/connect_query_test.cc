#include "rpc/connect_query.h"

#include <gtest/gtest.h>

namespace plimsoll::rpc {
namespace {

TEST(ConnectQuery, ParametersComeInAnyOrderAndUnknownOnesAreIgnored) {
  const auto query = parse_connect_query(
      "message=%7B%22a%22%3A%22+b%22%7D&x=1&encoding=json&&connect=v1&y&compression=gzip");
  ASSERT_TRUE(query);
  EXPECT_EQ(query->message, R"({"a":" b"})");
  EXPECT_EQ(query->encoding, "json");
  EXPECT_EQ(query->compression, "gzip");
}

TEST(ConnectQuery, Base64IsPaddedOrNot) {
  for (const char* text :
       {"base64=1&message=-_8", "message=-_8%3D&base64=1", "message=-_8=&base64=1"}) {
    const auto query = parse_connect_query(text);
    ASSERT_TRUE(query) << text;
    EXPECT_EQ(query->message, "\xFB\xFF");
  }
  EXPECT_EQ(parse_connect_query("base64=0&message=Zg")->message, "Zg");
}

TEST(ConnectQuery, AnEmptyMessageIsOne) {
  EXPECT_EQ(parse_connect_query("message=&encoding=proto&base64=1")->message, "");
}

TEST(ConnectQuery, RefusesWhatIsNotOne) {
  for (const char* text : {"", "encoding=json", "message=a&message=b", "message=%zz",
                           "%zz=1&message=", "connect=v2&message=", "connect=&message=",
                           "base64=yes&message=", "base64=1&message=+/8", "base64=1&message=Z"}) {
    const auto query = parse_connect_query(text);
    ASSERT_FALSE(query) << text;
    EXPECT_EQ(query.error().code, Code::kInvalidArgument);
  }
}

}  // namespace
}  // namespace plimsoll::rpc
