// What the suites with a real engine share: a provider under runc or under gVisor, ways to ask it,
// and the docker command for what no run may do. tools/with-docker starts the engine.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <spawn.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <deque>
#include <functional>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/unique_fd.h"
#include "broker/broker.h"
#include "core/cleared_run.h"
#include "plimsoll/sandbox.h"
#include "providers/docker/docker_provider.h"
#include "providers/docker/engine_api.h"
#include "providers/docker/instance.h"

namespace plimsoll::docker {

using std::chrono::milliseconds;

inline constexpr const char* kSnippetImage = "plimsoll/snippet:latest";
inline constexpr const char* kProjectImage = "plimsoll/sandbox:latest";

[[nodiscard]] inline std::string engine_host() {
  const char* host = std::getenv("DOCKER_HOST");  // NOLINT(concurrency-mt-unsafe)
  if (host == nullptr) throw std::runtime_error("no engine: run this with tools/with-docker");
  return host;
}

// How often a test does what takes long: PLIMSOLL_ROUNDS=1000 PLIMSOLL_KILLS=20 for all of it.
[[nodiscard]] inline int number_from(const char* variable, int otherwise) {
  const char* wanted = std::getenv(variable);  // NOLINT(concurrency-mt-unsafe)
  return wanted == nullptr ? otherwise : std::stoi(wanted);
}

struct Ran {
  int exit_code = -1;
  std::string output{};
};

// Runs a program of the PATH and waits for it; its stdout.
[[nodiscard]] inline Ran run_program(std::vector<std::string> words) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  const UniqueFd reader(ends[0]);
  UniqueFd writer(ends[1]);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, writer.get(), STDOUT_FILENO);
  pid_t child = -1;
  const int failed =
      ::posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) throw std::runtime_error("cannot start " + words[0]);
  writer.reset();
  Ran ran;
  std::array<char, 4'096> buffer{};
  for (ssize_t got = 0; (got = ::read(reader.get(), buffer.data(), buffer.size())) > 0;) {
    ran.output.append(buffer.data(), static_cast<std::size_t>(got));
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ran.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  while (!ran.output.empty() && ran.output.back() == '\n') ran.output.pop_back();
  return ran;
}

[[nodiscard]] inline std::string docker(std::vector<std::string> words) {
  words.insert(words.begin(), "docker");
  Ran ran = run_program(std::move(words));
  if (ran.exit_code != 0) throw std::runtime_error("docker failed: " + ran.output);
  return std::move(ran.output);
}

// Polls until it holds, or the time has passed.
[[nodiscard]] inline bool eventually(const std::function<bool()>& holds,
                                     std::chrono::seconds patience = std::chrono::seconds(30)) {
  const auto until = std::chrono::steady_clock::now() + patience;
  while (std::chrono::steady_clock::now() < until) {
    if (holds()) return true;
    std::this_thread::sleep_for(milliseconds(20));
  }
  return holds();
}

// An API of which every call is answered with its target.
class EchoBroker final : public Broker {
 public:
  EchoBroker() : event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}
  void submit(std::uint64_t id, BrokerRequest request) override {
    ended_.push_back({.id = id,
                      .reply = {.status = 200,
                                .content_type = "text/plain",
                                .body = request.method + " " + request.target,
                                .source = ReplySource::kApi}});
    constexpr std::uint64_t kOne = 1;
    (void)!::write(event_.get(), &kOne, sizeof kOne);
  }
  [[nodiscard]] int fd() const noexcept override { return event_.get(); }
  [[nodiscard]] std::vector<BrokerCompletion> take() override {
    std::uint64_t count = 0;
    (void)!::read(event_.get(), &count, sizeof count);
    return std::exchange(ended_, {});
  }
  void close() override {}
  [[nodiscard]] const CallTrace& trace() const noexcept override { return trace_; }

 private:
  UniqueFd event_;
  std::vector<BrokerCompletion> ended_;
  CallTrace trace_;
};

[[nodiscard]] inline std::string runtime_name(const ::testing::TestParamInfo<std::string>& info) {
  return info.param;
}

// The parameter is the runtime.
class EngineFixture : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    // NOLINTNEXTLINE(concurrency-mt-unsafe): nobody changes it
    if (std::getenv("DOCKER_HOST") == nullptr)
      GTEST_SKIP() << "no engine: tools/with-docker has one";
  }

  [[nodiscard]] static DockerConfig config() {
    DockerConfig config;
    config.host = engine_host();
    config.image = kSnippetImage;
    config.runtime = GetParam();
    config.seccomp = PLIMSOLL_SOURCE_DIR "/images/seccomp.json";
    return config;
  }

  [[nodiscard]] static Isolation tier() {
    return GetParam() == "runsc" ? Isolation::kKernel : Isolation::kContainer;
  }

  [[nodiscard]] static std::unique_ptr<Provider> ready(const DockerConfig& config) {
    auto provider = make_docker_provider(config);
    if (auto is = provider->ensure_ready(); !is) throw std::runtime_error(is.error().message);
    return provider;
  }

  [[nodiscard]] static Result<Outcome> try_run(Provider& provider, RunRequest request,
                                               Broker* broker = nullptr,
                                               std::stop_token cancel = {}) {
    const auto evidence = provider.current_evidence();
    if (!evidence) return std::unexpected(evidence.error());
    const auto cleared = clear_run(request, provider.limits(), *evidence);
    if (!cleared) return std::unexpected(cleared.error());
    return provider.run(*cleared, broker, std::move(cancel));
  }

  [[nodiscard]] static Outcome run(Provider& provider, std::string code,
                                   Millis timeout = Millis{30'000}) {
    auto outcome = try_run(provider, {.code = std::move(code), .timeout = timeout});
    if (!outcome) throw std::runtime_error(outcome.error().message);
    return *std::move(outcome);
  }

  [[nodiscard]] static Result<ProjectAnswer> run_project(Provider& provider,
                                                         const ProjectRun& project,
                                                         Millis timeout = Millis{60'000}) {
    const RunRequest request{.timeout = timeout};
    const auto evidence = provider.current_evidence();
    if (!evidence) return std::unexpected(evidence.error());
    const auto cleared = clear_project(request, project, provider.limits(), *evidence);
    if (!cleared) return std::unexpected(cleared.error());
    return provider.run_project(*cleared, nullptr, {});
  }

  // The containers that this process made, or those of others that are named by their numbers:
  // other tests kill and are killed at the same time.
  static std::size_t left_behind(std::set<std::string> makers = {std::to_string(::getpid())}) {
    EngineApi api(*parse_endpoint(engine_host(), ""));
    if (!api.connect()) throw std::runtime_error("no engine");
    const auto list = api.list(kInstanceLabel);
    if (!list) throw std::runtime_error(list.error().message);
    return static_cast<std::size_t>(std::ranges::count_if(*list, [&](const ContainerEntry& one) {
      return std::ranges::any_of(one.labels, [&](const auto& label) {
        return label.first == "plimsoll.pid" && makers.contains(label.second);
      });
    }));
  }
};

}  // namespace plimsoll::docker
