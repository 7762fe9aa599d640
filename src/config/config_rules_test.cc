#include "config/config_rules.h"

#include <gtest/gtest.h>

#include <array>
#include <functional>

namespace plimsoll {
namespace {

constexpr std::array kAll = {ProviderChoice::kWasm, ProviderChoice::kDocker,
                             ProviderChoice::kMicrovm, ProviderChoice::kE2b};
const std::string kPinned = "app@sha256:" + std::string(64, 'a');
const ListenAddress kEverywhere{.host = "0.0.0.0", .port = 8746};

std::string joined(const std::vector<std::string>& sentences) {
  std::string text;
  for (const std::string& sentence : sentences) text += (text.empty() ? "" : "; ") + sentence;
  return text;
}

struct Case {
  std::string name;
  std::function<void(DaemonConfig&)> edit;
  std::string broken;
};

DaemonConfig wasm() {
  DaemonConfig config;
  config.provider = ProviderChoice::kWasm;
  config.token = SecretSetting("t");
  return config;
}

TEST(ConfigRules, WhatMustGoTogether) {
  const std::string kNobody =
      "nobody is authenticated: set PLIMSOLL_CLIENTS_FILE or PLIMSOLL_TOKEN, or "
      "PLIMSOLL_INSECURE=1 to serve everybody on this host";
  const std::string kInsecure =
      "PLIMSOLL_INSECURE=1 serves everybody who can connect; accepted: with PLIMSOLL_ADDR on a "
      "loopback address only";
  const Case cases[] = {
      {"good", [](auto&) {}, ""},
      {"a clients file", [](auto& c) { c.token = SecretSetting(), c.clients_file = "f"; }, ""},
      {"nobody", [](auto& c) { c.token = SecretSetting(); }, kNobody},
      {"nobody, disabled",
       [](auto& c) { c.token = SecretSetting(), c.provider = ProviderChoice::kDisabled; }, ""},
      {"insecure", [](auto& c) { c.token = SecretSetting(), c.insecure = true; }, ""},
      {"insecure for everybody",
       [](auto& c) { c.token = SecretSetting(), c.insecure = true, c.listen = kEverywhere; },
       kInsecure},
      {"insecure for everybody, disabled",
       [](auto& c) {
         c.token = SecretSetting(), c.insecure = true, c.listen = kEverywhere;
         c.provider = ProviderChoice::kDisabled;
       },
       kInsecure},
      {"insecure is not used with a token",
       [](auto& c) { c.insecure = true, c.listen = kEverywhere; }, ""},
      {"half of TLS", [](auto& c) { c.tls_cert = "c"; },
       "PLIMSOLL_TLS_CERT and PLIMSOLL_TLS_KEY: accepted: both or neither"},
      {"wasm holds no processes, processors, disk",
       [](auto& c) { c.envelope = {.memory_mb = 64, .cpus = 1, .pids = 1, .disk_mb = 1}; },
       "SANDBOX_CPUS cannot be enforced by wasm, and must be unset; "
       "SANDBOX_PIDS cannot be enforced by wasm, and must be unset; "
       "SANDBOX_DISK_MB cannot be enforced by wasm, and must be unset"},
      {"docker holds them",
       [](auto& c) {
         c.provider = ProviderChoice::kDocker;
         c.envelope = {.memory_mb = 64, .cpus = 1, .pids = 1, .disk_mb = 1};
       },
       ""},
      {"e2b's memory is its template's",
       [](auto& c) {
         c.provider = ProviderChoice::kE2b, c.e2b.api_key = SecretSetting("k");
         c.envelope.memory_mb = 64;
       },
       "SANDBOX_MEMORY_MB cannot be enforced by e2b, and must be unset"},
      {"e2b without a key", [](auto& c) { c.provider = ProviderChoice::kE2b; },
       "E2B_API_KEY is unset; the provider e2b needs it"},
      {"too much for wasm", [](auto& c) { c.envelope.memory_mb = 1025; },
       "SANDBOX_MEMORY_MB is 1025; accepted by wasm: 16 to 1024"},
      {"too little for wasm", [](auto& c) { c.envelope.memory_mb = 15; },
       "SANDBOX_MEMORY_MB is 15; accepted by wasm: 16 to 1024"},
      {"a caller with more than all",
       [](auto& c) { c.admission = {.max_concurrent = 4, .per_key_concurrent = 5}; },
       "SANDBOX_PER_KEY_CONCURRENT is 5; accepted: at most SANDBOX_MAX_CONCURRENT, which is 4"},
      {"no run fits", [](auto& c) { c.admission.total_memory_mb = 63; },
       "SANDBOX_TOTAL_MEMORY_MB is 63, and one run alone may use 64: not one run would fit"},
      {"pinned images that are not",
       [](auto& c) {
         c.provider = ProviderChoice::kDocker, c.docker.require_pinned = true;
         c.docker.image = kPinned;
       },
       "SANDBOX_DOCKER_PROJECT_IMAGE is not pinned; accepted with "
       "SANDBOX_REQUIRE_PINNED_IMAGES=1: NAME@sha256:<64 hex digits>"},
  };
  for (const Case& c : cases) {
    DaemonConfig config = wasm();
    c.edit(config);
    EXPECT_EQ(joined(broken_rules(config, kAll)), c.broken) << c.name;
  }
}

TEST(ConfigRules, AProviderThatIsNotBuilt) {
  DaemonConfig config = wasm();
  config.provider = ProviderChoice::kDocker;
  EXPECT_EQ(joined(broken_rules(config, std::array{ProviderChoice::kWasm})),
            "SANDBOX_PROVIDER: this program is built without docker");
}

// Everything that the policy asks of docker.
DaemonConfig hardened() {
  DaemonConfig config;
  config.provider = ProviderChoice::kDocker;
  config.clients_file = "f";
  config.docker.image = kPinned;
  config.docker.project_image = kPinned;
  config.envelope = {.memory_mb = 256, .cpus = 1, .pids = 64, .disk_mb = 100};
  config.admission.total_memory_mb = 4096;
  config.hardened = true;
  return config;
}

TEST(Hardened, EachPartOfThePolicy) {
  const Case cases[] = {
      {"good", [](auto&) {}, ""},
      {"no registry", [](auto& c) { c.clients_file = ""; },
       "PLIMSOLL_CLIENTS_FILE is unset; callers have to be told apart"},
      {"a token is not enough", [](auto& c) { c.clients_file = "", c.token = SecretSetting("t"); },
       "PLIMSOLL_CLIENTS_FILE is unset; callers have to be told apart"},
      {"insecure", [](auto& c) { c.insecure = true; }, "PLIMSOLL_INSECURE is 1"},
      {"cleartext", [](auto& c) { c.listen = kEverywhere; },
       "PLIMSOLL_ADDR is not loopback and has no TLS; set PLIMSOLL_TLS_CERT and PLIMSOLL_TLS_KEY"},
      {"cleartext metrics", [](auto& c) { c.metrics_listen = kEverywhere; },
       "PLIMSOLL_METRICS_ADDR is not loopback and has no TLS; set PLIMSOLL_TLS_CERT and "
       "PLIMSOLL_TLS_KEY"},
      {"TLS everywhere",
       [](auto& c) {
         c.listen = kEverywhere, c.metrics_listen = kEverywhere;
         c.tls_cert = "c", c.tls_key = "k";
       },
       ""},
      {"no metrics", [](auto& c) { c.metrics_listen.reset(); }, ""},
      {"image", [](auto& c) { c.docker.image = "node:22"; },
       "SANDBOX_DOCKER_IMAGE is not pinned by @sha256:"},
      {"project image", [](auto& c) { c.docker.project_image = "x@sha256:abc"; },
       "SANDBOX_DOCKER_PROJECT_IMAGE is not pinned by @sha256:"},
      {"seccomp", [](auto& c) { c.docker.seccomp = "unconfined"; },
       "SANDBOX_DOCKER_SECCOMP is unconfined"},
      {"memory", [](auto& c) { c.envelope.memory_mb.reset(); },
       "SANDBOX_MEMORY_MB is not explicit"},
      {"cpus", [](auto& c) { c.envelope.cpus.reset(); }, "SANDBOX_CPUS is not explicit"},
      {"pids", [](auto& c) { c.envelope.pids.reset(); }, "SANDBOX_PIDS is not explicit"},
      {"disk", [](auto& c) { c.envelope.disk_mb.reset(); }, "SANDBOX_DISK_MB is not explicit"},
      {"total", [](auto& c) { c.admission.total_memory_mb.reset(); },
       "SANDBOX_TOTAL_MEMORY_MB is not explicit"},
      {"rate", [](auto& c) { c.admission.rate_per_min = 0; },
       "SANDBOX_RATE_PER_MIN is 0; a rate limit is needed"},
      {"what microvm does not have is not asked for",
       [](auto& c) {
         c.provider = ProviderChoice::kMicrovm;
         c.envelope = {.memory_mb = 64};
         c.docker = {};
       },
       ""},
      {"e2b's template", [](auto& c) { c.provider = ProviderChoice::kE2b, c.envelope = {}; },
       "E2B_TEMPLATE is not explicit"},
  };
  for (const Case& c : cases) {
    DaemonConfig config = hardened();
    c.edit(config);
    EXPECT_EQ(joined(hardened_violations(config, {.tier = Isolation::kKernel})), c.broken)
        << c.name;
  }
}

TEST(Hardened, TheTierIsTheEvidences) {
  for (const Isolation tier :
       {Isolation::kUnknown, Isolation::kNone, Isolation::kProcess, Isolation::kContainer}) {
    EXPECT_EQ(
        joined(hardened_violations(hardened(), {.tier = tier})),
        "the tier is " + std::string(to_string(tier)) + " by evidence; kernel or vm is needed");
  }
  EXPECT_EQ(joined(hardened_violations(hardened(), {.tier = Isolation::kVm})), "");
}

TEST(Hardened, AllViolationsAtOnce) {
  DaemonConfig config = wasm();
  config.listen = kEverywhere;
  config.admission.rate_per_min = 0;
  EXPECT_EQ(hardened_violations(config, {.tier = Isolation::kProcess}).size(), 6U);
}

TEST(DaemonConfig, ResolvedNumbers) {
  DaemonConfig config = wasm();
  EXPECT_EQ(effective_concurrency(config), 8U);
  EXPECT_EQ(effective_per_caller(config), 4U);
  EXPECT_EQ(effective_burst(config), 30U);
  config.admission = {.max_concurrent = 1, .rate_per_min = 0};
  EXPECT_EQ(effective_per_caller(config), 1U);
  EXPECT_EQ(effective_burst(config), 1U);
  config.admission = {
      .max_concurrent = 100, .per_key_concurrent = 50, .rate_burst = 5, .total_memory_mb = 640};
  EXPECT_EQ(effective_concurrency(config), 10U);
  EXPECT_EQ(effective_per_caller(config), 10U);
  EXPECT_EQ(effective_burst(config), 5U);
  config.provider = ProviderChoice::kE2b;
  EXPECT_EQ(effective_concurrency(config), 100U);
}

TEST(DaemonConfig, PinnedImages) {
  EXPECT_TRUE(is_pinned_image(kPinned));
  for (const std::string& image :
       {std::string("a"), std::string("a:latest"), kPinned.substr(3), kPinned + "0",
        kPinned.substr(0, 74), "a@sha256:" + std::string(64, 'A'),
        "a@sha512:" + std::string(64, 'a')}) {
    EXPECT_FALSE(is_pinned_image(image)) << image;
  }
}

}  // namespace
}  // namespace plimsoll
