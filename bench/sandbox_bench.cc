// What a caller of the library waits for.
#include <benchmark/benchmark.h>

#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "plimsoll/sandbox.h"
#include "samples.h"

namespace plimsoll::bench {

namespace {

constexpr std::string_view kExpression = "6*7";
constexpr std::string_view kPrint = "console.log(6*7)";
// What a model writes when it is asked for a total: about twenty lines, one result.
constexpr std::string_view kReal = R"js(
const staff = [
  {name: "Ada", department: "engineering", salary: 152000},
  {name: "Grace", department: "engineering", salary: 149500},
  {name: "Edsger", department: "research", salary: 131250},
  {name: "Barbara", department: "research", salary: 140000},
  {name: "Tony", department: "support", salary: 98000},
  {name: "Frances", department: "support", salary: 101500},
];
const totals = new Map();
for (const {department, salary} of staff) {
  totals.set(department, (totals.get(department) ?? 0) + salary);
}
const rows = [...totals].sort((a, b) => b[1] - a[1]);
for (const [department, total] of rows) {
  console.log(`${department.padEnd(12)} ${total.toLocaleString("en-US").padStart(10)}`);
}
console.log({departments: rows.length, sum: rows.reduce((all, [, total]) => all + total, 0)});
)js";

[[noreturn]] void give_up(const std::string& why) {
  std::cerr << "sandbox_bench: " << why << '\n';
  std::exit(1);
}

Sandbox build(const WasmConfig& wasm) {
  auto sandbox = Sandbox::build({.provider = ProviderKind::kWasm, .wasm = wasm});
  if (!sandbox) give_up(sandbox.error().message);
  return std::move(*sandbox);
}

Sandbox ready(const WasmConfig& wasm) {
  Sandbox sandbox = build(wasm);
  if (auto proof = sandbox.ensure_ready(); !proof) give_up(proof.error().message);
  return sandbox;
}

Clock::duration run_once(Sandbox& sandbox, const RunRequest& request) {
  const auto begin = Clock::now();
  const auto outcome = sandbox.run_javascript(request);
  const auto end = Clock::now();
  if (!outcome) give_up(outcome.error().message);
  if (outcome->exit_code != 0) give_up("the snippet failed: " + outcome->stderr_bytes);
  return end - begin;
}

double seconds(Clock::duration duration) { return std::chrono::duration<double>(duration).count(); }

RunRequest request_for(std::string_view code) {
  return {.code = std::string(code), .minimum_isolation = Isolation::kProcess};
}

// One caller, one worker after the other run: the latency of a run that finds a warm worker.
void warm(benchmark::State& state, std::string_view code) {
  Sandbox sandbox = ready({.pool = 1});
  const RunRequest request = request_for(code);
  for (int i = 0; i < 200; ++i) (void)run_once(sandbox, request);
  Samples samples(static_cast<std::size_t>(state.max_iterations));
  for (auto _ : state) {
    const auto took = run_once(sandbox, request);
    samples.add(took);
    state.SetIterationTime(seconds(took));
  }
  samples.report(state);
}

void fresh_worker(benchmark::State& state) {
  Sandbox sandbox = ready({.pool = 1, .reuse = WorkerReuse::kNever});
  const RunRequest request = request_for(kPrint);
  Samples samples(static_cast<std::size_t>(state.max_iterations));
  for (auto _ : state) {
    const auto took = run_once(sandbox, request);
    samples.add(took);
    state.SetIterationTime(seconds(took));
  }
  samples.report(state);
}

// Both halves of a cold start: until the smoke test has passed, and the run after that.
void start(benchmark::State& state) {
  const RunRequest request = request_for(kPrint);
  Samples readiness(64);
  Samples first_run(64);
  for (auto _ : state) {
    Sandbox sandbox = build({.pool = 1});
    const auto begin = Clock::now();
    if (auto proof = sandbox.ensure_ready(); !proof) give_up(proof.error().message);
    const auto took = Clock::now() - begin;
    readiness.add(took);
    first_run.add(run_once(sandbox, request));
    state.SetIterationTime(seconds(took));
  }
  readiness.report(state, "ensure_ready_");
  first_run.report(state, "first_run_");
}

// Threads that share one sandbox. The caller is the same, so that any thread may use any worker.
void crowd(benchmark::State& state, unsigned pool, unsigned slots) {
  static std::unique_ptr<Sandbox> shared;
  if (state.thread_index() == 0) {
    shared = std::make_unique<Sandbox>(ready({.pool = pool, .max_concurrent = slots}));
  }
  const RunRequest request = request_for(kExpression);
  Samples samples(static_cast<std::size_t>(state.max_iterations));
  for (auto _ : state) samples.add(run_once(*shared, request));
  samples.report(state);
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()));
  if (state.thread_index() == 0) shared.reset();
}

std::string fact(const IsolationEvidence& evidence, std::string_view name) {
  for (const EvidenceFact& one : evidence.facts) {
    if (one.name == name) return one.value;
  }
  return {};
}

// KiB that no other process shares, as the kernel counts them; -1 when it does not tell.
double private_kib(const std::string& pid) {
  std::ifstream rollup("/proc/" + pid + "/smaps_rollup");
  double sum = -1;
  for (std::string line; std::getline(rollup, line);) {
    if (!line.starts_with("Private_")) continue;
    const std::size_t from = line.find_first_of("0123456789");
    double kib = 0;
    if (from == std::string::npos) continue;
    (void)std::from_chars(line.data() + from, line.data() + line.size(), kib);
    sum = std::max(sum, 0.0) + kib;
  }
  return sum;
}

void worker_memory(benchmark::State& state) {
  const RunRequest request = request_for(kReal);
  for (auto _ : state) {
    Sandbox sandbox = build({.pool = 1});
    const auto evidence = sandbox.ensure_ready();
    if (!evidence) give_up(evidence.error().message);
    state.counters["ready_private_kib"] = private_kib(fact(*evidence, "worker.pid"));
    for (int i = 0; i < 99; ++i) (void)run_once(sandbox, request);
    const auto last = sandbox.run_javascript(request);
    if (!last) give_up(last.error().message);
    state.counters["used_private_kib"] = private_kib(fact(last->evidence, "worker.pid"));
  }
}

BENCHMARK_CAPTURE(warm, expression, kExpression)->UseManualTime()->Iterations(20'000);
BENCHMARK_CAPTURE(warm, print, kPrint)->UseManualTime()->Iterations(10'000);
BENCHMARK_CAPTURE(warm, real_snippet, kReal)->UseManualTime()->Iterations(5'000);
BENCHMARK(fresh_worker)->UseManualTime()->Iterations(300);
BENCHMARK(start)->UseManualTime()->Iterations(25);
BENCHMARK_CAPTURE(crowd, workers_2, 2, 2)->Threads(2)->UseRealTime()->Iterations(20'000);
BENCHMARK_CAPTURE(crowd, slots_8, 8, 8)->Threads(16)->UseRealTime()->Iterations(2'000);
BENCHMARK(worker_memory)->Iterations(1);

}  // namespace

}  // namespace plimsoll::bench

BENCHMARK_MAIN();
