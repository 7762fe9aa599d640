#include "client/wire_request.h"

#include <gtest/gtest.h>
#include <plimsoll/v1/sandbox.pb.h>

#include "client/honest_answer.h"
#include "record/request_digest.h"

namespace plimsoll::client {
namespace {

TEST(WireRequest, WhatIsSentIsWhatTheDigestCovers) {
  const auto asked = to_asked_run({.code = "console.log('\xc3\xa9')",
                                   .timeout = Millis(1500),
                                   .minimum_isolation = Isolation::kKernel},
                                  {.grant_profile = "orders"});
  ASSERT_TRUE(asked) << asked.error().message;
  v1::RunRequest message;
  ASSERT_TRUE(message.ParseFromString(encode_run_request(*asked, "trace-1")));
  EXPECT_EQ(message.protocol(), 2U);
  EXPECT_EQ(message.minimum_isolation(), "kernel");
  EXPECT_EQ(message.timeout_ms(), 1500);
  EXPECT_EQ(message.trace_id(), "trace-1");
  EXPECT_EQ(message.javascript().grant_profile(), "orders");
  EXPECT_EQ(message.javascript().code(), "console.log('\xc3\xa9')");
  EXPECT_EQ(record::request_digest(asked_of(message)).hex(), record::request_digest(*asked).hex());
}

TEST(WireRequest, EveryMistakeAtOnceAndNothingRan) {
  const auto asked = to_asked_run({.code = {},
                                   .timeout = Millis(-1),
                                   .minimum_isolation = Isolation::kUnknown,
                                   .caller = "ann"},
                                  {.trace_id = "a b", .grant_profile = "a/b"});
  ASSERT_FALSE(asked);
  EXPECT_EQ(asked.error().code, ErrorCode::kInvalidRequest);
  EXPECT_EQ(asked.error().not_dispatched, NotDispatchedReason::kRequest);
  for (const char* part :
       {"code", "timeout", "minimum_isolation", "caller", "trace_id", "grant_profile"}) {
    EXPECT_NE(asked.error().message.find(part), std::string::npos) << part;
  }
}

TEST(WireRequest, WhatTheWireCannotCarryIsRefused) {
  EXPECT_FALSE(to_asked_run({.code = "'\xff'"}, {}));
  EXPECT_FALSE(to_asked_run({.code = std::string(kMaxCodeBytes + 1, 'x')}, {}));
  EXPECT_FALSE(to_asked_run({.code = "1", .timeout = Millis(std::int64_t{1} << 31)}, {}));
  EXPECT_TRUE(to_asked_run({.code = std::string(kMaxCodeBytes, 'x')}, {}));
  EXPECT_TRUE(to_asked_run({.code = std::string("1;\0", 3)}, {}));
}

}  // namespace
}  // namespace plimsoll::client
