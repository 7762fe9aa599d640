#include "config/config_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace plimsoll {
namespace {

using Sentences = std::vector<std::string>;

void check_provider(const DaemonConfig& config, std::span<const ProviderChoice> built,
                    Sentences& broken) {
  if (config.provider == ProviderChoice::kDisabled) return;
  if (std::ranges::find(built, config.provider) != built.end()) return;
  broken.push_back(fmt::format("SANDBOX_PROVIDER: this program is built without {}",
                               to_string(config.provider)));
}

void check_envelope(const DaemonConfig& config, Sentences& broken) {
  if (config.provider == ProviderChoice::kDisabled) return;
  const ProviderTraits& traits = traits_of(config.provider);
  const EnvelopeConfig& envelope = config.envelope;
  const auto unenforced = [&](std::string_view name, bool is_set, bool enforced) {
    if (!is_set || enforced) return;
    broken.push_back(fmt::format("{} cannot be enforced by {}, and must be unset", name,
                                 to_string(config.provider)));
  };
  unenforced("SANDBOX_MEMORY_MB", envelope.memory_mb.has_value(), traits.memory);
  unenforced("SANDBOX_CPUS", envelope.cpus.has_value(), traits.cpus);
  unenforced("SANDBOX_PIDS", envelope.pids.has_value(), traits.pids);
  unenforced("SANDBOX_DISK_MB", envelope.disk_mb.has_value(), traits.disk);
  if (traits.memory && envelope.memory_mb &&
      (*envelope.memory_mb < traits.least_memory_mb ||
       *envelope.memory_mb > traits.most_memory_mb)) {
    broken.push_back(fmt::format("SANDBOX_MEMORY_MB is {}; accepted by {}: {} to {}",
                                 *envelope.memory_mb, to_string(config.provider),
                                 traits.least_memory_mb, traits.most_memory_mb));
  }
}

void check_admission(const DaemonConfig& config, Sentences& broken) {
  const AdmissionConfig& admission = config.admission;
  if (admission.per_key_concurrent && *admission.per_key_concurrent > admission.max_concurrent) {
    broken.push_back(
        fmt::format("SANDBOX_PER_KEY_CONCURRENT is {}; accepted: at most "
                    "SANDBOX_MAX_CONCURRENT, which is {}",
                    *admission.per_key_concurrent, admission.max_concurrent));
  }
  if (effective_concurrency(config) == 0) {
    broken.push_back(fmt::format(
        "SANDBOX_TOTAL_MEMORY_MB is {}, and one run alone may use {}: not one run would fit",
        admission.total_memory_mb.value_or(0), memory_mb_per_run(config)));
  }
}

void check_auth(const DaemonConfig& config, Sentences& broken) {
  if (auth_mode(config) != AuthMode::kInsecure) return;
  if (config.provider != ProviderChoice::kDisabled && !config.insecure) {
    broken.emplace_back(
        "nobody is authenticated: set PLIMSOLL_CLIENTS_FILE or PLIMSOLL_TOKEN, or "
        "PLIMSOLL_INSECURE=1 to serve everybody on this host");
  }
  if (config.insecure && !config.listen.loopback) {
    broken.emplace_back(
        "PLIMSOLL_INSECURE=1 serves everybody who can connect; accepted: with PLIMSOLL_ADDR on a "
        "loopback address only");
  }
}

void check_tls(const DaemonConfig& config, Sentences& broken) {
  if (config.tls_cert.empty() == config.tls_key.empty()) return;
  broken.emplace_back("PLIMSOLL_TLS_CERT and PLIMSOLL_TLS_KEY: accepted: both or neither");
}

bool is_remote(const DockerChoice& docker) { return docker.host.starts_with("tcp://"); }

void check_docker(const DaemonConfig& config, Sentences& broken) {
  if (config.provider != ProviderChoice::kDocker) return;
  if (is_remote(config.docker) && config.docker.certs.empty()) {
    broken.emplace_back(
        "SANDBOX_DOCKER_HOST is tcp, and SANDBOX_DOCKER_CERTS is unset; whoever can talk to an "
        "engine is root on its host, so it takes certificates");
  }
  if (!config.docker.require_pinned) return;
  const auto pinned = [&broken](std::string_view name, std::string_view image) {
    if (is_pinned_image(image)) return;
    broken.push_back(
        fmt::format("{} is not pinned; accepted with SANDBOX_REQUIRE_PINNED_IMAGES=1: "
                    "NAME@sha256:<64 hex digits>",
                    name));
  };
  pinned("SANDBOX_DOCKER_IMAGE", config.docker.image);
  pinned("SANDBOX_DOCKER_PROJECT_IMAGE", config.docker.project_image);
}

void check_e2b(const DaemonConfig& config, Sentences& broken) {
  if (config.provider != ProviderChoice::kE2b || !config.e2b.api_key.empty()) return;
  broken.emplace_back("E2B_API_KEY is unset; the provider e2b needs it");
}

void harden_listeners(const DaemonConfig& config, Sentences& violations) {
  const bool tls = !config.tls_cert.empty() && !config.tls_key.empty();
  const auto check = [&](std::string_view name, const ListenAddress& address) {
    if (address.loopback || tls) return;
    violations.push_back(
        fmt::format("{} is not loopback and has no TLS; set PLIMSOLL_TLS_CERT and "
                    "PLIMSOLL_TLS_KEY",
                    name));
  };
  check("PLIMSOLL_ADDR", config.listen);
  if (config.metrics_listen) check("PLIMSOLL_METRICS_ADDR", *config.metrics_listen);
}

void harden_software(const DaemonConfig& config, Sentences& violations) {
  if (config.provider == ProviderChoice::kDocker) {
    if (is_remote(config.docker)) {
      violations.emplace_back(
          "SANDBOX_DOCKER_HOST is another host: its tier is what was configured there, and nothing "
          "of it is measured; run the daemon on the engine's host");
    }
    if (!is_pinned_image(config.docker.image)) {
      violations.emplace_back("SANDBOX_DOCKER_IMAGE is not pinned by @sha256:");
    }
    if (!is_pinned_image(config.docker.project_image)) {
      violations.emplace_back("SANDBOX_DOCKER_PROJECT_IMAGE is not pinned by @sha256:");
    }
    if (config.docker.seccomp == "unconfined") {
      violations.emplace_back("SANDBOX_DOCKER_SECCOMP is unconfined");
    }
  }
  if (config.provider == ProviderChoice::kE2b && config.e2b.template_id.empty()) {
    violations.emplace_back("E2B_TEMPLATE is not explicit");
  }
}

void harden_envelope(const DaemonConfig& config, Sentences& violations) {
  const ProviderTraits& traits = traits_of(config.provider);
  const auto explicitly = [&violations](std::string_view name, bool is_set) {
    if (!is_set) violations.push_back(fmt::format("{} is not explicit", name));
  };
  explicitly("SANDBOX_MEMORY_MB", !traits.memory || config.envelope.memory_mb);
  explicitly("SANDBOX_CPUS", !traits.cpus || config.envelope.cpus);
  explicitly("SANDBOX_PIDS", !traits.pids || config.envelope.pids);
  explicitly("SANDBOX_DISK_MB", !traits.disk || config.envelope.disk_mb);
  explicitly("SANDBOX_TOTAL_MEMORY_MB", config.admission.total_memory_mb.has_value());
}

}  // namespace

