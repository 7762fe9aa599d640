// What the provider makes of an engine and its images: what it refuses, what it measures, and that
// nothing is left behind.
#include <gtest/gtest.h>
#include <spawn.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <system_error>
#include <vector>

#include "engine_fixture.h"
#include "providers/docker/container_evidence.h"

namespace plimsoll::docker {
namespace {

class EngineRules : public EngineFixture {};

INSTANTIATE_TEST_SUITE_P(Runtimes, EngineRules, ::testing::Values("runc", "runsc"), runtime_name);

// An image made of another by changes, removed in the end.
class Derived {
 public:
  Derived(const std::string& name, const std::vector<std::string>& changes, bool forge = false)
      : name_(name + "-" + std::to_string(::getpid())) {
    const std::string container = docker({"create", "--network=none", kSnippetImage});
    if (forge) {
      const std::string node = ::testing::TempDir() + "node-" + std::to_string(::getpid());
      (void)docker({"cp", container + ":/usr/bin/node", node});
      (void)docker({"cp", node, container + ":/usr/bin/runsc"});
      ::unlink(node.c_str());
    }
    std::vector<std::string> words = {"commit"};
    for (const std::string& change : changes) words.insert(words.end(), {"--change", change});
    words.insert(words.end(), {container, name_});
    (void)docker(words);
    (void)docker({"rm", container});
  }
  ~Derived() { (void)run_program({"docker", "rmi", "-f", name_}); }
  Derived(const Derived&) = delete;
  Derived& operator=(const Derived&) = delete;
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  std::string name_;
};

std::string refusal(const DockerConfig& config) {
  auto provider = make_docker_provider(config);
  const auto ready = provider->ensure_ready();
  if (ready) return "it is ready";
  EXPECT_EQ(ready.error().code, ErrorCode::kNotReady);
  EXPECT_EQ(ready.error().not_dispatched, NotDispatchedReason::kEnvironment);
  return ready.error().message;
}

bool says(const std::string& message, std::string_view words) {
  return message.find(words) != std::string::npos;
}

TEST_P(EngineRules, AForgedImageIsAContainer) {
  if (GetParam() != "runc") return;  // it forges the other one
  const Derived forged(
      "plimsoll/runsc-sandbox",
      {R"(ENTRYPOINT ["/usr/bin/runsc", "/usr/lib/plimsoll/runner.cjs", "--container"])"}, true);
  DockerConfig with = config();
  with.image = forged.name();
  const auto provider = ready(with);
  const Outcome outcome = run(*provider, "console.log(process.execPath)");
  EXPECT_EQ(outcome.stdout_bytes, "/usr/bin/runsc\n");
  EXPECT_EQ(outcome.evidence.tier, Isolation::kContainer);
}

TEST_P(EngineRules, TheTierIsMeasured) {
  const auto provider = ready(config());
  const Outcome outcome = run(*provider, ";");
  EXPECT_EQ(outcome.evidence.tier, tier());
  for (const EvidenceFact& fact : outcome.evidence.facts) {
    EXPECT_EQ(fact.basis, EvidenceBasis::kMeasured) << fact.name;
  }
}

TEST_P(EngineRules, AnotherContainersProcessIsNotMeasuredForThisOne) {
  const std::string id = docker({"run", "-d", "--rm", "--network=none", "--runtime=" + GetParam(),
                                 "--entrypoint=sleep", kSnippetImage, "99"});
  const auto pid = static_cast<pid_t>(std::stol(docker({"inspect", "-f", "{{.State.Pid}}", id})));
  const auto measured_for = [pid](std::string_view container) {
    const auto measured = measure_container(pid, container, {});
    return measured ? std::string("it is measured") : measured.error().message;
  };
  EXPECT_TRUE(says(measured_for(std::string(64, 'a')), "another control group"));
  EXPECT_TRUE(says(measured_for(id.substr(0, 12)), "another control group"));
  EXPECT_TRUE(says(measured_for(id), "limit of memory"));  // it is this one, which has none
  (void)docker({"kill", id});
}

// The tier that is measured of a container which somebody made with these options; or why none is.
std::string tier_with(const std::vector<std::string>& options) {
  std::vector<std::string> words = {"run", "-d", "--rm", "--entrypoint=sleep"};
  words.insert(words.end(), options.begin(), options.end());
  words.insert(words.end(), {kSnippetImage, "99"});
  const std::string id = docker(words);
  const auto pid = static_cast<pid_t>(std::stol(docker({"inspect", "-f", "{{.State.Pid}}", id})));
  const auto measured =
      measure_container(pid, id, {.limits = {.memory_mb = 256, .cpus = 1, .pids = 64}});
  (void)docker({"kill", id});
  return measured ? std::string(to_string(measured->evidence.tier)) : measured.error().message;
}

TEST_P(EngineRules, AContainerThatIsWeakerInOneThingIsNone) {
  if (GetParam() != "runc") return;  // of gVisor only the kernel counts
  const std::vector<std::string> strong = {
      "--network=none",  "--ipc=private",      "--cap-drop=ALL",
      "--user=65534",    "--memory=256m",      "--cpus=1",
      "--pids-limit=64", "--memory-swap=256m", "--security-opt=no-new-privileges"};
  // With others in place of those that begin in the same way.
  const auto with = [&strong](const std::vector<std::string>& others) {
    std::vector<std::string> options = strong;
    for (const std::string& other : others) {
      const auto name = other.substr(0, other.find('=') + 1);
      std::erase_if(options, [&](const std::string& one) { return one.starts_with(name); });
    }
    options.insert(options.end(), others.begin(), others.end());
    return tier_with(options);
  };
  EXPECT_EQ(with({}), "container");
  EXPECT_EQ(with({"--network=host"}), "none");
  EXPECT_EQ(with({"--pid=host"}), "none");
  EXPECT_EQ(with({"--ipc=host"}), "none");
  EXPECT_EQ(with({"--user=0", "--cap-add=CHOWN"}), "none");
  EXPECT_EQ(with({"--security-opt=seccomp=unconfined", "--security-opt=no-new-privileges"}),
            "none");
  EXPECT_EQ(with({"--security-opt=label=disable"}), "none");  // and may gain privileges
  const std::string_view not_enforced = "not enforced as it was asked for";
  EXPECT_TRUE(says(with({"--memory=257m", "--memory-swap=257m"}), not_enforced));
  EXPECT_TRUE(says(with({"--memory-swap=512m"}), not_enforced));
  EXPECT_TRUE(says(with({"--cpus=1.1"}), not_enforced));
  EXPECT_TRUE(says(with({"--pids-limit=65"}), not_enforced));
}

TEST_P(EngineRules, ImagesThatAreNotAcceptableAreRefused) {
  DockerConfig with = config();
  const Derived with_volume("plimsoll/with-volume", {"VOLUME /data"});
  with.image = with_volume.name();
  EXPECT_TRUE(says(refusal(with), "declares the volume"));
  with.image = "plimsoll/no-such-image:latest";
  EXPECT_TRUE(says(refusal(with), "has no image"));
  const Derived no_runner("plimsoll/no-runner", {R"(ENTRYPOINT ["/bin/sh", "-c", "echo no >&2"])"});
  with.image = no_runner.name();
  EXPECT_TRUE(says(refusal(with), "did not come up"));
}

TEST_P(EngineRules, APinnedImageIsNamedByItsContent) {
  DockerConfig with = config();
  with.pinning = ImagePinning::kRequired;
  EXPECT_TRUE(says(refusal(with), "is not pinned"));
  const std::string id = docker({"image", "inspect", "-f", "{{.Id}}", kSnippetImage});
  with.image = "plimsoll/snippet@" + id;
  const auto provider = ready(with);
  EXPECT_EQ(provider->info().environment, "docker-image:" + id);
  with.image = "plimsoll/snippet@sha256:" + std::string(64, '0');
  EXPECT_TRUE(says(refusal(with), "has no image"));
}

TEST_P(EngineRules, AnEngineThatLacksSomethingIsRefused) {
  DockerConfig with = config();
  with.runtime = "kata";
  EXPECT_TRUE(says(refusal(with), "has no runtime"));
  with = config();
  with.seccomp = "/no/such/profile.json";
  EXPECT_TRUE(says(refusal(with), "is not readable"));
  with = config();
  with.host = "unix:///no/engine";
  EXPECT_TRUE(says(refusal(with), "did not answer"));
}

TEST_P(EngineRules, AGrantedCallGoesThroughTheChannel) {
  const auto provider = ready(config());
  auto grant = Grant::build({.base_url = "https://api.example.com", .allow = {"GET /v1/*"}});
  ASSERT_TRUE(grant) << grant.error().message;
  EchoBroker broker;
  const auto outcome =
      try_run(*provider,
              {.code = "console.log(await host.get('/v1/a'), await host.get('/v1/b'))",
               .timeout = Millis{30'000},
               .grant = *grant},
              &broker);
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->stdout_bytes, "GET /v1/a GET /v1/b\n") << outcome->stderr_bytes;
}

TEST_P(EngineRules, WhatAKilledProcessLeftIsGoneAfterTheNextStart) {
  // NOLINTBEGIN(concurrency-mt-unsafe): there is one thread.
  ::setenv("SANDBOX_PROVIDER", "docker", 1);
  ::setenv("SANDBOX_DOCKER_HOST", engine_host().c_str(), 1);
  ::setenv("SANDBOX_DOCKER_IMAGE", kSnippetImage, 1);
  ::setenv("SANDBOX_DOCKER_RUNTIME", GetParam().c_str(), 1);
  // NOLINTEND(concurrency-mt-unsafe)
  std::mt19937 generator(20'261'129);
  std::set<std::string> killed;
  for (int round = 0; round < number_from("PLIMSOLL_KILLS", 4); ++round) {
    std::string program = PLIMSOLL_BIN_DIR "/../examples/minimal";
    std::array<char*, 2> arguments = {program.data(), nullptr};
    pid_t child = -1;
    ASSERT_EQ(::posix_spawn(&child, program.c_str(), nullptr, nullptr, arguments.data(), environ),
              0);
    std::this_thread::sleep_for(milliseconds(50 + generator() % 2'000));  // anywhere in its life
    ::kill(child, SIGKILL);
    ASSERT_EQ(::waitpid(child, nullptr, 0), child);
    killed.insert(std::to_string(child));
  }
  const auto provider = ready(config());
  EXPECT_EQ(run(*provider, "console.log(6 * 7)").stdout_bytes, "42\n");
  // One that the engine was just making when its maker was killed shows a moment later.
  EXPECT_TRUE(eventually([&] {
    (void)ready(config());
    return left_behind(killed) == 0;
  }));
}

// The ids of the containers that this process made since `then`.
std::set<std::string> made_since(std::chrono::system_clock::time_point then) {
  const auto seconds = [](std::chrono::system_clock::time_point at) {
    return std::to_string(std::chrono::duration<double>(at.time_since_epoch()).count());
  };
  std::istringstream lines(
      docker({"events", "--since", seconds(then), "--until",
              seconds(std::chrono::system_clock::now()), "--filter", "event=create", "--filter",
              "label=plimsoll.pid=" + std::to_string(::getpid()), "--format", "{{.ID}}"}));
  std::set<std::string> ids;
  for (std::string line; std::getline(lines, line);) ids.insert(line);
  return ids;
}

// What below `root` is named after one of these containers; false: what goes meanwhile, of other
// tests, ended the walk. Not in the file systems of images, which are no place of the engine's.
bool walk(const char* root, const std::set<std::string>& ids, std::vector<std::string>& found) {
  found.clear();
  using Walk = std::filesystem::recursive_directory_iterator;
  std::error_code gone_meanwhile;
  Walk at(root, std::filesystem::directory_options::skip_permission_denied, gone_meanwhile);
  for (; at != Walk(); at.increment(gone_meanwhile)) {
    const std::string name = at->path().filename();
    if (std::ranges::any_of(ids, [&](const auto& id) { return name.contains(id); }))
      found.push_back(at->path());
    const bool is_image = name == "diff" || name == "merged" || name == "rootfs";
    if (is_image) at.disable_recursion_pending();
  }
  return !gone_meanwhile;
}

// In the engine's folders, those of its runtimes, and the control groups.
std::vector<std::string> named_after(const std::set<std::string>& ids) {
  const char* engine = std::getenv("PLIMSOLL_ENGINE_ROOT");  // NOLINT(concurrency-mt-unsafe)
  std::vector<std::string> all;
  for (const char* root : {engine == nullptr ? "/var/lib/docker" : engine, "/sys/fs/cgroup"}) {
    std::vector<std::string> found;
    EXPECT_TRUE(eventually([&] { return walk(root, ids, found); })) << root;
    all.insert(all.end(), found.begin(), found.end());
  }
  return all;
}

TEST_P(EngineRules, RunsLeaveNothing) {
  const auto begin = std::chrono::system_clock::now();
  const std::string stays =
      docker({"create", "--network=none", "--label=plimsoll.pid=" + std::to_string(::getpid()),
              kSnippetImage});
  std::set<std::string> made = made_since(begin);
  EXPECT_TRUE(made.contains(stays));
  EXPECT_FALSE(named_after(made).empty());
  (void)docker({"rm", stays});
  const std::string volumes = docker({"volume", "ls", "-q"});
  const std::string networks = docker({"network", "ls", "-q"});
  {
    const auto provider = ready(config());
    for (int round = 0; round < number_from("PLIMSOLL_ROUNDS", 10); ++round) {
      (void)run(*provider, "throw 1");
      // Each time: the engine remembers some hundred events.
      made.merge(made_since(begin));
    }
  }
  EXPECT_TRUE(eventually([] { return left_behind() == 0; }));
  EXPECT_GT(made.size(), 10U);
  (void)eventually([&] { return named_after(made).empty(); });
  EXPECT_EQ(named_after(made), std::vector<std::string>());
  EXPECT_EQ(docker({"volume", "ls", "-q"}), volumes);
  EXPECT_EQ(docker({"network", "ls", "-q"}), networks);
}

}  // namespace
}  // namespace plimsoll::docker
