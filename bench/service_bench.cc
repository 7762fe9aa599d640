// A real daemon with two workers, through the client library: what a caller of the service waits
// for. Daemon, workers and callers share this machine's processors.
#include <benchmark/benchmark.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "daemon_child.h"
#include "plimsoll/client.h"
#include "raw_client.h"
#include "samples.h"

namespace {

using plimsoll::Client;
using plimsoll::HttpVersion;
using plimsoll::bench::DaemonChild;
using plimsoll::bench::Samples;

const plimsoll::RunRequest kPrint{.code = "console.log(6*7)",
                                  .minimum_isolation = plimsoll::Isolation::kProcess};

Client client_of(const DaemonChild& daemon, HttpVersion version) {
  auto token = plimsoll::BearerToken::from_text(daemon.token());
  if (!token) std::abort();
  auto client = Client::build(
      {.base_url = daemon.url(), .token = *std::move(token), .http_version = version});
  if (!client) std::abort();
  return *std::move(client);
}

// Every answer is checked, as every caller's is.
void run_once(Client& client) {
  const auto answer = client.run_javascript(kPrint);
  if (!answer) {
    std::fprintf(stderr, "%s\n", answer.error().message.c_str());
    std::abort();
  }
  if (answer->outcome.stdout_bytes != "42\n") std::abort();
}

void one_connection(benchmark::State& state, HttpVersion version, std::string_view provider) {
  if (provider == "microvm" && ::access("/dev/kvm", R_OK | W_OK) != 0) {
    state.SkipWithError("no /dev/kvm that may be opened");
    return;
  }
  const DaemonChild daemon(provider);
  Client client = client_of(daemon, version);
  for (int i = 0; i < 100; ++i) run_once(client);
  Samples samples(100'000);
  for ([[maybe_unused]] auto step : state) {
    const auto start = std::chrono::steady_clock::now();
    run_once(client);
    samples.add(std::chrono::steady_clock::now() - start);
  }
  samples.report(state);
}
BENCHMARK_CAPTURE(one_connection, http1, HttpVersion::kHttp1, "wasm")
    ->Unit(benchmark::kMicrosecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(one_connection, http2, HttpVersion::kHttp2, "wasm")
    ->Unit(benchmark::kMicrosecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(one_connection, microvm, HttpVersion::kHttp1, "microvm")
    ->Unit(benchmark::kMicrosecond)
    ->UseRealTime();

void crowd(benchmark::State& state, HttpVersion version) {
  constexpr int kThreads = 16;
  constexpr int kRunsEach = 100;
  const DaemonChild daemon;
  Client client = client_of(daemon, version);
  for ([[maybe_unused]] auto step : state) {
    std::vector<std::jthread> threads;
    threads.reserve(kThreads);
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&] {
        for (int j = 0; j < kRunsEach; ++j) run_once(client);
      });
    }
  }
  state.SetItemsProcessed(state.iterations() * kThreads * kRunsEach);
}
BENCHMARK_CAPTURE(crowd, http1, HttpVersion::kHttp1)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(crowd, http2, HttpVersion::kHttp2)->Unit(benchmark::kMillisecond)->UseRealTime();

// Each has called once before it idles. Half as many as the target speaks of, and twice what they
// take: the daemon accepts 512.
void idle_connections(benchmark::State& state) {
  constexpr int kConnections = 500;
  for ([[maybe_unused]] auto step : state) {
    const DaemonChild daemon;
    Client client = client_of(daemon, HttpVersion::kHttp1);
    for (int i = 0; i < 100; ++i) run_once(client);
    const double before = daemon.resident_kib();
    const std::string call =
        "POST /plimsoll.v1.SandboxService/Describe HTTP/1.1\r\nhost: localhost\r\n"
        "authorization: Bearer " +
        daemon.token() + "\r\ncontent-type: application/proto\r\ncontent-length: 0\r\n\r\n";
    std::vector<int> sockets;
    for (int i = 0; i < kConnections; ++i) {
      plimsoll::rpc::RawClient raw(static_cast<std::uint16_t>(daemon.port()));
      raw.send(call);
      if (raw.response().find("200") == std::string::npos) std::abort();
      sockets.push_back(::dup(raw.fd()));
    }
    const double after = daemon.resident_kib();
    state.counters["kib_each"] = (after - before) / kConnections;
    state.counters["mib_of_1000"] = (after - before) * 1000 / kConnections / 1024;
    for (const int socket : sockets) ::close(socket);
  }
}
BENCHMARK(idle_connections)->Iterations(1)->Unit(benchmark::kMillisecond);

void start(benchmark::State& state) {
  Samples samples(100);
  double resident = 0;
  double own = 0;
  double family = 0;
  for ([[maybe_unused]] auto step : state) {
    const DaemonChild daemon;
    samples.add(daemon.start());
    state.SetIterationTime(std::chrono::duration<double>(daemon.start()).count());
    resident = daemon.resident_kib();
    own = daemon.private_kib();
    family = daemon.family_pss_kib();
  }
  state.counters["listening_p50_ms"] = samples.at(0.5) / 1000;
  state.counters["listening_worst_ms"] = samples.at(1) / 1000;
  state.counters["rss_mib"] = resident / 1024;
  state.counters["private_mib"] = own / 1024;
  state.counters["family_pss_mib"] = family / 1024;
}
BENCHMARK(start)->Iterations(15)->Unit(benchmark::kMillisecond)->UseManualTime();

}  // namespace

BENCHMARK_MAIN();
