#include "core/project_path.h"

#include <gtest/gtest.h>

#include <string>

#include "core/wire_limits.h"

namespace plimsoll {
namespace {

TEST(ProjectPath, WhatIsInOrder) {
  for (const std::string_view path : {"a", "main.js", "src/lib/a.js", ".env", "...", "a..b", "..a",
                                      "a b", "\xc3\xa4.js", "-rf", "a\\b", "C:"}) {
    EXPECT_EQ(flaw_of_path(path), std::nullopt) << path;
  }
  EXPECT_EQ(flaw_of_path(std::string(kMaxPathBytes, 'a')), std::nullopt);
}

TEST(ProjectPath, WhatIsRefused) {
  struct Row {
    std::string path;
    std::string_view flaw;
  };
  for (const Row& row : {
           Row{"", "is empty"},
           Row{std::string(kMaxPathBytes + 1, 'a'), "is longer than 1024 bytes"},
           Row{"a\nb", "has a control character in it"},
           Row{std::string("a\0b", 3), "has a control character in it"},
           Row{"a\x7f", "has a control character in it"},
           Row{"/etc/passwd", "is absolute; one relative to the project is needed"},
           Row{"/", "is absolute; one relative to the project is needed"},
           Row{"..", "has a component . or .."},
           Row{"../a", "has a component . or .."},
           Row{"a/../../b", "has a component . or .."},
           Row{"a/..", "has a component . or .."},
           Row{".", "has a component . or .."},
           Row{"./a", "has a component . or .."},
           Row{"a/./b", "has a component . or .."},
           Row{"a//b", "has an empty component"},
           Row{"a/", "has an empty component"},
       }) {
    EXPECT_EQ(flaw_of_path(row.path), row.flaw) << row.path;
  }
}

TEST(ProjectPath, EveryControlCharacterIsRefusedAndNoOtherByte) {
  for (int byte = 0; byte < 256; ++byte) {
    const std::string path{'a', static_cast<char>(byte), 'a'};
    EXPECT_EQ(flaw_of_path(path).has_value(), byte < 0x20 || byte == 0x7f) << byte;
  }
}

TEST(ProjectPath, AFileIsNoFolder) {
  EXPECT_TRUE(has_parent_in("a/b/c", {"a"}));
  EXPECT_TRUE(has_parent_in("a/b/c", {"a/b"}));
  EXPECT_FALSE(has_parent_in("a/b/c", {"a/b/c"}));
  EXPECT_FALSE(has_parent_in("a/b/c", {"a/c", "b", "ab"}));
  EXPECT_FALSE(has_parent_in("ab", {"a"}));
}

}  // namespace
}  // namespace plimsoll
