#include "plimsoll/bearer_token.h"

#include <gtest/gtest.h>

#include "client/temporary_file.h"

namespace plimsoll {
namespace {

using client::TemporaryFile;

std::string in_file(std::string_view content, mode_t mode = 0600) {
  const TemporaryFile file(content, mode);
  const auto token = BearerToken::from_file(file.path());
  return token ? std::string(token->reveal()) : "refused: " + token.error().message;
}

bool is_refused(const std::string& text) { return text.starts_with("refused: "); }

TEST(BearerToken, OneLineBreakAtTheEndIsNoPartOfIt) {
  EXPECT_EQ(in_file("abc"), "abc");
  EXPECT_EQ(in_file("abc\n"), "abc");
  EXPECT_EQ(in_file("abc\r\n"), "abc");
}

TEST(BearerToken, WhatEndsAHeaderIsRefused) {
  for (const char* content : {"", "\n", "abc\n\n", "a bc", " abc", "abc ", "a\tb", "a\r\nb: c",
                              "a\nb", "\xc3\xa4", "\x7f"}) {
    EXPECT_TRUE(is_refused(in_file(content))) << content;
  }
  EXPECT_TRUE(is_refused(in_file(std::string("a\0b", 3))));
}

TEST(BearerToken, IsBounded) {
  const std::string longest(kMaxTokenBytes, 'x');
  EXPECT_EQ(in_file(longest), longest);
  EXPECT_EQ(in_file(longest + "\r\n"), longest);
  EXPECT_TRUE(is_refused(in_file(longest + "x")));
  EXPECT_TRUE(is_refused(in_file(longest + longest)));
}

TEST(BearerToken, AFileThatOthersCanReadIsRefused) {
  for (const mode_t mode : {0400U, 0600U, 0440U, 0640U}) EXPECT_EQ(in_file("abc", mode), "abc");
  for (const mode_t mode : {0644U, 0604U, 0602U, 0601U, 0660U, 0777U}) {
    EXPECT_TRUE(is_refused(in_file("abc", mode))) << mode;
  }
}

TEST(BearerToken, OnlyARegularFileIsRead) {
  for (const char* path : {"/dev/zero", "/tmp", "/nonexistent/token", ""}) {
    const auto token = BearerToken::from_file(path);
    ASSERT_FALSE(token) << path;
    EXPECT_EQ(token.error().code, ErrorCode::kInvalidConfig);
    EXPECT_TRUE(token.error().not_dispatched);
  }
}

TEST(BearerToken, NoErrorHoldsIt) {
  for (const std::string& text : {std::string("tell no one"), std::string(5000, 's')}) {
    EXPECT_EQ(BearerToken::from_text(text).error().message.find(text.substr(0, 4)),
              std::string::npos);
  }
}

TEST(BearerToken, CopiesAndMoves) {
  BearerToken one = BearerToken::from_text("a-longer-token-that-has-its-own-memory").value();
  BearerToken two = one;
  EXPECT_EQ(two.reveal(), one.reveal());
  BearerToken three = std::move(two);
  EXPECT_EQ(three.reveal(), one.reveal());
  one = BearerToken::from_text("b").value();
  EXPECT_EQ(one.reveal(), "b");
  one = three;
  EXPECT_EQ(one.reveal(), three.reveal());
}

}  // namespace
}  // namespace plimsoll
