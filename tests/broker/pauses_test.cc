// The breaker against an API that asks for pauses, with a clock that the test moves.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "base/manual_clock.h"
#include "tests/broker/broker_rig.h"
#include "tests/broker/recording_upstream.h"

namespace plimsoll {
namespace {

using std::literals::chrono_literals::operator""ms;
using std::literals::chrono_literals::operator""s;

// The manual clock begins at Tue, 14 Nov 2023 22:13:20 GMT.
TEST(Pauses, EveryFormOfRetryAfterIsKept) {
  const std::pair<std::string_view, std::chrono::milliseconds> cases[] = {
      {"Retry-After: 7\r\n", 7s},
      {"Retry-After: Tue, 14 Nov 2023 22:13:30 GMT\r\n", 10s},
      {"Retry-After: Tuesday, 14-Nov-23 22:13:31 GMT\r\n", 11s},
      {"Retry-After: Tue Nov 14 22:13:32 2023\r\n", 12s},
      {"Retry-After: -5\r\n", 1s},
      {"Retry-After: 1.5\r\n", 1s},
      {"Retry-After: 120junk\r\n", 1s},
      {"Retry-After: Tue, 14 Nov 2023 22:00:00 GMT\r\n", 1s},
      {"Retry-After: 99999999999999999999\r\n", 30s},
      {"Retry-After: Fri, 31 Dec 9999 23:59:59 GMT\r\n", 30s},
      {"Retry-After: 7\r\nRetry-After: 9\r\n", 1s},
      {"", 1s},
  };
  for (const unsigned status : {429U, 503U}) {
    for (const auto& [lines, pause] : cases) {
      const RecordingUpstream upstream(
          [&](const ReceivedRequest&, UpstreamPeer& peer) { peer.answer(status, "wait", lines); });
      ManualClock clock;
      BrokerRig rig(grant_of({.base_url = upstream.origin(), .allow = {"GET /a"}}), clock, 3600s);
      EXPECT_EQ(rig.call("GET", "/a").body, "wait");
      clock.advance(pause - 1ms);
      EXPECT_EQ(rig.call("GET", "/a").source, ReplySource::kRefused) << lines;
      EXPECT_EQ(upstream.requests().size(), 1U) << lines;
      clock.advance(1ms);
      EXPECT_EQ(rig.call("GET", "/a").source, ReplySource::kApi) << lines;
      EXPECT_EQ(upstream.requests().size(), 2U) << lines;
    }
  }
}

TEST(Pauses, ALoopThatRetriesFasterAndFasterIsSeenOnceAWindow) {
  const RecordingUpstream upstream([](const ReceivedRequest&, UpstreamPeer& peer) {
    peer.answer(429, "", "Retry-After: 2\r\n");
  });
  ManualClock clock;
  BrokerRig rig(grant_of({.base_url = upstream.origin(),
                          .allow = {"GET /a", "GET /b"},
                          .health_check = "GET /health",
                          .max_calls = kMaxMaxCalls}),
                clock, 3600s);
  auto wait = std::chrono::milliseconds(500);
  for (auto passed = 0ms; passed < 20s; passed += wait) {
    rig.call("GET", "/a");
    rig.call("GET", "/b");
    wait = std::max(wait / 2, 5ms);
    clock.advance(wait);
  }
  EXPECT_LE(upstream.requests().size(), 11U);
  EXPECT_GE(upstream.requests().size(), 9U);
  for (const auto& request : upstream.requests()) EXPECT_NE(request.target(), "/health");
}

TEST(Pauses, AHealthCheckFindsARecoveryBeforeTheWindowEnds) {
  std::atomic<bool> well = false;
  const RecordingUpstream upstream([&](const ReceivedRequest&, UpstreamPeer& peer) {
    peer.answer(well ? 200 : 503, "", "Retry-After: 30\r\n");
  });
  ManualClock clock;
  BrokerRig rig(grant_of({.base_url = upstream.origin(),
                          .allow = {"POST /a"},
                          .health_check = "GET /health",
                          .max_calls = kMaxMaxCalls,
                          .minter = token("tok-1")}),
                clock, 3600s);
  EXPECT_EQ(rig.call("POST", "/a", "{}").source, ReplySource::kApi);
  for (int i = 0; i < 50; ++i) {  // 5 s
    EXPECT_EQ(rig.call("POST", "/a", "{}").source, ReplySource::kRefused);
    clock.advance(100ms);
  }
  EXPECT_EQ(upstream.requests().size(), 1U + 5U) << "one probe a second";
  well = true;
  EXPECT_EQ(rig.call("POST", "/a", "{}").status, 200U);
  const auto requests = upstream.requests();
  ASSERT_EQ(requests.size(), 8U);
  EXPECT_EQ(requests[6].head.substr(0, 24), "GET /health HTTP/1.1\r\nHo");
  EXPECT_THAT(requests[6].fields("authorization"), testing::ElementsAre("Bearer tok-1"));
  EXPECT_EQ(requests[7].body, "{}");
  EXPECT_EQ(rig.trace().rows.size(), 2U);
  EXPECT_EQ(rig.trace().shed, 50U);
}

}  // namespace
}  // namespace plimsoll
