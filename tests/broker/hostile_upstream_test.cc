// What an API may do to the broker, and what a guest sees of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>

#include "tests/broker/broker_rig.h"
#include "tests/broker/recording_upstream.h"

namespace plimsoll {
namespace {

using std::literals::chrono_literals::operator""ms;
using std::literals::chrono_literals::operator""s;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr std::string_view kToken = "tok-d41d8cd98f00b204";

Grant grant_for(const RecordingUpstream& upstream) {
  return grant_of({.base_url = upstream.origin(),
                   .allow = {"GET /a", "POST /a", "PATCH /a", "PUT /a", "GET /b"},
                   .minter = token(kToken)});
}

// The one answer of an upstream that does this.
BrokerReply answer_of(RecordingUpstream::Handler handler,
                      std::chrono::milliseconds deadline = 60s) {
  const RecordingUpstream upstream(std::move(handler));
  BrokerRig rig(grant_for(upstream), deadline);
  BrokerReply reply = rig.call("GET", "/a");
  EXPECT_EQ(rig.trace().rows.size(), 1U);
  if (!rig.trace().rows.empty()) {
    EXPECT_EQ(rig.trace().rows[0].delivered, reply.source == ReplySource::kApi);
    EXPECT_EQ(rig.trace().rows[0].status, reply.status);
  }
  return reply;
}

BrokerReply answer_with(std::string bytes) {
  return answer_of([bytes](const ReceivedRequest&, UpstreamPeer& peer) {
    peer.send(bytes);
    peer.close();
  });
}

void expect_failed(const BrokerReply& reply, unsigned status, std::string_view text) {
  EXPECT_EQ(reply.status, status);
  EXPECT_EQ(reply.source, ReplySource::kFailed);
  EXPECT_THAT(reply.body, HasSubstr(std::string(text)));
  EXPECT_EQ(reply.content_type, "text/plain");
}

std::string gzip(std::string_view plain) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(plain.size() + 1024, '\0');
  std::string in(plain);
  stream.next_in = reinterpret_cast<Bytef*>(in.data());
  stream.avail_in = static_cast<uInt>(in.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

TEST(HostileUpstream, ARedirectIsAnAnswerAndIsNotFollowed) {
  const RecordingUpstream elsewhere;
  const RecordingUpstream upstream([&](const ReceivedRequest&, UpstreamPeer& peer) {
    peer.answer(302, "moved", "Location: " + elsewhere.origin() + "/b\r\n");
  });
  BrokerRig rig(grant_for(upstream));
  const BrokerReply reply = rig.call("GET", "/a");
  EXPECT_EQ(reply.status, 302U);
  EXPECT_EQ(reply.source, ReplySource::kApi);
  EXPECT_EQ(reply.body, "moved");
  EXPECT_EQ(upstream.requests().size(), 1U);
  EXPECT_EQ(elsewhere.connections(), 0U);
}

TEST(HostileUpstream, InterimAnswersArePassedOver) {
  const BrokerReply reply = answer_of([](const ReceivedRequest&, UpstreamPeer& peer) {
    peer.send("HTTP/1.1 103 Early Hints\r\nContent-Type: text/early\r\n\r\n");
    peer.send("HTTP/1.1 100 Continue\r\n\r\n");
    peer.answer(200, "late", "Content-Type: text/late\r\n");
  });
  EXPECT_EQ(reply.status, 200U);
  EXPECT_EQ(reply.content_type, "text/late");
  EXPECT_EQ(reply.body, "late");
}

TEST(HostileUpstream, EndlessInterimAnswersAreBounded) {
  expect_failed(answer_of([](const ReceivedRequest&, UpstreamPeer& peer) {
                  while (peer.send("HTTP/1.1 103 Early Hints\r\n\r\n")) {
                  }
                  peer.close();
                }),
                502, "larger");
}

TEST(HostileUpstream, ASwitchOfProtocolsIsNoAnswer) {
  expect_failed(answer_with("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\nbytes"), 502,
                "broken");
}

TEST(HostileUpstream, ABodyWhereNoneBelongsIsNotDelivered) {
  const RecordingUpstream upstream([](const ReceivedRequest& request, UpstreamPeer& peer) {
    if (request.target() == "/b") {
      peer.answer(200, "second");
    } else {
      peer.send(
          "HTTP/1.1 204 No Content\r\nContent-Length: 40\r\n\r\n"
          "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nxx");
    }
  });
  BrokerRig rig(grant_for(upstream));
  const BrokerReply first = rig.call("GET", "/a");
  EXPECT_EQ(first.status, 204U);
  EXPECT_EQ(first.body, "");
  // What lay behind the first answer is not the answer to the second.
  EXPECT_EQ(rig.call("GET", "/b").body, "second");
}

TEST(HostileUpstream, ABodyOfMoreThanFourMebibytes) {
  for (const std::string_view lines :
       {"Content-Length: 5242880\r\n", "Transfer-Encoding: chunked\r\n", ""}) {
    expect_failed(answer_of([lines](const ReceivedRequest&, UpstreamPeer& peer) {
                    peer.send("HTTP/1.1 200 OK\r\n" + std::string(lines) + "\r\n");
                    const std::string part(65'536, 'x');
                    for (int i = 0; i < 80; ++i) {
                      if (lines.starts_with("Transfer")) peer.send("10000\r\n");
                      if (!peer.send(part)) break;
                      if (lines.starts_with("Transfer")) peer.send("\r\n");
                    }
                    peer.close();
                  }),
                  502, "larger than 4 MiB");
  }
}

TEST(HostileUpstream, ABodyOfFourMebibytesIsDelivered) {
  const BrokerReply reply = answer_of([](const ReceivedRequest&, UpstreamPeer& peer) {
    peer.answer(200, std::string(kMaxReplyBodyBytes, 'x'));
  });
  EXPECT_EQ(reply.status, 200U);
  EXPECT_EQ(reply.body.size(), kMaxReplyBodyBytes);
}

TEST(HostileUpstream, ACompressedBodyIsInflatedAndBounded) {
  const BrokerReply reply = answer_of([](const ReceivedRequest&, UpstreamPeer& peer) {
    peer.answer(200, gzip("{\"a\":1}"), "Content-Encoding: gzip\r\n");
  });
  EXPECT_EQ(reply.body, "{\"a\":1}");

  // 1 GiB of zeros in gzip members of 64 MiB each; the inflating stops at the limit.
  const std::string member = gzip(std::string(std::size_t{64} << 20, '\0'));
  expect_failed(answer_of([&](const ReceivedRequest&, UpstreamPeer& peer) {
                  std::string bomb;
                  for (int i = 0; i < 16; ++i) bomb += member;
                  peer.answer(200, bomb, "Content-Encoding: gzip\r\n");
                }),
                502, "larger than 4 MiB");
  expect_failed(answer_of([&](const ReceivedRequest&, UpstreamPeer& peer) {
                  peer.answer(200, gzip(member), "Content-Encoding: gzip, gzip\r\n");
                }),
                502, "larger than 4 MiB");
  for (const std::string_view encoding : {"gzip", "deflate", "br", "zstd", "nonsense"}) {
    expect_failed(answer_of([encoding](const ReceivedRequest&, UpstreamPeer& peer) {
                    peer.answer(200, "this is not compressed",
                                "Content-Encoding: " + std::string(encoding) + "\r\n");
                  }),
                  502, "broken");
  }
}

TEST(HostileUpstream, EndlessHeadersAreBounded) {
  expect_failed(answer_of([](const ReceivedRequest&, UpstreamPeer& peer) {
                  peer.send("HTTP/1.1 200 OK\r\n");
                  while (peer.send("X-Filler: " + std::string(1000, 'x') + "\r\n")) {
                  }
                  peer.close();
                }),
                502, "larger");
  const BrokerReply one_line = answer_of([](const ReceivedRequest&, UpstreamPeer& peer) {
    peer.send("HTTP/1.1 200 OK\r\nX: ");
    while (peer.send(std::string(65'536, 'x'))) {
    }
    peer.close();
  });
  EXPECT_EQ(one_line.status, 502U);
  EXPECT_EQ(one_line.source, ReplySource::kFailed);
}

TEST(HostileUpstream, SlowBytesEndAtTheDeadline) {
  const auto begin = std::chrono::steady_clock::now();
  expect_failed(answer_of(
                    [](const ReceivedRequest&, UpstreamPeer& peer) {
                      peer.send("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n");
                      while (peer.pause(5ms) && peer.send("x")) {
                      }
                      peer.close();
                    },
                    400ms),
                504, "in time");
  EXPECT_GE(std::chrono::steady_clock::now() - begin, 390ms);
  expect_failed(
      answer_of([](const ReceivedRequest&, UpstreamPeer& peer) { peer.wait_for_end(); }, 200ms),
      504, "in time");
}

TEST(HostileUpstream, WhatIsCutShortIsNotDelivered) {
  expect_failed(answer_with("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf"), 502, "broken");
  expect_failed(answer_with("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhal"), 502,
                "broken");
  expect_failed(answer_of([](const ReceivedRequest&, UpstreamPeer& peer) {
                  peer.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf");
                  peer.reset();
                }),
                502, "broken");
  for (const std::string_view bytes :
       {"", "HTTP/1.1 200", "nonsense\r\n\r\n", "HTTP/0.9 200 OK\r\n\r\n",
        "HTTP/1.1 999 X\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 042 X\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", "\0\0\0\0"}) {
    const BrokerReply reply = answer_with(std::string(bytes));
    EXPECT_EQ(reply.status, 502U) << bytes;
    EXPECT_EQ(reply.source, ReplySource::kFailed) << bytes;
  }
}

TEST(HostileUpstream, NobodyThere) {
  std::string origin;
  {
    const RecordingUpstream gone;
    origin = gone.origin();
  }
  BrokerRig rig(grant_of({.base_url = origin, .allow = {"GET /a"}}));
  expect_failed(rig.call("GET", "/a"), 502, "cannot be reached");
}

TEST(HostileUpstream, OnlyTheContentTypeAndTheBodyReachTheGuestAndNoCookieStays) {
  const RecordingUpstream upstream([](const ReceivedRequest&, UpstreamPeer& peer) {
    peer.answer(200, "x",
                "Set-Cookie: session=abc; Path=/\r\nX-Secret: 1\r\nContent-Type: text/x\r\n");
  });
  BrokerRig rig(grant_for(upstream));
  for (int i = 0; i < 2; ++i) {
    const BrokerReply reply = rig.call("GET", "/a");
    EXPECT_EQ(reply.content_type, "text/x");
    EXPECT_EQ(reply.body, "x");
  }
  for (const auto& request : upstream.requests()) EXPECT_THAT(request.fields("cookie"), IsEmpty());
}

TEST(HostileUpstream, AnEchoedCredentialIsWithheldAndCounted) {
  const std::string body = "you sent " + std::string(kToken) + " to me";
  for (const auto& [text, lines] : {std::pair<std::string, std::string>(body, ""),
                                    {gzip(body), "Content-Encoding: gzip\r\n"},
                                    {"x", "Content-Type: a/" + std::string(kToken) + "\r\n"}}) {
    const RecordingUpstream upstream(
        [&](const ReceivedRequest&, UpstreamPeer& peer) { peer.answer(200, text, lines); });
    BrokerRig rig(grant_for(upstream));
    const BrokerReply reply = rig.call("GET", "/a");
    expect_failed(reply, 502, "withheld");
    EXPECT_THAT(reply.body, Not(HasSubstr(std::string(kToken))));
    EXPECT_EQ(rig.trace().credential_echoes, 1U);
    EXPECT_EQ(rig.trace().rows[0].response_bytes, 0U);
  }
}

TEST(HostileUpstream, ARequestThatIsNotIdempotentIsSentOnce) {
  // The kept connection is closed at the moment of the second request.
  const auto second_closes = [](const ReceivedRequest& request, UpstreamPeer& peer) {
    if (request.target() == "/b") {
      peer.answer(200, "warm");
    } else {
      peer.close();
    }
  };
  for (const std::string_view method : {"POST", "PATCH"}) {
    for (const std::optional<std::string>& body : {std::optional<std::string>("{}"), {}, {""}}) {
      const RecordingUpstream upstream(second_closes);
      BrokerRig rig(grant_for(upstream));
      EXPECT_EQ(rig.call("GET", "/b").status, 200U);
      expect_failed(rig.call(std::string(method), "/a", body), 502, "broken");
      const auto requests = upstream.requests();
      EXPECT_EQ(std::ranges::count(requests, "/a", &ReceivedRequest::target), 1) << method;
    }
  }
}

TEST(HostileUpstream, CallsOverlap) {
  // Answers only when all sixteen are there.
  std::atomic<unsigned> there = 0;
  const RecordingUpstream upstream([&](const ReceivedRequest&, UpstreamPeer& peer) {
    ++there;
    while (there < kMaxCallsInFlight) {
      if (!peer.pause(1ms)) return;
    }
    peer.answer(200, "{}");
  });
  BrokerRig rig(grant_for(upstream));
  std::vector<std::uint64_t> calls;
  for (unsigned i = 0; i < kMaxCallsInFlight; ++i) calls.push_back(rig.submit("GET", "/a"));
  EXPECT_EQ(rig.call("GET", "/a").status, 429U) << "one too many at once";
  for (const auto id : calls) EXPECT_EQ(rig.wait(id).status, 200U);
}

TEST(HostileUpstream, ABrokerThatGoesTakesItsCallsAlong) {
  std::atomic<bool> ended = false;
  const RecordingUpstream upstream([&](const ReceivedRequest&, UpstreamPeer& peer) {
    peer.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n");
    peer.wait_for_end();
    ended = true;
  });
  {
    BrokerRig rig(grant_for(upstream));
    rig.submit("GET", "/a");
    const auto until = std::chrono::steady_clock::now() + kPatience;
    while (upstream.requests().empty() && std::chrono::steady_clock::now() < until) rig.turn(10ms);
    EXPECT_FALSE(ended);
  }
  const auto until = std::chrono::steady_clock::now() + kPatience;
  while (!ended && std::chrono::steady_clock::now() < until) std::this_thread::sleep_for(1ms);
  EXPECT_TRUE(ended);
}

}  // namespace
}  // namespace plimsoll