std::vector<std::string> broken_rules(const DaemonConfig& config,
                                      std::span<const ProviderChoice> built) {
  Sentences broken;
  check_provider(config, built, broken);
  check_envelope(config, broken);
  check_admission(config, broken);
  check_auth(config, broken);
  check_tls(config, broken);
  check_docker(config, broken);
  check_e2b(config, broken);
  return broken;
}

std::vector<std::string> hardened_violations(const DaemonConfig& config,
                                             const IsolationEvidence& evidence) {
  Sentences violations;
  if (!meets(evidence.tier, Isolation::kKernel)) {
    violations.push_back(fmt::format("the tier is {} by evidence; kernel or vm is needed",
                                     to_string(evidence.tier)));
  }
  if (config.clients_file.empty()) {
    violations.emplace_back("PLIMSOLL_CLIENTS_FILE is unset; callers have to be told apart");
  }
  if (config.insecure) violations.emplace_back("PLIMSOLL_INSECURE is 1");
  harden_listeners(config, violations);
  harden_software(config, violations);
  harden_envelope(config, violations);
  if (config.admission.rate_per_min == 0) {
    violations.emplace_back("SANDBOX_RATE_PER_MIN is 0; a rate limit is needed");
  }
  return violations;
}

bool is_pinned_image(std::string_view image) noexcept {
  constexpr std::string_view kMark = "@sha256:";
  const auto at = image.find(kMark);
  if (at == std::string_view::npos || at == 0) return false;
  const std::string_view digest = image.substr(at + kMark.size());
  return digest.size() == 64 && std::ranges::all_of(digest, [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

}  // namespace plimsoll
