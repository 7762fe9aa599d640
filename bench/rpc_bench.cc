// The transport alone: Connect over HTTP/1.1 and loopback, a handler that does nothing on a worker
// thread. The load generator is in the same process, on the same cores.

#include <benchmark/benchmark.h>
#include <echo.pb.h>

#include <atomic>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "echo_service.h"
#include "raw_client.h"
#include "rpc/server.h"
#include "samples.h"

namespace {

using plimsoll::rpc::EchoCounts;
using plimsoll::rpc::RawClient;
using plimsoll::rpc::Server;

struct Served {
  explicit Served(std::size_t connections = 512) {
    plimsoll::rpc::ServerOptions options{.listeners = {plimsoll::rpc::echo_listener(counts)},
                                         .hooks = plimsoll::rpc::echo_hooks(counts)};
    options.limits.connections = connections;
    server = *Server::create(options);
    if (!server->start()) std::abort();
  }
  EchoCounts counts;
  std::unique_ptr<Server> server;
};

std::string request(const std::string& path) {
  plimsoll::test::v1::EchoRequest message;
  message.set_data("console.log(6*7)");
  const std::string body = message.SerializeAsString();
  return "POST " + path +
         " HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer test-token\r\n"
         "content-type: application/proto\r\nconnect-protocol-version: 1\r\n"
         "content-length: " +
         std::to_string(body.size()) + "\r\n\r\n" + body;
}

void one_connection(benchmark::State& state) {
  const Served served;
  RawClient client(served.server->port(0));
  const std::string call = request("/plimsoll.test.v1.EchoService/Echo");
  plimsoll::bench::Samples samples(100'000);
  for ([[maybe_unused]] auto step : state) {
    const auto start = std::chrono::steady_clock::now();
    client.send(call);
    benchmark::DoNotOptimize(client.response());
    samples.add(std::chrono::steady_clock::now() - start);
  }
  samples.report(state);
}
BENCHMARK(one_connection)->Unit(benchmark::kMicrosecond)->UseRealTime();

void sixteen_connections(benchmark::State& state) {
  const Served served;
  const std::string call = request("/plimsoll.test.v1.EchoService/Echo");
  constexpr int kConnections = 16;
  constexpr int kCallsEach = 200;
  for ([[maybe_unused]] auto step : state) {
    std::vector<std::thread> threads;
    threads.reserve(kConnections);
    for (int i = 0; i < kConnections; ++i) {
      threads.emplace_back([&] {
        RawClient client(served.server->port(0));
        for (int j = 0; j < kCallsEach; ++j) {
          client.send(call);
          benchmark::DoNotOptimize(client.response());
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  state.SetItemsProcessed(state.iterations() * kConnections * kCallsEach);
}
BENCHMARK(sixteen_connections)->Unit(benchmark::kMillisecond)->UseRealTime();

std::size_t resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  std::size_t total = 0;
  std::size_t resident = 0;
  statm >> total >> resident;
  return resident * 4096;
}

// Each has made a call before it idles. The clients' own sockets are in the same process, and
// small.
void idle_connections(benchmark::State& state) {
  const Served served(2000);
  const std::string call = request("/plimsoll.test.v1.EchoService/Stats");
  for ([[maybe_unused]] auto step : state) {
    const std::size_t before = resident_bytes();
    std::vector<std::unique_ptr<RawClient>> clients;
    std::vector<int> sockets;
    for (int i = 0; i < 1000; ++i) {
      RawClient client(served.server->port(0));
      client.send(call);
      if (client.response().empty()) std::abort();
      sockets.push_back(::dup(client.fd()));
    }
    state.counters["bytes_per_connection"] =
        (static_cast<double>(resident_bytes()) - static_cast<double>(before)) / 1000;
    for (const int socket : sockets) ::close(socket);
  }
}
BENCHMARK(idle_connections)->Iterations(1)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
