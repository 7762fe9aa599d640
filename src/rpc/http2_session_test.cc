#include "rpc/http2_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rpc/fake_peer.h"

namespace plimsoll::rpc {
namespace {

using testing::HasSubstr;

constexpr unsigned kData = 0;
constexpr unsigned kHeaders = 1;
constexpr unsigned kReset = 3;
constexpr unsigned kSettings = 4;
constexpr unsigned kGoaway = 7;

std::string frame(unsigned kind, unsigned flags, unsigned stream, std::string_view payload = "") {
  std::string out;
  for (const unsigned shift : {16U, 8U, 0U})
    out += static_cast<char>(payload.size() >> shift & 255U);
  out += static_cast<char>(kind);
  out += static_cast<char>(flags);
  for (const unsigned shift : {24U, 16U, 8U, 0U}) out += static_cast<char>(stream >> shift & 255U);
  return out + std::string(payload);
}

// A head as HPACK literals (RFC 7541 section 6.2.2).
std::string head(std::string_view path) {
  std::string out;
  for (const auto& [name, value] :
       std::initializer_list<std::pair<std::string_view, std::string_view>>{
           {":method", "POST"}, {":scheme", "http"}, {":path", path}, {":authority", "x"}}) {
    out += '\0';
    out += static_cast<char>(name.size());
    out += name;
    out += static_cast<char>(value.size());
    out += value;
  }
  return out;
}

std::string preface() { return "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(kSettings, 0, 0); }

// How many frames of that kind, and the bytes of the last.
std::size_t count(std::string_view sent, unsigned kind, std::string* last = nullptr) {
  std::size_t found = 0;
  while (sent.size() >= 9) {
    const auto at = [&](std::size_t i) {
      return static_cast<std::size_t>(static_cast<unsigned char>(sent[i]));
    };
    const std::size_t size = at(0) << 16U | at(1) << 8U | at(2);
    if (at(3) == kind) {
      ++found;
      if (last != nullptr) *last = sent.substr(9, size);
    }
    sent.remove_prefix(std::min(sent.size(), 9 + size));
  }
  return found;
}

struct Fixture {
  Limits limits;
  FakeWire wire;
  FakeFactory factory;
  Http2Session session{limits, wire, factory};
};

TEST(Http2Session, AnswersStreams) {
  Fixture fixture;
  fixture.session.on_bytes(preface() + frame(kHeaders, 4, 1, head("/a?b")) +
                           frame(kData, 0, 1, "he") + frame(kHeaders, 5, 3, head("/c")) +
                           frame(kData, 1, 1, "llo"));
  ASSERT_EQ(fixture.factory.requests.size(), 2U);
  EXPECT_EQ(fixture.factory.requests[0]->head.path, "/a");
  EXPECT_EQ(fixture.factory.requests[0]->head.query, "b");
  EXPECT_EQ(fixture.factory.requests[0]->body, "hello");
  EXPECT_EQ(count(fixture.wire.sent, kHeaders), 2U);
  EXPECT_THAT(fixture.wire.sent, HasSubstr("hello"));
  EXPECT_FALSE(fixture.wire.finished);
}

TEST(Http2Session, AResetOrTheEndOfTheConnectionIsToldToTheExchange) {
  Fixture fixture;
  fixture.session.on_bytes(preface() + frame(kHeaders, 5, 1, head("/never")) +
                           frame(kHeaders, 5, 3, head("/never")) +
                           frame(kReset, 0, 1, std::string("\0\0\0\x08", 4)));
  EXPECT_TRUE(fixture.factory.requests[0]->gone);
  EXPECT_FALSE(fixture.factory.requests[1]->gone);
  fixture.session.on_closed();
  EXPECT_TRUE(fixture.factory.requests[1]->gone);
}

TEST(Http2Session, RapidResetsEndTheConnection) {
  Fixture fixture;
  fixture.session.on_bytes(preface());
  unsigned id = 1;
  for (; id < 40'000 && !fixture.wire.finished; id += 2) {
    fixture.session.on_bytes(frame(kHeaders, 4, id, head("/never")) +
                             frame(kReset, 0, id, std::string("\0\0\0\x08", 4)));
  }
  EXPECT_TRUE(fixture.wire.finished);
  EXPECT_LT(id, 2 * (fixture.limits.reset_burst + 200));
  EXPECT_EQ(count(fixture.wire.sent, kGoaway), 1U);
  for (const auto& request : fixture.factory.requests) EXPECT_FALSE(request->ended);
}

TEST(Http2Session, ABodyThatIsNotWantedIsResetLate) {
  Fixture fixture;
  fixture.session.on_bytes(preface() + frame(kHeaders, 4, 1, head("/early")));
  EXPECT_EQ(count(fixture.wire.sent, kReset), 0U);
  fixture.session.on_bytes(frame(kData, 0, 1, "more"));
  fixture.wire.time += std::chrono::milliseconds(1000);
  fixture.session.on_tick();
  std::string last;
  ASSERT_EQ(count(fixture.wire.sent, kReset, &last), 1U);
  EXPECT_EQ(last, std::string(4, '\0'));
  EXPECT_EQ(fixture.factory.requests[0]->body, "");
}

TEST(Http2Session, HasItsDeadlines) {
  Fixture idle;
  idle.session.on_bytes(preface());
  idle.wire.time += idle.limits.idle;
  idle.session.on_tick();
  EXPECT_TRUE(idle.wire.finished);

  Fixture slow_head;
  slow_head.session.on_bytes(preface() + frame(kHeaders, 0, 1, head("/a")));
  slow_head.wire.time += slow_head.limits.header_read;
  slow_head.session.on_tick();
  EXPECT_TRUE(slow_head.wire.finished);

  Fixture slow_body;
  slow_body.session.on_bytes(preface() + frame(kHeaders, 4, 1, head("/a")));
  slow_body.wire.time += slow_body.limits.body_read;
  slow_body.session.on_tick();
  EXPECT_TRUE(slow_body.factory.requests[0]->timed_out);
  EXPECT_FALSE(slow_body.wire.finished);
}

TEST(Http2Session, AnAnswerThatThePeerDoesNotTakeIsGivenUp) {
  Fixture fixture;
  // A window of nothing: SETTINGS_INITIAL_WINDOW_SIZE 0.
  fixture.session.on_bytes(preface() + frame(kSettings, 0, 0, std::string("\0\4\0\0\0\0", 6)) +
                           frame(kHeaders, 4, 1, head("/a")) + frame(kData, 1, 1, "hello"));
  EXPECT_EQ(count(fixture.wire.sent, kData), 0U);
  fixture.wire.time += fixture.limits.write_stall;
  fixture.session.on_tick();
  EXPECT_EQ(count(fixture.wire.sent, kReset), 1U);
}

TEST(Http2Session, DrainSaysGoodbyeAndAnswersWhatRuns) {
  Fixture fixture;
  fixture.session.on_bytes(preface() + frame(kHeaders, 4, 1, head("/a")));
  fixture.session.on_drain();
  EXPECT_EQ(count(fixture.wire.sent, kGoaway), 1U);
  EXPECT_FALSE(fixture.wire.finished);
  fixture.session.on_bytes(frame(kData, 1, 1, "hello"));
  EXPECT_THAT(fixture.wire.sent, HasSubstr("hello"));
  EXPECT_TRUE(fixture.wire.finished);
}

TEST(Http2Session, BytesAfterItsEndAreIgnored) {
  Fixture fixture;
  fixture.session.on_bytes(preface() + frame(kData, 0, 0, "x"));
  EXPECT_TRUE(fixture.wire.finished);
  EXPECT_FALSE(fixture.session.wants_bytes());
  fixture.session.on_bytes("anything");
}

}  // namespace
}  // namespace plimsoll::rpc
