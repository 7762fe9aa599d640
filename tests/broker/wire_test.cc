// Approve == wire: what the broker approved stands on the socket byte for byte, and of what it
// refused nothing reaches a socket.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "broker/percent.h"
#include "tests/broker/broker_rig.h"
#include "tests/broker/recording_upstream.h"

namespace plimsoll {
namespace {

using std::literals::string_literals::operator""s;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

const std::vector<std::string> kAllow = {
    "GET /v1/orders?status&limit&filter[a]",
    "POST /v1/orders",
    "GET /v1/orders/*",
    "PUT /v1/orders/*",
    "PATCH /v1/orders/*",
    "DELETE /v1/orders/*",
    "GET /v1/orders/*/lines/*?q",
    "GET /a-b_c.d~e!$&'()+,=:@",
    "GET /..a/b..",
};

Grant grant_for(const RecordingUpstream& upstream, std::string_view credential = "") {
  return grant_of({.base_url = upstream.origin(),
                   .allow = kAllow,
                   .max_calls = kMaxMaxCalls,
                   .minter = credential.empty() ? nullptr : token(credential)});
}

// Every byte in the places where a guest chooses: a segment, a query value.
std::vector<std::string> accepted_targets() {
  std::vector<std::string> targets = {"/v1/orders",
                                      "/v1/orders/*",
                                      "/v1/orders/...a",
                                      "/a-b_c.d~e!$&'()+,=:@",
                                      "/..a/b..",
                                      "/v1/orders?filter%5Ba%5D=1",
                                      "/v1/orders?limit=10&status=open",
                                      "/v1/orders?status=..%2F..",
                                      "/v1/orders?status=a%0D%0AX-B%3A%20c",
                                      "/v1/orders?status=%00",
                                      "/v1/orders?status=%C3%A9",
                                      "/v1/orders?status=%252e",
                                      "/v1/orders/" + std::string(8000, 'a'),
                                      "/v1/orders?status=" + std::string(256, 'b')};
  for (int byte = 1; byte < 256; ++byte) {
    const std::string one(1, static_cast<char>(byte));
    targets.push_back("/v1/orders?status=" + percent_encode(one));
    targets.push_back("/v1/orders/x/lines/y?q=" + percent_encode("a" + one + "b"));
  }
  for (const char c : "abyzABYZ0189-._~!$&'()*+,=:@"s) {
    targets.push_back("/v1/orders/"s + c + "x");
    targets.push_back("/v1/orders/x"s + c);
    targets.push_back("/v1/orders/x"s + c + "y/lines/" + c + c + "z");
  }
  return targets;
}

TEST(Wire, TheRequestTargetIsTheOneThatWasApproved) {
  const RecordingUpstream upstream;
  BrokerRig rig(grant_for(upstream));
  const auto targets = accepted_targets();
  for (const std::string& target : targets) {
    EXPECT_EQ(rig.call("GET", target).status, 200U) << target;
  }
  const auto requests = upstream.requests();
  ASSERT_EQ(requests.size(), targets.size());
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const std::string line = "GET " + targets[i] + " HTTP/1.1\r\n";
    EXPECT_EQ(requests[i].head.substr(0, line.size()), line);
  }
  EXPECT_EQ(upstream.connections(), 1U) << "a run keeps its connection";
}

std::vector<std::string> refused_targets() {
  std::vector<std::string> targets = {"",
                                      "/",
                                      "//",
                                      "/v1",
                                      "/v1/",
                                      "/v1/orders/",
                                      "/v1//orders",
                                      "//v1/orders",
                                      "/V1/orders",
                                      "/v1/Orders",
                                      "/v1/orders/..",
                                      "/v1/orders/.",
                                      "/v1/orders/...",
                                      "/v1/orders/../../admin",
                                      "/../../admin",
                                      "../../admin",
                                      "/v1/orders/a?x=1",
                                      "/v1/orders/a#b",
                                      "/v1/orders/a;b",
                                      "/v1/orders/..;/admin",
                                      "/v1/orders/%2e%2e%2fadmin",
                                      "/v1/orders/%2e%2e",
                                      "/v1/orders/%252e",
                                      "/v1/orders/%5cadmin",
                                      "/v1/orders/a\\b",
                                      "/v1/orders/a%20b",
                                      "/v1/orders/a b",
                                      "/v1/orders/a\0b"s,
                                      "/v1/orders/a\rb",
                                      "/v1/orders/a\nb",
                                      "/v1/orders/a\r\nX-A: b",
                                      "/v1/orders/a HTTP/1.1\r\nHost: other.test\r\n\r\nGET /admin",
                                      "/v1/orders/\xC3\xA9",
                                      "/v1/orders/a\x7F",
                                      "/v1/orders/" + std::string(65'536, 'a'),
                                      "http://127.0.0.1/v1/orders",
                                      "https://other.test/v1/orders",
                                      "//other.test/v1/orders",
                                      "other.test:443",
                                      "127.0.0.1:80",
                                      "*",
                                      "?status=open",
                                      "/v1/orders?",
                                      "/v1/orders?status",
                                      "/v1/orders?status=",
                                      "/v1/orders?other=1",
                                      "/v1/orders?status=a&status=b",
                                      "/v1/orders?status=a&",
                                      "/v1/orders?status=a+b",
                                      "/v1/orders?status=a%2fb",
                                      "/v1/orders?st%61tus=a",
                                      "/v1/orders?status=%61",
                                      "/v1/orders?filter[a]=1",
                                      "/v1/orders?status=a#b",
                                      "/v1/orders?status=" + std::string(257, 'b'),
                                      "/v1/orders?status=a&limit=1&status=a",
                                      "/v1/orders/a/lines/b?status=a",
                                      " /v1/orders",
                                      "/v1/orders ",
                                      "/v1/orders\t",
                                      "\\v1\\orders",
                                      "/v1/orders/a/b",
                                      "/.../v1/orders"};
  for (int byte = 0; byte < 256; ++byte) {
    const char c = static_cast<char>(byte);
    const bool plain = is_unreserved(c) || "!$&'()*+,=:@"s.find(c) != std::string::npos;
    if (!plain) targets.push_back("/v1/orders/x"s + c + "y");
    if (!is_unreserved(c) && c != '&') targets.push_back("/v1/orders?status=x"s + c + "y");
  }
  return targets;
}

TEST(Wire, OfARefusedTargetNothingReachesASocket) {
  const RecordingUpstream upstream;
  BrokerRig rig(grant_for(upstream, "tok-1"));
  const auto targets = refused_targets();
  for (const std::string& target : targets) {
    const BrokerReply reply = rig.call("GET", target);
    EXPECT_EQ(reply.status, 403U) << target;
    EXPECT_EQ(reply.source, ReplySource::kRefused);
    EXPECT_THAT(reply.body, testing::StartsWith("forbidden by sandbox capability allowlist"));
  }
  for (const std::string_view method :
       {"get", "HEAD", "OPTIONS", "TRACE", "CONNECT", "", "GET ", " GET", "GET /admin", "G\0T",
        "GET\r\nX: y", "PROPFIND", "*"}) {
    EXPECT_EQ(rig.call(std::string(method), "/v1/orders").status, 403U) << method;
  }
  EXPECT_EQ(upstream.connections(), 0U);
  EXPECT_EQ(upstream.bytes(), "");
  EXPECT_EQ(rig.trace().denied, targets.size() + 13);
  EXPECT_THAT(rig.trace().rows, IsEmpty());
}

TEST(Wire, ARequestCarriesTheBrokersFieldsAndNoOthers) {
  const RecordingUpstream upstream;
  BrokerRig rig(grant_for(upstream, "tok-1"));
  rig.call("GET", "/v1/orders");
  rig.call("POST", "/v1/orders", "{\"a\":1}");
  rig.call("DELETE", "/v1/orders/1");
  rig.call("POST", "/v1/orders");
  rig.call("PUT", "/v1/orders/1", "");
  const auto requests = upstream.requests();
  ASSERT_EQ(requests.size(), 5U);
  EXPECT_THAT(requests[0].field_names(),
              UnorderedElementsAre("Host", "Accept", "User-Agent", "Authorization"));
  EXPECT_THAT(requests[1].field_names(),
              UnorderedElementsAre("Host", "Accept", "User-Agent", "Authorization", "Content-Type",
                                   "Content-Length"));
  EXPECT_THAT(requests[2].field_names(),
              UnorderedElementsAre("Host", "Accept", "User-Agent", "Authorization"));
  EXPECT_THAT(requests[3].field_names(), UnorderedElementsAre("Host", "Accept", "User-Agent",
                                                              "Authorization", "Content-Length"));
  EXPECT_THAT(requests[4].field_names(),
              UnorderedElementsAre("Host", "Accept", "User-Agent", "Authorization", "Content-Type",
                                   "Content-Length"));
  for (const auto& request : requests) {
    EXPECT_THAT(request.fields("authorization"), ElementsAre("Bearer tok-1"));
    EXPECT_THAT(request.fields("accept"), ElementsAre("application/json"));
    EXPECT_THAT(request.fields("host"), ElementsAre(upstream.origin().substr(7)));
  }
  EXPECT_THAT(requests[1].fields("content-type"), ElementsAre("application/json"));
}

TEST(Wire, ABodyIsOnlyABody) {
  const RecordingUpstream upstream;
  BrokerRig rig(grant_for(upstream));
  const std::string bodies[] = {R"({"X-A":"1\r\nX-B: 2"})",
                                "\r\n\r\nGET /admin HTTP/1.1\r\nHost: x\r\n\r\n",
                                "Authorization: Bearer mine\r\nCookie: a=b\r\nHost: other.test\r\n"
                                "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                                "0\r\n\r\n",
                                std::string("\0\xFF\x00", 3),
                                std::string(1 << 20, 'x')};
  for (const std::string_view method : {"POST", "PUT", "PATCH", "DELETE", "GET"}) {
    const std::string target = method == "POST" ? "/v1/orders" : "/v1/orders/1";
    for (const std::string& body : bodies) {
      EXPECT_EQ(rig.call(std::string(method), target, body).status, 200U);
      const auto requests = upstream.requests();
      EXPECT_EQ(requests.back().method(), method);
      EXPECT_EQ(requests.back().target(), target);
      EXPECT_EQ(requests.back().body, body);
      EXPECT_THAT(requests.back().fields("x-b"), IsEmpty());
      EXPECT_THAT(requests.back().fields("cookie"), IsEmpty());
      EXPECT_THAT(requests.back().fields("authorization"), IsEmpty());
      EXPECT_THAT(requests.back().fields("expect"), IsEmpty());
    }
  }
  EXPECT_EQ(upstream.requests().size(), 5 * std::size(bodies));
}

TEST(Wire, ABodyOfMoreThanAMebibyteIsNotSent) {
  const RecordingUpstream upstream;
  BrokerRig rig(grant_for(upstream));
  EXPECT_EQ(rig.call("POST", "/v1/orders", std::string((1 << 20) + 1, 'x')).status, 413U);
  EXPECT_EQ(upstream.bytes(), "");
  ASSERT_EQ(rig.trace().rows.size(), 1U);
  EXPECT_EQ(rig.trace().rows[0].status, 413U);
  EXPECT_FALSE(rig.trace().rows[0].delivered);
}

TEST(Wire, TheEnvironmentChoosesNoProxy) {
  // NOLINTBEGIN(concurrency-mt-unsafe): the test has one thread yet.
  for (const char* name : {"http_proxy", "https_proxy", "all_proxy", "ALL_PROXY"}) {
    ASSERT_EQ(::setenv(name, "http://127.0.0.1:1", 1), 0);
  }
  const RecordingUpstream upstream;
  BrokerRig rig(grant_for(upstream));
  EXPECT_EQ(rig.call("GET", "/v1/orders").status, 200U);
  for (const char* name : {"http_proxy", "https_proxy", "all_proxy", "ALL_PROXY"}) ::unsetenv(name);
  // NOLINTEND(concurrency-mt-unsafe)
}

TEST(Wire, RunsShareNoConnection) {
  const RecordingUpstream upstream;
  const Grant grant = grant_for(upstream);
  BrokerRig one(grant);
  BrokerRig other(grant);
  for (int i = 0; i < 3; ++i) {
    one.call("GET", "/v1/orders/1");
    other.call("GET", "/v1/orders/2");
  }
  for (const auto& request : upstream.requests()) {
    EXPECT_EQ(request.connection, request.target() == "/v1/orders/1" ? 0U : 1U);
  }
  EXPECT_EQ(upstream.connections(), 2U);
}

}  // namespace
}  // namespace plimsoll
