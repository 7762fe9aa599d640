#include "specgen/yaml_scalar.h"

#include <gtest/gtest.h>

namespace plimsoll::specgen {
namespace {

TEST(YamlScalar, IsOfTheCoreSchemaAndNothingElse) {
  struct Case {
    std::string_view text;
    Kind kind;
    std::string_view value;
  };
  for (const Case& one : {
           Case{"NO", Kind::kString, "NO"},
           Case{"on", Kind::kString, "on"},
           Case{"y", Kind::kString, "y"},
           Case{"Yes", Kind::kString, "Yes"},
           Case{"2024-01-01", Kind::kString, "2024-01-01"},
           Case{"1_000", Kind::kString, "1_000"},
           Case{"1:30", Kind::kString, "1:30"},
           Case{"1.2.3", Kind::kString, "1.2.3"},
           Case{"1e", Kind::kString, "1e"},
           Case{"1e+", Kind::kString, "1e+"},
           Case{"-", Kind::kString, "-"},
           Case{".", Kind::kString, "."},
           Case{"0xZ", Kind::kString, "0xZ"},
           Case{"0x", Kind::kString, "0x"},
           Case{"tRue", Kind::kString, "tRue"},
           Case{"True", Kind::kBool, "true"},
           Case{"FALSE", Kind::kBool, "false"},
           Case{"~", Kind::kNull, ""},
           Case{"", Kind::kNull, ""},
           Case{"Null", Kind::kNull, ""},
           Case{"-.inf", Kind::kNull, ""},
           Case{".nan", Kind::kNull, ""},
           Case{"7", Kind::kNumber, "7"},
           Case{"-007", Kind::kNumber, "-7"},
           Case{"+1.50", Kind::kNumber, "1.50"},
           Case{"1.", Kind::kNumber, "1"},
           Case{".5e-3", Kind::kNumber, "0.5e-3"},
           Case{"0x1F", Kind::kNumber, "31"},
           Case{"0o17", Kind::kNumber, "15"},
           Case{"3.10", Kind::kNumber, "3.10"},
       }) {
    const ScalarValue value = value_of_plain_scalar(one.text);
    EXPECT_EQ(value.kind, one.kind) << one.text;
    EXPECT_EQ(value.text, one.value) << one.text;
  }
}

}  // namespace
}  // namespace plimsoll::specgen
