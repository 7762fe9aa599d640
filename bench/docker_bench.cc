// The docker provider with a real engine: tools/with-docker build/release/bench/docker_bench. Cold
// runs alternate with the bare sequence of the engine's API (create, attach, start, wait, remove)
// of the same image and limits, so that both meet the same machine.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/cleared_run.h"
#include "providers/docker/docker_provider.h"
#include "providers/docker/engine_api.h"
#include "providers/docker/preflight.h"
#include "samples.h"

namespace plimsoll::bench {
namespace {

constexpr const char* kCode = "console.log(6 * 7)";
constexpr std::array kRuntimes = {"runc", "runsc"};

template <class T>
T take(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().message);
  return *std::move(result);
}

DockerConfig config_of(const char* runtime) {
  const char* host = std::getenv("DOCKER_HOST");  // NOLINT(concurrency-mt-unsafe)
  if (host == nullptr) throw std::runtime_error("no engine: run this with tools/with-docker");
  DockerConfig config;
  config.host = host;
  config.image = "plimsoll/snippet:latest";
  config.runtime = runtime;
  config.seccomp = PLIMSOLL_SOURCE_DIR "/images/seccomp.json";
  return config;
}

std::unique_ptr<Provider> ready(const DockerConfig& config) {
  auto provider = make_docker_provider(config);
  if (auto is = provider->ensure_ready(); !is) throw std::runtime_error(is.error().message);
  return provider;
}

void run(Provider& provider) {
  const RunRequest request{.code = kCode, .timeout = Millis{60'000}};
  const auto evidence = take(provider.current_evidence());
  const auto cleared = take(clear_run(request, provider.limits(), evidence));
  if (take(provider.run(cleared, nullptr, {})).stdout_bytes != "42\n") {
    throw std::runtime_error("a wrong answer");
  }
}

// What anybody has to do to run this code in a container like ours.
class Bare {
 public:
  explicit Bare(const DockerConfig& config)
      : api_(take(docker::parse_endpoint(config.host, config.certs))),
        spec_(take(docker::run_preflight(api_, config)).snippet) {
    auto body = nlohmann::json::parse(docker::to_json(spec_));
    body["Entrypoint"] = {"node", "-e", kCode};
    body_ = body.dump();
  }

  // Until the output is there, which is what a caller waits for; and until the container has gone.
  std::pair<Clock::duration, Clock::duration> run() {
    const auto start = Clock::now();
    const std::string id = take(api_.create(body_, fmt::format("plimsoll-bench-{}", ++serial_)));
    auto stream = take(api_.attach(id));
    if (auto started = api_.start(id); !started) throw std::runtime_error(started.error().message);
    std::string output;
    for (;;) {
      std::array<std::uint8_t, 256> space{};
      const auto step = stream->read(space);
      if (step.state == guest::StreamState::kGone) break;
      output.append(reinterpret_cast<const char*>(space.data()), step.bytes);
      if (step.state != guest::StreamState::kWait) continue;
      pollfd readable{.fd = stream->fd(), .events = POLLIN, .revents = 0};
      (void)::poll(&readable, 1, -1);
    }
    if (output != "42\n") throw std::runtime_error("a wrong answer of the bare sequence");
    if (auto ended = api_.wait(id, Millis{10'000}); !ended) {
      throw std::runtime_error(ended.error().message);
    }
    const auto answered = Clock::now();
    if (auto gone = api_.remove(id); !gone) throw std::runtime_error(gone.error().message);
    return {answered - start, Clock::now() - start};
  }

 private:
  docker::EngineApi api_;
  docker::ContainerSpec spec_;
  std::string body_;
  unsigned serial_ = 0;
};

void cold(benchmark::State& state) {
  const DockerConfig config = config_of(kRuntimes.at(static_cast<std::size_t>(state.range(0))));
  const auto provider = ready(config);
  Bare bare(config);
  Samples ours(256);
  Samples theirs(256);
  Samples theirs_whole(256);
  for (auto _ : state) {
    const auto start = Clock::now();
    run(*provider);
    ours.add(Clock::now() - start);
    const auto [answered, gone] = bare.run();
    theirs.add(answered);
    theirs_whole.add(gone);
  }
  state.counters["ratio_to_bare"] = ours.at(0.5) / theirs_whole.at(0.5);
  state.counters["ratio_to_bare_answer"] = ours.at(0.5) / theirs.at(0.5);
  ours.report(state);
  theirs_whole.report(state, "bare_");
}
BENCHMARK(cold)->Arg(0)->Arg(1)->Iterations(30)->UseRealTime()->Unit(benchmark::kMillisecond);

void warm(benchmark::State& state) {
  DockerConfig config = config_of(kRuntimes.at(static_cast<std::size_t>(state.range(0))));
  config.pool = 2;
  const auto provider = ready(config);
  Samples samples(256);
  for (auto _ : state) {
    state.PauseTiming();  // until the pool is full again
    while (provider->pools().at(0).ready < config.pool) std::this_thread::sleep_for(Millis{5});
    std::this_thread::sleep_for(Millis{300});  // and the engine has removed the last one
    state.ResumeTiming();
    const auto start = Clock::now();
    run(*provider);
    samples.add(Clock::now() - start);
  }
  samples.report(state);
}
BENCHMARK(warm)->Arg(0)->Arg(1)->Iterations(30)->UseRealTime()->Unit(benchmark::kMillisecond);

void eight_at_once(benchmark::State& state) {
  const auto provider = ready(config_of(kRuntimes.at(static_cast<std::size_t>(state.range(0)))));
  for (auto _ : state) {
    std::vector<std::jthread> callers;
    callers.reserve(8);
    for (int i = 0; i < 8; ++i) callers.emplace_back([&] { run(*provider); });
  }
}
BENCHMARK(eight_at_once)
    ->Arg(0)
    ->Arg(1)
    ->Iterations(5)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

void project(benchmark::State& state) {
  DockerConfig config = config_of(kRuntimes.at(static_cast<std::size_t>(state.range(0))));
  config.project_image = "plimsoll/sandbox:latest";
  config.memory_mb = 1'024;
  const auto provider = ready(config);
  const ProjectRun three_steps{
      .files = {{.path = "tsconfig.json",
                 .content = R"({"compilerOptions": {"strict": true, "noEmit": true,
                   "module": "nodenext", "types": ["node"]}, "include": ["src"]})"},
                {.path = "package.json", .content = R"({"type": "module"})"},
                {.path = "eslint.config.js",
                 .content = "import js from '@eslint/js'; import ts from 'typescript-eslint';"
                            "export default ts.config(js.configs.recommended,"
                            " ...ts.configs.recommended);"},
                {.path = "src/main.ts", .content = "const n: number = 6 * 7;\nconsole.log(n);\n"}},
      .steps = {"tsc -p .", "eslint src", "node src/main.ts"}};
  const std::array names = {"check_ms", "lint_ms", "run_ms"};
  std::array<Samples, 3> steps = {Samples(16), Samples(16), Samples(16)};
  Samples rest(16);
  for (auto _ : state) {
    const auto start = Clock::now();
    const auto evidence = take(provider->current_evidence());
    const auto cleared = take(
        clear_project({.timeout = Millis{120'000}}, three_steps, provider->limits(), evidence));
    const auto answer = take(provider->run_project(cleared, nullptr, {}));
    const double whole = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
    if (answer.result.steps.size() != 3 || answer.result.steps.back().process.exit_code != 0) {
      throw std::runtime_error("the project failed: " + answer.result.outcome_detail);
    }
    double in_steps = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      const auto took = static_cast<double>(answer.result.steps[i].duration.count());
      steps.at(i).add(took);
      in_steps += took;
    }
    rest.add(whole - in_steps);
  }
  for (std::size_t i = 0; i < 3; ++i) state.counters[names.at(i)] = steps.at(i).at(0.5);
  state.counters["rest_ms"] = rest.at(0.5);
}
BENCHMARK(project)->Arg(0)->Arg(1)->Iterations(5)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace plimsoll::bench

BENCHMARK_MAIN();
