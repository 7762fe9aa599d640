// The VM tier beside the process tier: each pair of runs is of one machine at one moment, so that
// the ratio means something where the figures do not.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>
#include <string_view>
#include <utility>

#include "plimsoll/sandbox.h"
#include "providers/jailed/worker_factory.h"
#include "providers/microvm/vmm_program.h"
#include "samples.h"

namespace plimsoll::bench {

namespace {

constexpr unsigned kMemoryMb = 64;
constexpr std::string_view kPrint = "console.log(6*7)";
// Interpreted work of some milliseconds, of the kinds that engines differ in.
constexpr std::string_view kCompute[] = {
    "const f = (n) => n < 2 ? n : f(n - 1) + f(n - 2); console.log(f(24))",
    "let s = 0; for (let i = 0; i < 1e6; ++i) s = (s + i * 7) % 1000003; console.log(s)",
    "const a = []; for (let i = 0; i < 2e4; ++i) a.push({i, s: 'x' + i});"
    "console.log(JSON.stringify(JSON.parse(JSON.stringify(a))).length)",
    "const a = Array.from({length: 3e4}, (_, i) => (i * 7919) % 30011);"
    "a.sort((x, y) => x - y); console.log(a[15000])",
    "let n = 0; for (let i = 0; i < 4000; ++i) n += /(a+)+b.*?(\\d+)/.exec('aaaab' + i)[2].length;"
    "console.log(n)",
};

[[noreturn]] void give_up(const std::string& why) {
  std::cerr << "microvm_bench: " << why << '\n';
  std::exit(1);
}

Sandbox ready(ProviderKind provider, WorkerReuse reuse, unsigned pool = 1) {
  auto sandbox = Sandbox::build({.provider = provider,
                                 .wasm = {.pool = pool, .reuse = reuse},
                                 .microvm = {.pool = pool, .reuse = reuse}});
  if (!sandbox) give_up(sandbox.error().message);
  if (auto proof = sandbox->ensure_ready(); !proof) give_up(proof.error().message);
  return std::move(*sandbox);
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

// A run that finds a machine, or a worker, that was reset.
void reset(benchmark::State& state) {
  Sandbox vm = ready(ProviderKind::kMicrovm, WorkerReuse::kCaller);
  Sandbox process = ready(ProviderKind::kWasm, WorkerReuse::kCaller);
  const RunRequest request{.code = std::string(kPrint)};
  for (int i = 0; i < 200; ++i) {
    (void)run_once(vm, request);
    (void)run_once(process, request);
  }
  Samples vms(static_cast<std::size_t>(state.max_iterations));
  Samples processes(static_cast<std::size_t>(state.max_iterations));
  for (auto _ : state) {
    const auto took = run_once(vm, request);
    vms.add(took);
    processes.add(run_once(process, request));
    state.SetIterationTime(seconds(took));
  }
  vms.report(state, "vm_");
  processes.report(state, "process_");
}

// A machine that is made for the run: the process, its jail, the machine, the run, and its end.
void fresh(benchmark::State& state) {
  jailed::WorkerFactory factory(microvm::vmm_program(), {}, kMemoryMb);
  if (auto first = factory.make(); !first) give_up(first.error().message);
  const auto expected = static_cast<std::size_t>(state.max_iterations);
  Samples makes(expected);
  Samples runs(expected);
  Samples engines(expected);
  Samples ends(expected);
  Samples whole(expected);
  for (auto _ : state) {
    const auto begin = Clock::now();
    auto machine = factory.make();
    if (!machine) give_up(machine.error().message);
    const auto made = Clock::now();
    const auto report = machine->run({.timeout_us = 10'000'000,
                                      .output_cap = 65'536,
                                      .flood_bytes = std::uint64_t{64} << 20,
                                      .memory_bytes = std::uint64_t{kMemoryMb} << 20},
                                     {.code = kPrint});
    if (report.status != jailed::RunStatus::kDone) give_up("the machine failed");
    const auto ran = Clock::now();
    machine->kill();
    const auto ended = Clock::now();
    makes.add(made - begin);
    runs.add(ran - made);
    engines.add(static_cast<double>(report.done.engine_ns) / 1e3);
    ends.add(ended - ran);
    whole.add(ran - begin);
    state.SetIterationTime(seconds(ran - begin));
  }
  whole.report(state);
  state.counters["p10_us"] = whole.at(0.10);  // closer to an idle machine's
  makes.report(state, "make_");
  runs.report(state, "run_");
  engines.report(state, "engine_");
  ends.report(state, "end_");
}

// The same through the library: every run finds a machine that nobody has used, when the pool keeps
// up, or makes one.
void never_reused(benchmark::State& state) {
  Sandbox vm = ready(ProviderKind::kMicrovm, WorkerReuse::kNever);
  const RunRequest request{.code = std::string(kPrint)};
  Samples samples(static_cast<std::size_t>(state.max_iterations));
  for (auto _ : state) {
    const auto took = run_once(vm, request);
    samples.add(took);
    state.SetIterationTime(seconds(took));
  }
  samples.report(state);
}

// Threads that share one sandbox, and one caller.
void crowd(benchmark::State& state, WorkerReuse reuse) {
  static std::unique_ptr<Sandbox> shared;
  if (state.thread_index() == 0) {
    shared = std::make_unique<Sandbox>(ready(ProviderKind::kMicrovm, reuse, 2));
  }
  const RunRequest request{.code = std::string(kPrint)};
  for (auto _ : state) (void)run_once(*shared, request);
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()));
  if (state.thread_index() == 0) shared.reset();
}

// Work in the engine: the machine's time by the process's, for each program; the median of pairs.
void compute(benchmark::State& state) {
  Sandbox vm = ready(ProviderKind::kMicrovm, WorkerReuse::kCaller);
  Sandbox process = ready(ProviderKind::kWasm, WorkerReuse::kCaller);
  const RunRequest request{.code = std::string(kCompute[static_cast<std::size_t>(state.range(0))])};
  Samples ratios(static_cast<std::size_t>(state.max_iterations));
  for (auto _ : state) {
    const auto in_vm = seconds(run_once(vm, request));
    ratios.add(in_vm / seconds(run_once(process, request)));
    state.SetIterationTime(in_vm);
  }
  state.counters["vm_to_process"] = ratios.at(0.5);
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

void memory(benchmark::State& state) {
  const RunRequest request{.code = std::string(kPrint)};
  for (auto _ : state) {
    auto sandbox = Sandbox::build({.provider = ProviderKind::kMicrovm, .microvm = {.pool = 1}});
    if (!sandbox) give_up(sandbox.error().message);
    const auto evidence = sandbox->ensure_ready();
    if (!evidence) give_up(evidence.error().message);
    state.counters["ready_private_kib"] = private_kib(fact(*evidence, "vmm.pid"));
    for (int i = 0; i < 99; ++i) (void)run_once(*sandbox, request);
    const auto last = sandbox->run_javascript(request);
    if (!last) give_up(last.error().message);
    state.counters["used_private_kib"] = private_kib(fact(last->evidence, "vmm.pid"));
  }
}

// From nothing to ready: the program, the template, the smoke test, the first machine.
void start(benchmark::State& state) {
  Samples samples(64);
  for (auto _ : state) {
    const auto begin = Clock::now();
    const Sandbox sandbox = ready(ProviderKind::kMicrovm, WorkerReuse::kCaller);
    const auto took = Clock::now() - begin;
    samples.add(took);
    state.SetIterationTime(seconds(took));
  }
  samples.report(state);
}

BENCHMARK(reset)->UseManualTime()->Iterations(10'000);
BENCHMARK(fresh)->UseManualTime()->Iterations(500);
BENCHMARK(never_reused)->UseManualTime()->Iterations(500);
BENCHMARK_CAPTURE(crowd, reset, WorkerReuse::kCaller)
    ->Threads(2)
    ->UseRealTime()
    ->Iterations(10'000);
BENCHMARK_CAPTURE(crowd, fresh, WorkerReuse::kNever)->Threads(2)->UseRealTime()->Iterations(500);
BENCHMARK(compute)->DenseRange(0, std::size(kCompute) - 1)->UseManualTime()->Iterations(45);
BENCHMARK(memory)->Iterations(1);
BENCHMARK(start)->UseManualTime()->Iterations(10);

}  // namespace

}  // namespace plimsoll::bench

int main(int argc, char** argv) {
  if (::access("/dev/kvm", R_OK | W_OK) != 0) {
    std::cerr << "microvm_bench: no /dev/kvm that may be opened; nothing was measured\n";
    return 0;
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
