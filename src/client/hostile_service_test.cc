// A client against services that lie, stall, flood and break off.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <zlib.h>

#include <atomic>
#include <chrono>
#include <future>
#include <mutex>
#include <string>
#include <thread>

#include "base/unique_fd.h"
#include "client/honest_answer.h"
#include "client/scripted_service.h"
#include "plimsoll/client.h"

namespace plimsoll::client {
namespace {

constexpr std::string_view kProto = "Content-Type: application/proto\r\n";
// How long a call may take that ends by itself, on a machine with other work.
constexpr Millis kPrompt{20'000};

// What the service's thread saw, for the test's.
class Seen {
 public:
  void add(const std::string& head) {
    const std::lock_guard lock(mutex_);
    heads_ += head;
  }
  [[nodiscard]] std::string heads() const {
    const std::lock_guard lock(mutex_);
    return heads_;
  }

 private:
  mutable std::mutex mutex_;
  std::string heads_;
};

Client client_of(const ScriptedService& service, HttpVersion version = HttpVersion::kHttp1,
                 AnswerEncoding encoding = AnswerEncoding::kIdentity) {
  auto client = Client::build({.base_url = service.url(),
                               .token = BearerToken::from_text("secret-token").value(),
                               .http_version = version,
                               .answer_encoding = encoding});
  EXPECT_TRUE(client) << client.error().message;
  return *std::move(client);
}

const RunRequest kRequest{.code = "console.log(6*7)", .minimum_isolation = Isolation::kProcess};

// What a call ends with when the service sends exactly these bytes and closes.
ClientResult<RemoteOutcome> answered_by(const std::string& bytes,
                                        AnswerEncoding encoding = AnswerEncoding::kIdentity) {
  ScriptedService service([&](const ReceivedRequest&, const ScriptedConnection& connection) {
    connection.send(bytes);
    return Then::kClose;
  });
  return client_of(service, HttpVersion::kHttp1, encoding).run_javascript(kRequest);
}

void expect_fault(const ClientResult<RemoteOutcome>& result, std::string_view words) {
  ASSERT_FALSE(result) << words;
  EXPECT_EQ(result.error().code, ErrorCode::kInfrastructure) << result.error().message;
  EXPECT_EQ(result.error().not_dispatched, std::nullopt) << result.error().message;
  EXPECT_NE(result.error().message.find(words), std::string::npos) << result.error().message;
}

TEST(HostileService, AnHonestOneIsBelievedAndItsConnectionKept) {
  Seen seen;
  ScriptedService service(
      [&](const ReceivedRequest& request, const ScriptedConnection& connection) {
        seen.add(request.head);
        connection.send(proto_answer(honest_answer(request.body).SerializeAsString()));
        return Then::kKeepOpen;
      });
  Client client = client_of(service);
  for (int i = 0; i < 3; ++i) {
    const auto answer = client.run_javascript(kRequest, {.trace_id = "t"});
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ(answer->outcome.stdout_bytes, "42\n");
    EXPECT_EQ(answer->record.record_sha256.size(), 64U);
  }
  EXPECT_EQ(service.connections(), 1U);
  const std::string head = seen.heads();
  EXPECT_TRUE(head.starts_with("post /plimsoll.v1.sandboxservice/run http/1.1\r\n")) << head;
  for (const char* field :
       {"authorization: bearer secret-token\r\n", "content-type: application/proto\r\n",
        "connect-protocol-version: 1\r\n", "connect-timeout-ms: "}) {
    EXPECT_NE(head.find(field), std::string::npos) << field << head;
  }
  for (const char* field :
       {"expect:", "cookie", "upgrade", "accept", "transfer-encoding", "proxy"}) {
    EXPECT_EQ(head.find(field), std::string::npos) << field << head;
  }
}

TEST(HostileService, AnAnswerThatDoesNotHoldIsAttachedAndNotHandedOut) {
  ScriptedService service([](const ReceivedRequest& request, const ScriptedConnection& connection) {
    v1::RunResponse answer = honest_answer(request.body);
    answer.mutable_javascript()->set_stdout("altered\n");
    connection.send(proto_answer(answer.SerializeAsString()));
    return Then::kKeepOpen;
  });
  const auto answer = client_of(service).run_javascript(kRequest);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::kRecordMismatch);
  EXPECT_EQ(answer.error().not_dispatched, std::nullopt);
  ASSERT_TRUE(answer.error().answered);
  EXPECT_EQ(answer.error().answered->outcome.stdout_bytes, "altered\n");
}

// An honest service ignores no floor; this one does.
TEST(HostileService, ABoundaryBelowTheFloorIsRefusedAfterTheFact) {
  ScriptedService service([](const ReceivedRequest& request, const ScriptedConnection& connection) {
    connection.send(proto_answer(honest_answer(request.body).SerializeAsString()));
    return Then::kKeepOpen;
  });
  RunRequest request = kRequest;
  request.minimum_isolation = Isolation::kVm;
  const auto answer = client_of(service).run_javascript(request);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::kEvidenceMismatch);
  EXPECT_TRUE(answer.error().answered);
}

TEST(HostileService, ARedirectIsNotFollowed) {
  ScriptedService trap(
      [](const ReceivedRequest&, const ScriptedConnection&) { return Then::kClose; });
  for (const unsigned status : {301U, 302U, 303U, 307U, 308U}) {
    const std::string location = "Location: " + trap.url() + "/x\r\n";
    expect_fault(answered_by(http_answer(status, location, "")), "redirects are not followed");
  }
  EXPECT_EQ(trap.connections(), 0U);
}

TEST(HostileService, CookiesAreNotKept) {
  Seen seen;
  ScriptedService service(
      [&](const ReceivedRequest& request, const ScriptedConnection& connection) {
        seen.add(request.head);
        connection.send(http_answer(200, std::string(kProto) + "Set-Cookie: a=b\r\n",
                                    honest_answer(request.body).SerializeAsString()));
        return Then::kKeepOpen;
      });
  Client client = client_of(service);
  EXPECT_TRUE(client.run_javascript(kRequest));
  EXPECT_TRUE(client.run_javascript(kRequest));
  EXPECT_NE(seen.heads().find("authorization"), std::string::npos);
  EXPECT_EQ(seen.heads().find("cookie"), std::string::npos);
}

TEST(HostileService, TheEnvironmentNamesNoProxy) {
  ScriptedService proxy(
      [](const ReceivedRequest&, const ScriptedConnection&) { return Then::kClose; });
  ScriptedService service([](const ReceivedRequest& request, const ScriptedConnection& connection) {
    connection.send(proto_answer(honest_answer(request.body).SerializeAsString()));
    return Then::kKeepOpen;
  });
  const char* const names[] = {"http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"};
  // NOLINTBEGIN(concurrency-mt-unsafe): the other threads of this test read no variables.
  for (const char* name : names) ::setenv(name, proxy.url().c_str(), 1);
  const auto answer = client_of(service).run_javascript(kRequest);
  for (const char* name : names) ::unsetenv(name);
  // NOLINTEND(concurrency-mt-unsafe)
  EXPECT_TRUE(answer);
  EXPECT_EQ(proxy.connections(), 0U);
}

TEST(HostileService, WhatIsNoAnswerIsAFaultThatMayHaveRun) {
  const std::string body =
      honest_answer(AskedRun{.payload = JavaScriptRun{.code = "1"}}).SerializeAsString();
  expect_fault(answered_by(http_answer(200, "Content-Type: text/html\r\n", body)),
               "HTTP status 200");
  expect_fault(answered_by(http_answer(200, "", body)), "HTTP status 200");
  expect_fault(answered_by(http_answer(204, kProto, "")), "HTTP status 204");
  expect_fault(answered_by(proto_answer("\xff\xff\xff")), "makes no sense");
  expect_fault(answered_by(proto_answer("")), "makes no sense");
  expect_fault(answered_by(""), "no whole answer");
  expect_fault(answered_by("HTTP/0.9 what\r\n\r\n"), "no whole answer");
  expect_fault(answered_by("SSH-2.0-OpenSSH_9.2\r\n"), "no whole answer");
}

TEST(HostileService, ABodyThatBreaksOffIsNone) {
  const std::string whole = proto_answer(std::string(1000, 'x'));
  expect_fault(answered_by(whole.substr(0, whole.size() - 1)), "no whole answer");
  expect_fault(answered_by("HTTP/1.1 200 x\r\nContent-Type: application/proto\r\n"
                           "Transfer-Encoding: chunked\r\n\r\n5\r\nab"),
               "no whole answer");
}

TEST(HostileService, ABareStatusOfAProxyClaimsNothing) {
  const auto refused = answered_by(http_answer(401, "WWW-Authenticate: Bearer\r\n", ""));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kUnauthenticated);
  EXPECT_EQ(refused.error().not_dispatched, std::nullopt);
}

