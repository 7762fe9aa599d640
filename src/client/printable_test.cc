#include "client/printable.h"

#include <gtest/gtest.h>

namespace plimsoll::client {
namespace {

TEST(Printable, OnlyVisibleAsciiAndBlanksAreLeft) {
  EXPECT_EQ(printable("a b~", 10), "a b~");
  EXPECT_EQ(printable(std::string("\0\n\x1b\x7f\x80\xff", 6), 10), "??????");
  EXPECT_EQ(printable("abcdef", 3), "abc");
  EXPECT_EQ(printable("", 3), "");
}

}  // namespace
}  // namespace plimsoll::client
