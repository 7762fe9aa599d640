// The whole transport in this process, so that the sanitizers see it.

#include <echo.pb.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "echo_service.h"
#include "raw_client.h"
#include "rpc/server.h"

namespace plimsoll::rpc {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr char kEcho[] = "/plimsoll.test.v1.EchoService/Echo";

std::string call(std::string_view json, std::string_view more = "", std::string_view path = kEcho) {
  return "POST " + std::string(path) +
         " HTTP/1.1\r\nhost: x\r\nauthorization: Bearer test-token\r\n"
         "content-type: application/json\r\n" +
         std::string(more) + "content-length: " + std::to_string(json.size()) + "\r\n\r\n" +
         std::string(json);
}

class Transport : public testing::Test {
 protected:
  void serve(const Limits& limits = {}, std::size_t io_threads = 1) {
    ServerOptions options{.listeners = {echo_listener(counts)},
                          .hooks = echo_hooks(counts),
                          .limits = limits,
                          .io_threads = io_threads};
    options.listeners.push_back({.endpoints = {{.path = "/metrics", .answer = [] {
                                                  return PlainAnswer{.body = "m 1\n"};
                                                }}}});
    auto made = Server::create(options);
    ASSERT_TRUE(made) << made.error().message;
    server = *std::move(made);
    counts.server = server.get();
    ASSERT_TRUE(server->start());
  }
  RawClient connect() { return RawClient(server->port(0)); }
  bool eventually(const std::function<bool()>& holds) {
    for (int i = 0; i < 1000 && !holds(); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return holds();
  }

  EchoCounts counts;
  std::unique_ptr<Server> server;
};

TEST_F(Transport, ManyClientsAtOnceGetTheirOwnAnswers) {
  serve({}, 2);
  std::vector<std::thread> threads;
  threads.reserve(8);
  std::atomic<int> wrong{0};
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] {
      RawClient client = connect();
      for (int j = 0; j < 50; ++j) {
        const std::string text = std::to_string(i) + "-" + std::to_string(j);
        client.send(call(R"({"text":")" + text + R"("})"));
        if (client.response().find(R"("text":")" + text + "\"") == std::string::npos) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(Transport, PipelinedRequestsAreAnsweredInOrder) {
  serve();
  RawClient client = connect();
  std::string all;
  for (int i = 0; i < 20; ++i) {
    all += call(R"({"number":")" + std::to_string(i) + R"(","sleepMs":)" + std::to_string(i % 2) +
                "}");
  }
  client.send(all);
  EXPECT_THAT(client.response(), HasSubstr("\"caller\":\"tester\""));
  for (int i = 1; i < 20; ++i) {
    EXPECT_THAT(client.response(), HasSubstr(R"("number":")" + std::to_string(i) + "\""));
  }
}

TEST_F(Transport, AClientThatLeavesStopsItsCall) {
  serve();
  for (int i = 0; i < 20; ++i) {
    RawClient client = connect();
    client.send(call(R"({"sleepMs":60000})"));
    ASSERT_TRUE(eventually([&] { return counts.running == 1; }));
    client.close();
    ASSERT_TRUE(eventually([&] { return counts.running == 0; }));
  }
  EXPECT_EQ(counts.stopped, 20U);
  EXPECT_TRUE(eventually([&] { return server->calls_in_flight() == 0; }));
  EXPECT_TRUE(eventually([&] { return server->connections() == 0; }));
}

TEST_F(Transport, ADeadlineStopsItsCallAndAnswers) {
  serve();
  RawClient client = connect();
  client.send(call(R"({"sleepMs":60000})", "connect-timeout-ms: 50\r\n"));
  EXPECT_THAT(client.response(), HasSubstr("deadline_exceeded"));
  EXPECT_TRUE(eventually([&] { return counts.stopped == 1; }));
  client.send(call("{}"));
  EXPECT_THAT(client.response(), StartsWith("HTTP/1.1 200")) << "the connection serves on";
}

TEST_F(Transport, DrainingRefusesNewCallsAndLetsOldOnesEnd) {
  serve();
  RawClient busy = connect();
  RawClient kept = connect();
  kept.send(call("{}"));
  kept.response();
  busy.send(call(R"({"sleepMs":3000,"text":"whole"})"));
  ASSERT_TRUE(eventually([&] { return counts.running == 1; }));
  server->stop_accepting();
  EXPECT_FALSE(connect().connected());
  EXPECT_TRUE(server->drain(std::chrono::steady_clock::now() + std::chrono::seconds(30)));
  const std::string answer = busy.response();
  EXPECT_THAT(answer, HasSubstr("whole"));
  EXPECT_THAT(answer, HasSubstr("connection: close"));
}

TEST_F(Transport, ADrainThatTakesTooLongStopsItsCalls) {
  serve();
  RawClient busy = connect();
  busy.send(call(R"({"sleepMs":60000})"));
  ASSERT_TRUE(eventually([&] { return counts.running == 1; }));
  server->stop_accepting();
  EXPECT_FALSE(server->drain(std::chrono::steady_clock::now() + std::chrono::milliseconds(50)));
  EXPECT_TRUE(eventually([&] { return counts.stopped == 1; }));
  EXPECT_THAT(busy.response(), HasSubstr("canceled"));
}

TEST_F(Transport, StoppingWithCallsInFlightEndsThem) {
  serve({}, 2);
  std::vector<RawClient> clients;
  for (int i = 0; i < 10; ++i) {
    clients.push_back(connect());
    clients.back().send(call(R"({"sleepMs":60000})"));
  }
  ASSERT_TRUE(eventually([&] { return counts.running == 10; }));
  server->stop();
  EXPECT_EQ(counts.stopped, 10U);
  EXPECT_EQ(server->connections(), 0U);
}

TEST_F(Transport, EndpointsHaveTheirOwnListenerAndKeepTheirAnswer) {
  serve();
  RawClient metrics(server->port(1));
  metrics.send("GET /metrics HTTP/1.1\r\nhost: x\r\n\r\n");
  EXPECT_THAT(metrics.response(), HasSubstr("m 1\n"));
  metrics.send(call("{}"));
  EXPECT_THAT(metrics.response(), StartsWith("HTTP/1.1 404"));
  RawClient client = connect();
  for (int i = 0; i < 50; ++i) {
    client.send("GET /readyz HTTP/1.1\r\nhost: x\r\n\r\n");
    ASSERT_THAT(client.response(), HasSubstr("ready"));
  }
  EXPECT_LE(counts.readiness_checks, 10U);
}

TEST_F(Transport, EndpointsAnswerWhileEveryWorkerIsBusy) {
  serve({.workers = 1, .queued_calls = 1});
  RawClient busy = connect();
  busy.send(call(R"({"sleepMs":60000})"));
  ASSERT_TRUE(eventually([&] { return counts.running == 1; }));
  RawClient client = connect();
  client.send("GET /readyz HTTP/1.1\r\nhost: x\r\n\r\n");
  EXPECT_THAT(client.response(), HasSubstr("ready"));
}

TEST_F(Transport, EveryRefusalIsToldToTheHook) {
  serve();
  RawClient client = connect();
  client.send(call("{}", "connect-protocol-version: 9\r\n"));
  EXPECT_THAT(client.response(), HasSubstr("\"details\":[{\"type\":\"plimsoll.test.v1.Detail\""));
  client.send(call("{"));
  EXPECT_THAT(client.response(), HasSubstr("\"details\""));
  EXPECT_EQ(counts.refused, 2U);
  EXPECT_EQ(counts.started, 0U);
}

TEST_F(Transport, ServersThatCannotBeAreRefused) {
  EchoCounts other;
  auto listener = echo_listener(other);
  for (const auto& [change, part] :
       std::initializer_list<std::pair<std::function<void(ListenerOptions&)>, const char*>>{
           {[](auto& l) { l.address = "localhost"; }, "localhost"},
           {[](auto& l) { l.tls = {.certificate_chain = "/nothing", .private_key = "/nothing"}; },
            "/nothing"},
           {[](auto& l) { l.methods.push_back(l.methods[0]); }, "two things"},
           {[](auto& l) { l.endpoints.push_back(l.endpoints[0]); }, "two endpoints"},
           {[](auto& l) { l.methods[0].handle = nullptr; }, "not complete"},
       }) {
    ListenerOptions changed = listener;
    change(changed);
    const auto made = Server::create({.listeners = {changed}});
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().code, ErrorCode::kInvalidConfig);
    EXPECT_THAT(made.error().message, HasSubstr(part));
  }
  serve();
  listener.port = server->port(0);
  const auto second = Server::create({.listeners = {listener}});
  ASSERT_TRUE(second);
  const auto started = (*second)->start();
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().code, ErrorCode::kInfrastructure);
}

}  // namespace
}  // namespace plimsoll::rpc
