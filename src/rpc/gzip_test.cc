#include "rpc/gzip.h"

#include <gtest/gtest.h>

namespace plimsoll::rpc {
namespace {

TEST(Gzip, GivesBackWhatWentIn) {
  std::string bytes;
  for (int i = 0; i < 100'000; ++i) bytes += static_cast<char>((i % 997) * (i % 997) % 251);
  EXPECT_EQ(gzip_inflate(gzip_deflate(bytes), bytes.size()), bytes);
  EXPECT_EQ(gzip_inflate(gzip_deflate(""), 0), "");
}

TEST(Gzip, HoldsTheLimitToTheByte) {
  const std::string deflated = gzip_deflate(std::string(65'536, 'a'));
  EXPECT_TRUE(gzip_inflate(deflated, 65'536).has_value());
  EXPECT_EQ(gzip_inflate(deflated, 65'535).error(), InflateError::kTooLarge);
  EXPECT_EQ(gzip_inflate(deflated, 0).error(), InflateError::kTooLarge);
}

TEST(Gzip, StopsInflatingAtTheLimit) {
  // A gigabyte of zeros would take a second; the test's time limit is not what notices.
  std::string member = gzip_deflate(std::string(1 << 20, '\0'));
  std::string bomb;
  for (int i = 0; i < 1024; ++i) bomb += member;
  EXPECT_LT(bomb.size(), std::size_t{8} << 20);
  EXPECT_EQ(gzip_inflate(bomb, 8 << 20).error(), InflateError::kTooLarge);
}

TEST(Gzip, ReadsSeveralMembers) {
  EXPECT_EQ(gzip_inflate(gzip_deflate("ab") + gzip_deflate("") + gzip_deflate("cd"), 4), "abcd");
}

TEST(Gzip, RefusesWhatIsBroken) {
  const std::string good = gzip_deflate("hello");
  std::string wrong_sum = good;
  wrong_sum[wrong_sum.size() - 5] = static_cast<char>(wrong_sum[wrong_sum.size() - 5] ^ 1);
  for (const std::string& bad :
       {std::string("x"), good.substr(0, good.size() - 1), good.substr(0, 5), good + "tail",
        wrong_sum, std::string("\x1f\x8b")}) {
    EXPECT_EQ(gzip_inflate(bad, 100).error(), InflateError::kBroken);
  }
}

}  // namespace
}  // namespace plimsoll::rpc
