#include "broker/answer_head.h"

#include <gtest/gtest.h>

#include "broker/http_transport.h"

namespace plimsoll {
namespace {

AnswerHead head_of(std::initializer_list<std::string_view> lines) {
  AnswerHead head;
  for (const std::string_view line : lines) EXPECT_TRUE(head.add(line));
  return head;
}

TEST(AnswerHead, TheTwoFieldsOfTheFinalAnswer) {
  const AnswerHead head =
      head_of({"HTTP/1.1 103 Early Hints\r\n", "Content-Type: early\r\n", "Retry-After: 9\r\n",
               "\r\n", "HTTP/1.1 503 Busy\r\n", "content-TYPE: \t text/plain \r\n",
               "RETRY-after:7\r\n", "Set-Cookie: a=b\r\n", "\r\n", "Content-Type: trailer\r\n",
               "HTTP/1.1 200 OK\r\n", "Retry-After: 1\r\n"});
  EXPECT_EQ(head.status(), 503U);
  EXPECT_EQ(head.content_type(), "text/plain");
  EXPECT_EQ(head.retry_after(), "7");
}

TEST(AnswerHead, OfRepeatedFieldsNoneCounts) {
  const AnswerHead head = head_of({"HTTP/1.1 200 OK", "Content-Type: a", "Content-Type: b",
                                   "Retry-After: 1", "Retry-After: 1", "Retry-After: 1", ""});
  EXPECT_EQ(head.content_type(), "");
  EXPECT_EQ(head.retry_after(), std::nullopt);
}

TEST(AnswerHead, WhatIsNoStatusIsZero) {
  for (const std::string_view line : {"HTTP/1.1", "HTTP/1.1 ", "HTTP/1.1 20", "HTTP/1.1 2x0 OK"}) {
    EXPECT_EQ(head_of({line}).status(), 0U) << line;
  }
  EXPECT_EQ(head_of({}).status(), 0U);
  EXPECT_EQ(head_of({"no colon", ": value", ""}).status(), 0U);
}

TEST(AnswerHead, IsBoundedOverAllItsLines) {
  AnswerHead head;
  const std::string line = "X: " + std::string(1019, 'x') + "\r\n";
  ASSERT_EQ(line.size(), 1024U);
  for (std::size_t i = 0; i < kMaxAnswerHeadBytes / 1024; ++i) ASSERT_TRUE(head.add(line));
  EXPECT_FALSE(head.add("\r\n"));
}

}  // namespace
}  // namespace plimsoll