TEST(HostileService, ARefusalIsTypedAgain) {
  const auto full =
      answered_by(http_answer(429, "Content-Type: application/json\r\nRetry-After: 3\r\n",
                              R"({"code":"resource_exhausted","message":"no slot","details":[)"
                              R"({"type":"plimsoll.v1.NotDispatched","value":"CAY"}]})"));
  ASSERT_FALSE(full);
  EXPECT_EQ(full.error().code, ErrorCode::kCapacity);
  EXPECT_EQ(full.error().not_dispatched, NotDispatchedReason::kCapacity);
  EXPECT_EQ(full.error().retry_after, Millis(3000));
  EXPECT_EQ(full.error().message, "no slot");
}

TEST(HostileService, AnAnswerBeyondTheLimitIsGivenUp) {
  const std::string large(std::size_t{33} << 20, 'x');
  expect_fault(answered_by(proto_answer(large)), "more than");
  std::string endless =
      "HTTP/1.1 200 x\r\nContent-Type: application/proto\r\n"
      "Transfer-Encoding: chunked\r\n\r\n";
  const std::string chunk = "100000\r\n" + std::string(0x100000, 'x') + "\r\n";
  for (int i = 0; i < 33; ++i) endless += chunk;
  expect_fault(answered_by(endless), "more than");
}

