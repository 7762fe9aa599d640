#include "record/field_writer.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <limits>
#include <string>

namespace plimsoll::record {
namespace {

class StringSink final : public ByteSink {
 public:
  void append(std::string_view bytes) override { text_ += bytes; }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
};

template <std::size_t Size>
std::string bytes(const char (&literal)[Size]) {
  return std::string(literal, Size - 1);
}

// What a field adds behind an empty domain.
template <class Write>
std::string written(Write write) {
  StringSink sink;
  FieldWriter fields(sink, "");
  EXPECT_EQ(sink.text(), std::string(8, '\0'));
  write(fields);
  return sink.text().substr(8);
}

const std::string kNameN = bytes("\0\0\0\0\0\0\0\1n");

TEST(FieldWriter, AValueIsItsLengthAndItsBytes) {
  StringSink sink;
  FieldWriter fields(sink, "dom");
  fields.bytes("name", "content");
  EXPECT_EQ(sink.text(), bytes("\0\0\0\0\0\0\0\3dom\0\0\0\0\0\0\0\4name\0\0\0\0\0\0\0\7content"));
}

TEST(FieldWriter, LengthsAreBigEndian) {
  const std::string long_content(0x01'02'03, 'x');
  EXPECT_EQ(written([&](FieldWriter& fields) { fields.bytes("n", long_content); }),
            kNameN + bytes("\0\0\0\0\0\1\2\3") + long_content);
  EXPECT_EQ(written([](FieldWriter& fields) { fields.bytes("n", ""); }),
            kNameN + std::string(8, '\0'));
}

TEST(FieldWriter, IntegersAreDecimal) {
  struct Row {
    std::int64_t number;
    std::string_view text;
  };
  for (const Row& row : {Row{0, "0"}, Row{-1, "-1"}, Row{124, "124"},
                         Row{std::numeric_limits<std::int64_t>::min(), "-9223372036854775808"},
                         Row{std::numeric_limits<std::int64_t>::max(), "9223372036854775807"}}) {
    EXPECT_EQ(written([&](FieldWriter& fields) { fields.integer("n", row.number); }),
              written([&](FieldWriter& fields) { fields.bytes("n", row.text); }));
  }
  EXPECT_EQ(written([](FieldWriter& fields) {
              fields.count("n", std::numeric_limits<std::uint64_t>::max());
            }),
            written([](FieldWriter& fields) { fields.bytes("n", "18446744073709551615"); }));
}

TEST(FieldWriter, FlagsAreWords) {
  EXPECT_EQ(written([](FieldWriter& fields) { fields.flag("n", true); }),
            kNameN + bytes("\0\0\0\0\0\0\0\4true"));
  EXPECT_EQ(written([](FieldWriter& fields) { fields.flag("n", false); }),
            kNameN + bytes("\0\0\0\0\0\0\0\5false"));
}

TEST(FieldWriter, DoublesAreTheirBits) {
  const std::array numbers = {1.0, -0.0, std::numeric_limits<double>::infinity(),
                              std::bit_cast<double>(0x7ff8'0000'0000'0001)};
  EXPECT_EQ(written([&](FieldWriter& fields) { fields.doubles("n", numbers); }),
            kNameN + bytes("\0\0\0\0\0\0\0\x20"
                           "\x3f\xf0\0\0\0\0\0\0"
                           "\x80\0\0\0\0\0\0\0"
                           "\x7f\xf0\0\0\0\0\0\0"
                           "\x7f\xf8\0\0\0\0\0\1"));
  EXPECT_EQ(written([](FieldWriter& fields) { fields.doubles("n", {}); }),
            kNameN + std::string(8, '\0'));
}

}  // namespace
}  // namespace plimsoll::record
