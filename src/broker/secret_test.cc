#include "plimsoll/secret.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <type_traits>
#include <utility>

namespace plimsoll {
namespace {

template <class T>
concept Printable = requires(std::ostream& out, const T& value) { out << value; };
template <class T>
concept Comparable = requires(const T& one, const T& other) { one == other; };

static_assert(!Printable<Secret> && !fmt::is_formattable<Secret>::value && !Comparable<Secret>);
static_assert(!std::is_convertible_v<Secret, std::string_view>);
static_assert(!std::is_convertible_v<Secret, std::string>);
static_assert(!std::is_copy_constructible_v<Secret> && !std::is_copy_assignable_v<Secret>);

TEST(Secret, HoldsACopyThatMoves) {
  std::string text = "s3cret";
  Secret one{text};
  text = "other!";
  EXPECT_EQ(one.reveal(), "s3cret");
  Secret other = one.copy();
  Secret third = std::move(one);
  EXPECT_TRUE(
      one.empty());  // NOLINT(bugprone-use-after-move): what is left is part of the contract
  other = std::move(third);
  EXPECT_EQ(other.reveal(), "s3cret");
  EXPECT_EQ(other.size(), 6U);
  EXPECT_TRUE(Secret().empty());
  EXPECT_TRUE(Secret("").empty());
}

TEST(Secret, TheObjectsOwnBytesShowNothing) {
  const Secret secret("tok");  // short enough for a std::string to hold it in place
  const auto* bytes = reinterpret_cast<const char*>(&secret);
  EXPECT_EQ(std::string_view(bytes, sizeof secret).find("tok"), std::string_view::npos);
}

}  // namespace
}  // namespace plimsoll