TEST(HostileService, AHeadBeyondTheLimitIsGivenUp) {
  std::string fields(kProto);
  for (int i = 0; i < 100; ++i) fields += "X-Filler: " + std::string(1000, 'x') + "\r\n";
  expect_fault(answered_by(http_answer(200, fields, "")), "more than");
}

std::string gzip(std::string_view bytes) {
  z_stream z{};
  EXPECT_EQ(::deflateInit2(&z, Z_BEST_COMPRESSION, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(::deflateBound(&z, bytes.size()), '\0');
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  z.avail_in = static_cast<uInt>(bytes.size());
  z.next_out = reinterpret_cast<Bytef*>(out.data());
  z.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(::deflate(&z, Z_FINISH), Z_STREAM_END);
  out.resize(out.size() - z.avail_out);
  ::deflateEnd(&z);
  return out;
}

TEST(HostileService, AnInflatedAnswerIsBelievedAndABombIsNot) {
  const std::string encoded = std::string(kProto) + "Content-Encoding: gzip\r\n";
  ScriptedService service(
      [&](const ReceivedRequest& request, const ScriptedConnection& connection) {
        connection.send(
            http_answer(200, encoded, gzip(honest_answer(request.body).SerializeAsString())));
        return Then::kKeepOpen;
      });
  EXPECT_TRUE(
      client_of(service, HttpVersion::kHttp1, AnswerEncoding::kGzip).run_javascript(kRequest));
  expect_fault(client_of(service).run_javascript(kRequest), "makes no sense");

  const std::string bomb = gzip(std::string(std::size_t{256} << 20, '\0'));
  EXPECT_LT(bomb.size(), std::size_t{1} << 20);
  expect_fault(answered_by(http_answer(200, encoded, bomb), AnswerEncoding::kGzip), "more than");
  expect_fault(answered_by(http_answer(200, encoded, "no gzip"), AnswerEncoding::kGzip),
               "no whole answer");
}

TEST(HostileService, ABodyThatNeverEndsIsEndedByTheDeadline) {
  ScriptedService service([](const ReceivedRequest&, const ScriptedConnection& connection) {
    connection.send(
        "HTTP/1.1 200 x\r\nContent-Type: application/proto\r\n"
        "Content-Length: 1000000\r\n\r\n");
    while (connection.send("x")) std::this_thread::sleep_for(Millis(5));
    return Then::kClose;
  });
  Client client = client_of(service);
  const auto begin = std::chrono::steady_clock::now();
  const auto result = client.run_javascript(kRequest, {.deadline = begin + Millis(2'000)});
  const auto taken = std::chrono::steady_clock::now() - begin;
  expect_fault(result, "deadline");
  EXPECT_GE(taken, Millis(1'990));
  EXPECT_LT(taken, Millis(2'000) + kPrompt);
}

TEST(HostileService, AStopClosesTheConnectionAtOnce) {
  for (const HttpVersion version : {HttpVersion::kHttp1, HttpVersion::kHttp2}) {
    std::promise<void> closed;
    std::stop_source stop;
    // HTTP/2's preface has the shape of a request of HTTP/1 without a body.
    ScriptedService service([&](const ReceivedRequest&, const ScriptedConnection& connection) {
      stop.request_stop();
      connection.wait_for_close();
      closed.set_value();
      return Then::kClose;
    });
    const auto begin = std::chrono::steady_clock::now();
    const auto result =
        client_of(service, version).run_javascript(kRequest, {.cancel = stop.get_token()});
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, ErrorCode::kCanceled);
    EXPECT_EQ(closed.get_future().wait_for(kPrompt), std::future_status::ready);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, kPrompt);
  }
}

TEST(HostileService, AStopBeforeTheCallSendsNothing) {
  ScriptedService service(
      [](const ReceivedRequest&, const ScriptedConnection&) { return Then::kClose; });
  std::stop_source stop;
  stop.request_stop();
  const auto result = client_of(service).run_javascript(kRequest, {.cancel = stop.get_token()});
  EXPECT_EQ(result.error().code, ErrorCode::kCanceled);
  EXPECT_TRUE(result.error().not_dispatched);
  EXPECT_EQ(service.connections(), 0U);
}

// libcurl would send a request again when a kept connection dies before a byte of the answer: the
// code could have run twice.
TEST(HostileService, ARequestIsSentOnceEvenWhenAKeptConnectionDies) {
  std::atomic<unsigned> served = 0;
  ScriptedService service(
      [&](const ReceivedRequest& request, const ScriptedConnection& connection) {
        if (++served > 1) return Then::kClose;  // it may have run
        connection.send(proto_answer(honest_answer(request.body).SerializeAsString()));
        return Then::kKeepOpen;
      });
  Client client = client_of(service);
  EXPECT_TRUE(client.run_javascript(kRequest));
  expect_fault(client.run_javascript(kRequest), "without an answer");
  EXPECT_EQ(service.requests(), 2U);
}

void expect_replaced_after(Then then) {
  ScriptedService service(
      [then](const ReceivedRequest& request, const ScriptedConnection& connection) {
        connection.send(proto_answer(honest_answer(request.body).SerializeAsString()));
        return then;
      });
  Client client = client_of(service);
  const auto end = std::chrono::steady_clock::now() + kPrompt;
  for (int succeeded = 0; succeeded < 3;) {
    ASSERT_LT(std::chrono::steady_clock::now(), end);
    const auto answer = client.run_javascript(kRequest);
    // What ended arrived with the answer or after the next request had left: then it is not known
    // whether that ran.
    if (!answer) {
      EXPECT_EQ(answer.error().not_dispatched, std::nullopt) << answer.error().message;
      continue;
    }
    ++succeeded;
    // From here on there is nothing to race with.
    while (service.ended() < service.connections() && std::chrono::steady_clock::now() < end) {
      std::this_thread::sleep_for(Millis(1));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    const auto next = client.run_javascript(kRequest);
    EXPECT_TRUE(next) << next.error().message;
  }
}

TEST(HostileService, AConnectionThatWasClosedMeanwhileIsReplaced) {
  expect_replaced_after(Then::kClose);
}

TEST(HostileService, AConnectionThatWasResetMeanwhileIsReplaced) {
  expect_replaced_after(Then::kReset);
}

TEST(HostileService, NobodyThereProvablyRanNothing) {
  // A port that is taken, so that nobody else gets it, and that nobody listens on.
  const UniqueFd taken(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* any = reinterpret_cast<sockaddr*>(&address);
  ASSERT_EQ(::bind(taken.get(), any, size), 0);
  ASSERT_EQ(::getsockname(taken.get(), any, &size), 0);
  const std::string url = "http://127.0.0.1:" + std::to_string(ntohs(address.sin_port));
  auto client = Client::build({.base_url = url, .token = BearerToken::from_text("secret").value()});
  ASSERT_TRUE(client);
  const auto result = client->run_javascript(kRequest);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::kUnreachable);
  EXPECT_EQ(result.error().not_dispatched, NotDispatchedReason::kEnvironment);
}

TEST(HostileService, NoTlsIsNoTrustAndRanNothing) {
  std::atomic<bool> token_seen = false;
  ScriptedService service([&](const ReceivedRequest& request, const ScriptedConnection&) {
    token_seen = request.head.find("secret") != std::string::npos;
    return Then::kClose;
  });
  std::string url = service.url();
  url.replace(0, 4, "https");
  auto client = Client::build({.base_url = url,
                               .token = BearerToken::from_text("secret").value(),
                               .connect_timeout = Millis(300)});
  ASSERT_TRUE(client);
  const auto result = client->run_javascript(kRequest);
  ASSERT_FALSE(result);
  EXPECT_TRUE(result.error().not_dispatched) << result.error().message;
  EXPECT_FALSE(token_seen);
}

TEST(HostileService, ManyThreadsEachGetTheirOwnAnswer) {
  ScriptedService service([](const ReceivedRequest& request, const ScriptedConnection& connection) {
    v1::RunRequest asked;
    asked.ParseFromString(request.body);
    v1::RunResponse answer = honest_answer(asked_of(asked));
    answer.mutable_javascript()->set_stdout(asked.javascript().code());
    sign(answer, asked_of(asked));
    connection.send(proto_answer(answer.SerializeAsString()));
    return Then::kKeepOpen;
  });
  Client client = client_of(service);
  std::atomic<unsigned> right = 0;
  {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < 8; ++thread) {
      threads.emplace_back([&, thread] {
        for (int i = 0; i < 20; ++i) {
          const std::string code = std::to_string(thread) + "." + std::to_string(i);
          const auto answer = client.run_javascript({.code = code});
          if (answer && answer->outcome.stdout_bytes == code) ++right;
        }
      });
    }
  }
  EXPECT_EQ(right, 160U);
  EXPECT_LE(service.connections(), 8U);
}

}  // namespace
}  // namespace plimsoll::client
