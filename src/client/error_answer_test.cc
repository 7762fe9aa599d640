#include "client/error_answer.h"

#include <gtest/gtest.h>

namespace plimsoll::client {
namespace {

ClientError error_of(unsigned status, std::string body, std::string type = "application/json") {
  return from_error_answer({.status = status,
                            .content_type = std::move(type),
                            .retry_after = std::nullopt,
                            .body = std::move(body)});
}

// {"code":CODE,"message":"m","details":[NotDispatched VALUE]}
std::string with_reason(const std::string& code, const std::string& value) {
  return R"({"code":")" + code +
         R"(","message":"m","details":[{"type":"plimsoll.v1.NotDispatched","value":")" + value +
         "\"}]}";
}

TEST(ErrorAnswer, EachReasonIsTypedAgain) {
  struct Row {
    const char* code;
    const char* value;
    ErrorCode expected;
    NotDispatchedReason reason;
  };
  using enum NotDispatchedReason;
  const Row rows[] = {
      {"invalid_argument", "CAE", ErrorCode::kInvalidRequest, kRequest},
      {"resource_exhausted", "CAE", ErrorCode::kInvalidRequest, kRequest},
      {"unauthenticated", "CAI", ErrorCode::kUnauthenticated, kPermission},
      {"permission_denied", "CAI", ErrorCode::kPermission, kPermission},
      {"unimplemented", "CAM", ErrorCode::kUnsupported, kProtocol},
      {"unimplemented", "CAQ", ErrorCode::kUnsupported, kUnsupported},
      {"failed_precondition", "CAQ", ErrorCode::kDisabled, kUnsupported},
      {"failed_precondition", "CAU", ErrorCode::kIsolation, kIsolation},
      {"resource_exhausted", "CAY", ErrorCode::kCapacity, kCapacity},
      {"resource_exhausted", "CAY=", ErrorCode::kCapacity, kCapacity},
      {"unavailable", "CAc", ErrorCode::kNotReady, kEnvironment},
  };
  for (const Row& row : rows) {
    const ClientError error = error_of(400, with_reason(row.code, row.value));
    EXPECT_EQ(error.code, row.expected) << row.code << row.value;
    EXPECT_EQ(error.not_dispatched, row.reason) << row.code << row.value;
    EXPECT_EQ(error.message, "m");
    EXPECT_FALSE(error.answered);
  }
}

TEST(ErrorAnswer, WithoutTheDetailNothingIsClaimed) {
  struct Row {
    const char* code;
    ErrorCode expected;
  };
  const Row rows[] = {{"unauthenticated", ErrorCode::kUnauthenticated},
                      {"permission_denied", ErrorCode::kPermission},
                      {"resource_exhausted", ErrorCode::kCapacity},
                      {"invalid_argument", ErrorCode::kInvalidRequest},
                      {"unimplemented", ErrorCode::kUnsupported},
                      {"failed_precondition", ErrorCode::kInfrastructure},
                      {"unavailable", ErrorCode::kInfrastructure},
                      {"canceled", ErrorCode::kInfrastructure},
                      {"internal", ErrorCode::kInfrastructure},
                      {"of_the_future", ErrorCode::kInfrastructure}};
  for (const Row& row : rows) {
    const ClientError error = error_of(500, R"({"code":")" + std::string(row.code) + "\"}");
    EXPECT_EQ(error.code, row.expected) << row.code;
    EXPECT_EQ(error.not_dispatched, std::nullopt) << row.code;
  }
}

TEST(ErrorAnswer, BrokenDetailsClaimNothing) {
  for (const char* value :
       {"CA", "C", "!!!!", "CAY==", "CAf-", "AAAA", "", "CAA", "CAg", "CP8B", "CP///////////wE"}) {
    const ClientError error = error_of(429, with_reason("resource_exhausted", value));
    EXPECT_EQ(error.not_dispatched, std::nullopt) << value;
    EXPECT_EQ(error.code, ErrorCode::kCapacity) << value;
  }
  const std::string huge(100'000, 'A');
  EXPECT_EQ(error_of(429, with_reason("resource_exhausted", huge)).not_dispatched, std::nullopt);
}

TEST(ErrorAnswer, TwoReasonsAreNone) {
  const std::string one = R"({"type":"plimsoll.v1.NotDispatched","value":"CAY"})";
  const std::string other = R"({"type":"plimsoll.v1.NotDispatched","value":"CAE"})";
  const auto body = [](const std::string& details) {
    return R"({"code":"unavailable","details":[)" + details + "]}";
  };
  EXPECT_EQ(error_of(503, body(one + "," + other)).not_dispatched, std::nullopt);
  EXPECT_EQ(error_of(503, body(one + "," + one)).not_dispatched, NotDispatchedReason::kCapacity);
  const std::string broken = R"({"type":"plimsoll.v1.NotDispatched","value":"!"})";
  EXPECT_EQ(error_of(503, body(one + "," + broken)).not_dispatched, std::nullopt);
}

TEST(ErrorAnswer, WhatTwoReadersReadDifferentlyIsNotRead) {
  for (const char* body :
       {R"({"code":"unavailable","details":[],"details":[)"
        R"({"type":"plimsoll.v1.NotDispatched","value":"CAY"}]})",
        R"({"code":"unavailable","details":{"type":"plimsoll.v1.NotDispatched","value":"CAY"}})",
        R"({"code":"unavailable","details":[{"type":"plimsoll.v1.NotDispatched","value":6}]})",
        R"({"code":"unavailable","details":[{"type":"x","type":"plimsoll.v1.NotDispatched",)"
        R"("value":"CAY"}]})",
        R"({"code":"unavailable","details":["plimsoll.v1.NotDispatched"]})",
        R"({"code":"unavailable","details":[{"type":"other.NotDispatched","value":"CAY"}]})"}) {
    EXPECT_EQ(error_of(503, body).not_dispatched, std::nullopt) << body;
  }
}

TEST(ErrorAnswer, AnythingElseIsAFaultThatMayHaveRun) {
  std::string deep;
  for (int i = 0; i < 10'000; ++i) deep += R"({"code":)";
  const std::string many = R"({"code":"x","details":[)" + std::string(4000, ' ') + [] {
    std::string items = "0";
    for (int i = 0; i < 2000; ++i) items += ",0";
    return items;
  }() + "]}";
  for (const std::string& body :
       {std::string(), std::string("null"), std::string("[]"), std::string("{}"),
        std::string(R"({"code":5})"), std::string(R"({"code":"a")"), std::string("<html>"), deep,
        std::string("{\"code\":\"\xff\"}"), std::string(100'000, ' ') + R"({"code":"x"})", many}) {
    const ClientError error = error_of(500, body);
    EXPECT_EQ(error.code, ErrorCode::kInfrastructure) << body.substr(0, 40);
    EXPECT_EQ(error.not_dispatched, std::nullopt) << body.substr(0, 40);
    EXPECT_FALSE(error.message.empty());
  }
}

TEST(ErrorAnswer, ABareStatusIsOfWhoeverStandsBetween) {
  EXPECT_EQ(error_of(401, "", "").code, ErrorCode::kUnauthenticated);
  EXPECT_EQ(error_of(403, "", "text/html").code, ErrorCode::kPermission);
  EXPECT_EQ(error_of(429, "", "").code, ErrorCode::kCapacity);
  for (const unsigned status : {0U, 200U, 204U, 302U, 404U, 413U, 502U, 503U}) {
    EXPECT_EQ(error_of(status, "", "text/plain").code, ErrorCode::kInfrastructure) << status;
  }
  for (const unsigned status : {200U, 302U, 401U, 503U}) {
    const ClientError error =
        error_of(status, with_reason("resource_exhausted", "CAY"), "text/html");
    EXPECT_EQ(error.not_dispatched, std::nullopt) << status;
  }
  // An error that calls itself a success is none.
  EXPECT_EQ(error_of(200, with_reason("unavailable", "CAY")).not_dispatched, std::nullopt);
  EXPECT_EQ(error_of(429, with_reason("unavailable", "CAY"), "Application/JSON ; charset=utf-8")
                .not_dispatched,
            NotDispatchedReason::kCapacity);
}

TEST(ErrorAnswer, WhenToComeBack) {
  const auto body = [](const char* value) {
    return R"({"code":"resource_exhausted","details":[{"type":"google.rpc.RetryInfo","value":")" +
           std::string(value) + "\"}]}";
  };
  // retry_delay {seconds: 2, nanos: 500000000}
  EXPECT_EQ(error_of(429, body("CggIAhCAyrXuAQ")).retry_after, Millis(2500));
  EXPECT_EQ(error_of(429, body("CiAI")).retry_after, std::nullopt);                // broken
  EXPECT_EQ(error_of(429, body("CgsI////////////AQ")).retry_after, std::nullopt);  // negative
  HttpReply reply{.status = 429,
                  .content_type = "application/json",
                  .retry_after = std::chrono::seconds(7),
                  .body = R"({"code":"resource_exhausted"})"};
  EXPECT_EQ(from_error_answer(reply).retry_after, Millis(7000));
  reply.body = body("CggIAhCAyrXuAQ");
  EXPECT_EQ(from_error_answer(reply).retry_after, Millis(2500));
  reply.content_type.clear();
  EXPECT_EQ(from_error_answer(reply).retry_after, Millis(7000));
  reply.retry_after = std::chrono::seconds(1'000'000);
  EXPECT_EQ(from_error_answer(reply).retry_after, std::nullopt);
}

TEST(ErrorAnswer, TheMessageIsPrintableAndCut) {
  const std::string message =
      error_of(500, R"({"code":"internal","message":"\u001b[31mred\nline\u0085"})").message;
  EXPECT_EQ(message, "?[31mred?line??");
  EXPECT_EQ(error_of(500, R"({"code":"internal","message":")" + std::string(9000, 'x') + "\"}")
                .message.size(),
            1024U);
}

TEST(ErrorAnswer, OnlyWhatWasNeverSentProvablyDidNotRun) {
  const auto judged = [](HttpFault fault, Sent sent) {
    return from_failure({.fault = fault, .sent = sent, .message = "m"});
  };
  for (const HttpFault fault :
       {HttpFault::kUnreachable, HttpFault::kUntrusted, HttpFault::kCanceled, HttpFault::kDeadline,
        HttpFault::kTooLarge, HttpFault::kBroken}) {
    EXPECT_FALSE(judged(fault, Sent::kPerhaps).not_dispatched);
    EXPECT_TRUE(judged(fault, Sent::kNothing).not_dispatched);
  }
  EXPECT_EQ(judged(HttpFault::kUnreachable, Sent::kNothing).code, ErrorCode::kUnreachable);
  EXPECT_EQ(judged(HttpFault::kCanceled, Sent::kPerhaps).code, ErrorCode::kCanceled);
  EXPECT_EQ(judged(HttpFault::kUntrusted, Sent::kNothing).code, ErrorCode::kInfrastructure);
}

}  // namespace
}  // namespace plimsoll::client
