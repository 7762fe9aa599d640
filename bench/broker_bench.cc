// The broker against an API on loopback in the same process, on the same cores. The same request by
// a raw socket is the API's own time; what the broker adds to it is the measure.

#include <arpa/inet.h>
#include <benchmark/benchmark.h>
#include <curl/curl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include "base/clock.h"
#include "broker/broker.h"
#include "samples.h"
#include "tests/broker/recording_upstream.h"

namespace {

using plimsoll::Broker;
using plimsoll::RecordingUpstream;
using plimsoll::bench::Samples;
using Steady = std::chrono::steady_clock;

constexpr std::string_view kTarget = "/v1/orders/17";
constexpr std::size_t kCallsOfARun = 256;

void answer(const plimsoll::ReceivedRequest&, plimsoll::UpstreamPeer& peer) {
  peer.answer(200, R"({"id":17,"status":"open"})", "Content-Type: application/json\r\n");
}

class Run {
 public:
  explicit Run(const RecordingUpstream& upstream) {
    auto grant = plimsoll::Grant::build(
        {.base_url = upstream.origin(),
         .allow = {"GET /v1/orders/*"},
         .max_calls = plimsoll::kMaxMaxCalls,
         .minter = *plimsoll::static_token(plimsoll::Secret("tok-0123456789abcdef"))});
    if (!grant) std::abort();
    auto broker = plimsoll::open_broker(
        *grant, {.caller = "bench", .deadline = clock_.now() + std::chrono::hours(1)}, clock_);
    if (!broker) std::abort();
    broker_ = std::move(*broker);
  }

  // So many calls at once, until all are answered.
  void calls(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      broker_->submit(i, {.method = "GET", .target = std::string(kTarget)});
    }
    while (count != 0) {
      pollfd ready{.fd = broker_->fd(), .events = POLLIN, .revents = 0};
      (void)::poll(&ready, 1, -1);
      for (const auto& completion : broker_->take()) {
        if (completion.reply.status != 200) std::abort();
        --count;
      }
    }
  }

 private:
  plimsoll::SystemClock clock_;
  std::unique_ptr<Broker> broker_;
};

// Writes the bytes that the broker would, and waits for the answer.
class RawCaller {
 public:
  explicit RawCaller(const RecordingUpstream& upstream)
      : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(upstream.port());
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(fd_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
      std::abort();
    }
    const int on = 1;
    ::setsockopt(fd_.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    request_ = "GET " + std::string(kTarget) + " HTTP/1.1\r\nHost: " + upstream.origin().substr(7) +
               "\r\nAccept: application/json\r\nUser-Agent: plimsoll-broker\r\n"
               "Authorization: Bearer tok-0123456789abcdef\r\n\r\n";
  }
  void call() {
    if (::send(fd_.get(), request_.data(), request_.size(), MSG_NOSIGNAL) < 0) std::abort();
    std::string answer;
    std::array<char, 4096> chunk{};
    while (!answer.ends_with('}')) {
      const ssize_t got = ::recv(fd_.get(), chunk.data(), chunk.size(), 0);
      if (got <= 0) std::abort();
      answer.append(chunk.data(), static_cast<std::size_t>(got));
    }
  }

 private:
  plimsoll::UniqueFd fd_;
  std::string request_;
};

void call_over_the_apis_own_time(benchmark::State& state) {
  RecordingUpstream upstream(answer);
  Run run(upstream);
  RawCaller raw(upstream);
  Samples own(100'000);
  Samples brokered(100'000);
  run.calls(1);
  raw.call();
  for ([[maybe_unused]] auto step : state) {
    const auto start = Steady::now();
    raw.call();
    const auto middle = Steady::now();
    run.calls(1);
    brokered.add(Steady::now() - middle);
    own.add(middle - start);
  }
  own.report(state, "api_");
  brokered.report(state, "broker_");
  state.counters["over_p50_us"] = brokered.at(0.5) - own.at(0.5);
}
BENCHMARK(call_over_the_apis_own_time)
    ->Iterations(5000)
    ->Unit(benchmark::kMicrosecond)
    ->UseRealTime();

std::size_t swallow(char*, std::size_t size, std::size_t count, void*) { return size * count; }

// One handle that keeps its connection.
void curl_calls(const RecordingUpstream& upstream, std::size_t count) {
  const std::unique_ptr<CURL, decltype(&curl_easy_cleanup)> curl(curl_easy_init(),
                                                                 &curl_easy_cleanup);
  const std::string url = upstream.origin() + std::string(kTarget);
  curl_easy_setopt(curl.get(), CURLOPT_URL, url.c_str());
  curl_easy_setopt(curl.get(), CURLOPT_WRITEFUNCTION, &swallow);
  curl_easy_setopt(curl.get(), CURLOPT_NOSIGNAL, 1L);
  for (std::size_t i = 0; i < count; ++i) {
    if (curl_easy_perform(curl.get()) != CURLE_OK) std::abort();
  }
}

void run_of_256_calls_and_curl(benchmark::State& state) {
  RecordingUpstream upstream(answer);
  Samples curl(1000);
  Samples brokered(1000);
  for ([[maybe_unused]] auto step : state) {
    const auto start = Steady::now();
    curl_calls(upstream, kCallsOfARun);
    const auto middle = Steady::now();
    Run run(upstream);
    for (std::size_t i = 0; i < kCallsOfARun; ++i) run.calls(1);
    brokered.add(Steady::now() - middle);
    curl.add(middle - start);
    upstream.forget();
  }
  curl.report(state, "curl_");
  brokered.report(state, "broker_");
  state.counters["ratio"] = brokered.at(0.5) / curl.at(0.5);
}
BENCHMARK(run_of_256_calls_and_curl)->Iterations(30)->Unit(benchmark::kMillisecond)->UseRealTime();

// An API that takes its 5 ms: sixteen calls at once against one.
void sixteen_at_once(benchmark::State& state) {
  RecordingUpstream upstream(
      [](const plimsoll::ReceivedRequest& request, plimsoll::UpstreamPeer& peer) {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        answer(request, peer);
      });
  Run run(upstream);
  Samples one(1000);
  Samples sixteen(1000);
  run.calls(plimsoll::kMaxCallsInFlight);
  for ([[maybe_unused]] auto step : state) {
    const auto start = Steady::now();
    run.calls(1);
    const auto middle = Steady::now();
    run.calls(plimsoll::kMaxCallsInFlight);
    sixteen.add(Steady::now() - middle);
    one.add(middle - start);
  }
  one.report(state, "one_");
  sixteen.report(state, "sixteen_");
  state.counters["ratio"] = sixteen.at(0.5) / one.at(0.5);
}
BENCHMARK(sixteen_at_once)->Iterations(100)->Unit(benchmark::kMillisecond)->UseRealTime();

// What a run pays for a grant that it does not use.
void open_and_close(benchmark::State& state) {
  RecordingUpstream upstream(answer);
  Samples samples(100'000);
  for ([[maybe_unused]] auto step : state) {
    const auto start = Steady::now();
    const Run run(upstream);
    samples.add(Steady::now() - start);
  }
  samples.report(state);
}
BENCHMARK(open_and_close)->Unit(benchmark::kMicrosecond)->UseRealTime();

}  // namespace

BENCHMARK_MAIN();
