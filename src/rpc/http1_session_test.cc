#include "rpc/http1_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rpc/fake_peer.h"

namespace plimsoll::rpc {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

struct Fixture {
  Limits limits;
  FakeWire wire;
  FakeFactory factory;
  Http1Session session{limits, wire, factory};
};

// A second may pass between two answers.
std::string without_dates(std::string text) {
  constexpr std::string_view kField = "\r\ndate: ";
  for (auto at = text.find(kField); at != std::string::npos; at = text.find(kField, at)) {
    text.erase(at, text.find("\r\n", at + kField.size()) - at);
  }
  return text;
}

// What is answered to these bytes, which come at once and then one by one.
std::string answered(std::string_view bytes, std::vector<std::string>* bodies = nullptr) {
  Fixture whole;
  whole.session.on_bytes(bytes);
  Fixture pieces;
  for (const char& c : bytes) pieces.session.on_bytes({&c, 1});
  EXPECT_EQ(without_dates(whole.wire.sent), without_dates(pieces.wire.sent)) << bytes;
  EXPECT_EQ(whole.wire.finished, pieces.wire.finished) << bytes;
  if (bodies != nullptr) {
    for (const auto& request : whole.factory.requests) bodies->push_back(request->body);
  }
  return whole.wire.sent;
}

bool is_refused(std::string_view bytes, unsigned status) {
  Fixture fixture;
  fixture.session.on_bytes(bytes);
  for (const auto& request : fixture.factory.requests) EXPECT_FALSE(request->ended) << bytes;
  return answered(bytes).starts_with("HTTP/1.1 " + std::to_string(status)) &&
         fixture.wire.finished && !fixture.session.wants_bytes();
}

TEST(Http1Session, AnswersRequestsOnOneConnectionInOrder) {
  std::vector<std::string> bodies;
  const std::string sent = answered(
      "\r\nPOST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc"
      "GET /b HTTP/1.1\r\nhost: x\r\n\r\n"
      "POST /c HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
      "3\r\nabc\r\n0A;x=\"y\"\r\n0123456789\r\n0\r\nTrailer: z\r\n\r\n"
      "POST /early HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc"
      "HEAD http://x/d?e HTTP/1.1\r\nHost: x\r\n\r\n",
      &bodies);
  EXPECT_EQ(bodies, (std::vector<std::string>{"abc", "", "abc0123456789", "", ""}));
  EXPECT_THAT(sent, StartsWith("HTTP/1.1 200 OK\r\ncontent-length: 3\r\ndate: "));
  EXPECT_THAT(sent, HasSubstr("HTTP/1.1 403 Forbidden"));
  EXPECT_THAT(sent, testing::Not(HasSubstr("connection: close")));
}

TEST(Http1Session, RefusesWhatCouldBeFramedInTwoWays) {
  for (const char* fields : {
           "Content-Length: 3\r\nTransfer-Encoding: chunked",
           "Transfer-Encoding: chunked\r\nContent-Length: 3",
           "Content-Length: 3\r\nContent-Length: 3",
           "Content-Length: 3\r\nContent-Length: 4",
           "Content-Length: 3, 3",
           "Content-Length: +3",
           "Content-Length: -3",
           "Content-Length: 0x3",
           "Content-Length: 3 3",
           "Content-Length:",
           "Content-Length: 99999999999999999999",
           "Transfer-Encoding: gzip",
           "Transfer-Encoding: gzip, chunked",
           "Transfer-Encoding: chunked, identity",
           "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
           "Transfer-Encoding: xchunked",
           "Transfer-Encoding : chunked",
           "Content-Length : 3",
           " Content-Length: 3",
           "X: a\r\n b",
           "X: a\nContent-Length: 3",
           "X: a\rContent-Length: 3",
           "X: a\vb",
           "X",
           ": x",
           "X Y: z",
           "Host: y",
       }) {
    EXPECT_TRUE(
        is_refused("POST /a HTTP/1.1\r\nHost: x\r\n" + std::string(fields) + "\r\n\r\nabc", 400))
        << fields;
  }
  EXPECT_TRUE(
      is_refused(std::string("POST /a HTTP/1.1\r\nHost: x\r\nX: ") + '\0' + "\r\n\r\n", 400));
}

TEST(Http1Session, RefusesWhatIsNoRequest) {
  for (const char* bytes :
       {"GET /a HTTP/1.1\r\n\r\n", "GET /a HTTP/1.1\nHost: x\n\n",
        "GET  /a HTTP/1.1\r\nHost: x\r\n\r\n", "GET a HTTP/1.1\r\nHost: x\r\n\r\n",
        "G@T /a HTTP/1.1\r\nHost: x\r\n\r\n", "GET ftp://x/a HTTP/1.1\r\nHost: x\r\n\r\n",
        "\r\nGET /a HTTP/1.1x\r\nHost: x\r\n\r\n"}) {
    const std::string sent = answered(bytes);
    EXPECT_TRUE(sent.starts_with("HTTP/1.1 400") || sent.starts_with("HTTP/1.1 505")) << bytes;
    EXPECT_THAT(sent, HasSubstr(R"({"code":"invalid_argument")"));
  }
  EXPECT_TRUE(is_refused("GET /a HTTP/2.0\r\nHost: x\r\n\r\n", 505));
  EXPECT_TRUE(is_refused("POST /a HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", 400));
  EXPECT_TRUE(is_refused("POST /a HTTP/1.1\r\nHost: x\r\nExpect: cookies\r\n\r\n", 417));
}

TEST(Http1Session, RefusesBadChunks) {
  for (const char* chunks : {"x\r\nabc", "\r\n", "3\nabc", "3\r\nabcd\r\n", "-1\r\n", "0x3\r\nabc",
                             "+3\r\nabc", "FFFFFFFFFFFFFFFFF\r\n", "3 3\r\nabc", "3\r\nabc\n",
                             "0\r\nx\ny: z\r\n\r\n", "3;a=\n\r\n"}) {
    const std::string bytes =
        "POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n" + std::string(chunks);
    EXPECT_TRUE(is_refused(bytes, 400)) << chunks;
  }
  EXPECT_TRUE(is_refused("POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3;" +
                             std::string(9000, 'a'),
                         400));
}

TEST(Http1Session, HoldsTheHeadersLimitToTheByte) {
  const Limits limits;
  const std::string start = "GET /a HTTP/1.1\r\nHost: x\r\nX: ";
  const std::string fits =
      start + std::string(limits.header_bytes - start.size() - 4, 'a') + "\r\n\r\n";
  ASSERT_EQ(fits.size(), limits.header_bytes);
  Fixture fixture;
  fixture.session.on_bytes(fits);
  EXPECT_THAT(fixture.wire.sent, StartsWith("HTTP/1.1 200"));
  Fixture over;
  over.session.on_bytes(start + std::string(limits.header_bytes - start.size() - 3, 'a') +
                        "\r\n\r\n");
  EXPECT_THAT(over.wire.sent, StartsWith("HTTP/1.1 431"));
  EXPECT_TRUE(over.wire.finished);
  std::string many = "GET /a HTTP/1.1\r\nHost: x\r\n";
  for (std::size_t i = 0; i < limits.header_fields; ++i) many += "X: y\r\n";
  EXPECT_TRUE(is_refused(many + "\r\n", 431));
}

TEST(Http1Session, ContinuesOnlyWhereTheBodyIsWanted) {
  const std::string fields =
      " HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n";
  EXPECT_THAT(answered("POST /a" + fields), StartsWith("HTTP/1.1 100 Continue\r\n\r\n"));
  Fixture fixture;
  fixture.session.on_bytes("POST /early" + fields);
  EXPECT_THAT(fixture.wire.sent, StartsWith("HTTP/1.1 403"));
  EXPECT_TRUE(fixture.wire.finished) << "whether a body follows is not known";
}

TEST(Http1Session, EndsWithTheRequestThatAsksForIt) {
  for (const char* bytes :
       {"GET /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\nGET /b HTTP/1.1\r\n",
        "GET /a HTTP/1.0\r\n\r\nGET /b HTTP/1.1\r\n"}) {
    Fixture fixture;
    fixture.session.on_bytes(bytes);
    EXPECT_THAT(fixture.wire.sent, HasSubstr("connection: close"));
    EXPECT_TRUE(fixture.wire.finished);
    EXPECT_EQ(fixture.factory.requests.size(), 1U);
  }
}

TEST(Http1Session, ALongBodyThatIsNotWantedEndsTheConnection) {
  Fixture fixture;
  fixture.session.on_bytes("POST /early HTTP/1.1\r\nHost: x\r\nContent-Length: 70000\r\n\r\n");
  EXPECT_TRUE(fixture.wire.finished);
  Fixture chunked;
  chunked.session.on_bytes("POST /early HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n");
  EXPECT_TRUE(chunked.wire.finished) << "how long it is cannot be known";
  EXPECT_THAT(chunked.wire.sent, HasSubstr("connection: close"));
}

TEST(Http1Session, HasADeadlineForEachPhase) {
  const auto pass = [](Fixture& fixture, std::chrono::milliseconds time) {
    fixture.wire.time += time;
    fixture.session.on_tick();
  };
  using std::chrono::milliseconds;
  Fixture idle;
  pass(idle, idle.limits.idle - milliseconds(1));
  EXPECT_FALSE(idle.wire.finished);
  pass(idle, milliseconds(1));
  EXPECT_TRUE(idle.wire.finished);
  EXPECT_EQ(idle.wire.sent, "");

  Fixture head;
  head.session.on_bytes("G");
  for (int i = 0; i < 9; ++i) {
    pass(head, milliseconds(1000));
    head.session.on_bytes("E");
  }
  EXPECT_FALSE(head.wire.finished);
  pass(head, milliseconds(1000));
  EXPECT_THAT(head.wire.sent, StartsWith("HTTP/1.1 408"));
  EXPECT_TRUE(head.wire.finished);

  Fixture body;
  body.session.on_bytes("POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\na");
  pass(body, body.limits.body_read);
  EXPECT_TRUE(body.factory.requests[0]->timed_out);
  EXPECT_THAT(body.wire.sent, StartsWith("HTTP/1.1 408"));
  EXPECT_TRUE(body.wire.finished);

  Fixture waiting;
  waiting.session.on_bytes("GET /never HTTP/1.1\r\nHost: x\r\n\r\n");
  pass(waiting, std::chrono::hours(1));
  EXPECT_FALSE(waiting.wire.finished) << "a run has its own deadlines";
}

TEST(Http1Session, TellsAnExchangeThatItsPeerIsGone) {
  Fixture fixture;
  fixture.session.on_bytes("GET /never HTTP/1.1\r\nHost: x\r\n\r\n");
  fixture.session.on_closed();
  EXPECT_TRUE(fixture.factory.requests[0]->gone);
}

TEST(Http1Session, ReadsAheadOnlySoFar) {
  Fixture fixture;
  fixture.session.on_bytes("GET /never HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_TRUE(fixture.session.wants_bytes());
  fixture.session.on_bytes(std::string(65'536, 'a'));
  EXPECT_FALSE(fixture.session.wants_bytes());
}

TEST(Http1Session, DrainEndsWhatIsIdleAndTheRestAfterItsAnswer) {
  Fixture idle;
  idle.session.on_drain();
  EXPECT_TRUE(idle.wire.finished);
  Fixture busy;
  busy.session.on_bytes("POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\n");
  busy.factory.is_draining = true;
  busy.session.on_drain();
  EXPECT_FALSE(busy.wire.finished);
  busy.session.on_bytes("a");
  EXPECT_THAT(busy.wire.sent, HasSubstr("connection: close"));
  EXPECT_TRUE(busy.wire.finished);
}

}  // namespace
}  // namespace plimsoll::rpc
