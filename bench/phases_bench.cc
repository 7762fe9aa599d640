// Where the time of one run goes, measured below the library's front door on one worker.
#include <benchmark/benchmark.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>
#include <utility>

#include "providers/jailed/worker_factory.h"
#include "providers/jailed/worker_process.h"
#include "providers/wasm/worker_program.h"
#include "samples.h"

namespace plimsoll::bench {

namespace {

constexpr unsigned kMemoryMb = 64;
constexpr guest::RunHeader kRun{.timeout_us = 10'000'000,
                                .output_cap = 65'536,
                                .flood_bytes = std::uint64_t{64} << 20,
                                .memory_bytes = std::uint64_t{kMemoryMb} << 20};

[[noreturn]] void give_up(const std::string& why) {
  std::cerr << "phases_bench: " << why << '\n';
  std::exit(1);
}

jailed::WorkerProcess make(jailed::WorkerFactory& factory) {
  auto worker = factory.make();
  if (!worker) give_up(worker.error().message);
  return std::move(*worker);
}

jailed::RunReport run_once(jailed::WorkerProcess& worker, std::string_view code) {
  jailed::RunReport report = worker.run(kRun, {.code = code});
  if (report.status != jailed::RunStatus::kDone) give_up("the worker failed");
  return report;
}

void spin_for(std::chrono::microseconds pause) {
  for (const auto until = Clock::now() + pause; Clock::now() < until;) {
  }
}

// One exchange with a worker: all of it, and the engine's part as the worker's clock measured it.
// With a pause before each run the worker has finished its reset when the run arrives; without, the
// run waits for the reset of the one before it.
void exchange(benchmark::State& state, std::string_view code, int pause_us) {
  jailed::WorkerFactory factory(wasm::worker_program(), {}, kMemoryMb);
  jailed::WorkerProcess worker = make(factory);
  for (int i = 0; i < 200; ++i) (void)run_once(worker, code);
  const auto expected = static_cast<std::size_t>(state.max_iterations);
  Samples whole(expected);
  Samples engine(expected);
  for (auto _ : state) {
    spin_for(std::chrono::microseconds(pause_us));
    const auto begin = Clock::now();
    const jailed::RunReport report = run_once(worker, code);
    const auto took = Clock::now() - begin;
    whole.add(took);
    engine.add(static_cast<double>(report.done.engine_ns) / 1e3);
    state.SetIterationTime(std::chrono::duration<double>(took).count());
  }
  whole.report(state);
  engine.report(state, "engine_");
}

// The least that a question to another process and its answer cost on this machine: 40 bytes there,
// 24 back, two wakeups, nothing computed.
void bare_round_trip(benchmark::State& state) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) give_up("socketpair");
  std::array<std::uint8_t, 64> bytes{};
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(ends[0]);
    while (::recv(ends[1], bytes.data(), 40, MSG_WAITALL) == 40) {
      if (::send(ends[1], bytes.data(), 24, MSG_NOSIGNAL) != 24) break;
    }
    ::_exit(0);
  }
  ::close(ends[1]);
  Samples samples(static_cast<std::size_t>(state.max_iterations));
  for (auto _ : state) {
    const auto begin = Clock::now();
    if (::send(ends[0], bytes.data(), 40, MSG_NOSIGNAL) != 40 ||
        ::recv(ends[0], bytes.data(), 24, MSG_WAITALL) != 24) {
      give_up("the echo is gone");
    }
    const auto took = Clock::now() - begin;
    samples.add(took);
    state.SetIterationTime(std::chrono::duration<double>(took).count());
  }
  ::close(ends[0]);
  ::waitpid(child, nullptr, 0);
  samples.report(state);
}

// A new worker: fork, jail, measurement.
void make_worker(benchmark::State& state) {
  jailed::WorkerFactory factory(wasm::worker_program(), {}, kMemoryMb);
  (void)make(factory);  // starts the zygote
  Samples samples(static_cast<std::size_t>(state.max_iterations));
  for (auto _ : state) {
    const auto begin = Clock::now();
    const jailed::WorkerProcess worker = make(factory);
    const auto took = Clock::now() - begin;
    samples.add(took);
    state.SetIterationTime(std::chrono::duration<double>(took).count());
  }
  samples.report(state);
}

// The zygote: the worker's file into a memfd, its start, its jail; and the first worker.
void start_zygote(benchmark::State& state) {
  Samples samples(static_cast<std::size_t>(state.max_iterations));
  for (auto _ : state) {
    jailed::WorkerFactory factory(wasm::worker_program(), {}, kMemoryMb);
    const auto begin = Clock::now();
    const jailed::WorkerProcess worker = make(factory);
    const auto took = Clock::now() - begin;
    samples.add(took);
    state.SetIterationTime(std::chrono::duration<double>(took).count());
  }
  samples.report(state);
}

BENCHMARK(bare_round_trip)->UseManualTime()->Iterations(20'000);
BENCHMARK_CAPTURE(exchange, expression, "6*7", 0)->UseManualTime()->Iterations(20'000);
BENCHMARK_CAPTURE(exchange, expression_after_pause, "6*7", 100)
    ->UseManualTime()
    ->Iterations(20'000);
BENCHMARK_CAPTURE(exchange, print, "console.log(6*7)", 0)->UseManualTime()->Iterations(10'000);
BENCHMARK(make_worker)->UseManualTime()->Iterations(300);
BENCHMARK(start_zygote)->UseManualTime()->Iterations(25);

}  // namespace

}  // namespace plimsoll::bench

BENCHMARK_MAIN();
