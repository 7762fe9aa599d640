#include "core/wire_names.h"

#include <gtest/gtest.h>

#include "core/wire_limits.h"

namespace plimsoll {
namespace {

// Every byte alone, against the sets written out.
TEST(WireNames, AByteIsAcceptedOrNotByItsSet) {
  const std::string letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
  for (int byte = 0; byte < 256; ++byte) {
    const std::string text(1, static_cast<char>(byte));
    EXPECT_EQ(WireName::parse(text).has_value(), (letters + "._-").find(text) != std::string::npos)
        << byte;
    EXPECT_EQ(TraceId::parse(text).has_value(), (letters + "._:-").find(text) != std::string::npos)
        << byte;
  }
}

TEST(WireNames, LengthsAreMetExactly) {
  EXPECT_FALSE(WireName::parse(""));
  EXPECT_TRUE(WireName::parse(std::string(kMaxProfileNameBytes, 'a')));
  EXPECT_FALSE(WireName::parse(std::string(kMaxProfileNameBytes + 1, 'a')));
  EXPECT_FALSE(TraceId::parse("").has_value());
  EXPECT_TRUE(TraceId::parse(std::string(kMaxTraceIdBytes, 'a')).has_value());
  EXPECT_FALSE(TraceId::parse(std::string(kMaxTraceIdBytes + 1, 'a')).has_value());
}

TEST(WireNames, ANameIsKeptAsItIs) {
  EXPECT_EQ(WireName::parse("crm.read_2-b")->text(), "crm.read_2-b");
  EXPECT_EQ(WireName().text(), "");
  EXPECT_EQ(TraceId().text(), "");

  const auto id = TraceId::parse("0af7651916cd43dd:run-1_a.B");
  ASSERT_TRUE(id.has_value());
  EXPECT_EQ(id->text(), "0af7651916cd43dd:run-1_a.B");
}

TEST(WireNames, NothingThatForgesALogLineIsATraceId) {
  for (const std::string_view text :
       {"a\n", "a b", "a\"", "a\\", "\x1b[2J", "a\xe2\x80\xa8", "a\r", "{}", "a/b", "a%0a"}) {
    EXPECT_FALSE(TraceId::parse(text).has_value()) << text;
  }
  EXPECT_FALSE(TraceId::parse(std::string_view("a\0", 2)).has_value());
}

}  // namespace
}  // namespace plimsoll
