#include "daemon.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <optional>
#include <utility>

#include "../plimsoll/version.h"
#include "admission/admission.h"
#include "audit/audit_sink.h"
#include "audit/process_sample.h"
#include "audit/service_metrics.h"
#include "audit/structured_log.h"
#include "auth/authenticator.h"
#include "auth/registry_file.h"
#include "config/config_rules.h"
#include "core/cleared_run.h"
#include "grants/grant_profiles.h"
#include "plimsoll/sandbox.h"
#include "rpc/health.h"
#include "rpc/sandbox_methods.h"
#include "rpc/server.h"
#include "sandbox/config_check.h"
#include "sandbox/provider_factory.h"
#include "service/run_service.h"

namespace plimsoll::daemon {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr seconds kDrain{30};
// Pollers of /readyz are answered from memory for this long.
constexpr milliseconds kReadyKept{1'000};
// Threads that runs wait or block on: each admitted run, and each that waits for its turn.
constexpr std::uint32_t kWaitingRuns = 256;
constexpr std::uint32_t kWaitingRunsOfOne = 128;

using Mistakes = std::vector<std::string>;

SandboxConfig sandbox_config(const DaemonConfig& config) {
  SandboxConfig sandbox;
  if (config.provider == ProviderChoice::kWasm) sandbox.provider = ProviderKind::kWasm;
  sandbox.minimum_isolation = config.minimum_isolation;
  sandbox.wasm.pool = config.wasm.pool;
  sandbox.wasm.max_concurrent = effective_concurrency(config);
  sandbox.wasm.reuse =
      config.wasm.reuse == Reuse::kNever ? WorkerReuse::kNever : WorkerReuse::kCaller;
  if (config.envelope.memory_mb) sandbox.wasm.memory_mb = *config.envelope.memory_mb;
  return sandbox;
}

AdmissionLimits admission_limits(const DaemonConfig& config) {
  return {.max_concurrent = effective_concurrency(config),
          .per_caller_concurrent = effective_per_caller(config),
          .rate = {.per_minute = config.admission.rate_per_min, .burst = effective_burst(config)},
          .max_waiting = kWaitingRuns,
          .per_caller_waiting = kWaitingRunsOfOne};
}

std::expected<Authenticator, Mistakes> authenticator(const DaemonConfig& config) {
  switch (auth_mode(config)) {
    case AuthMode::kClientsFile: {
      const auto registry = load_registry(config.clients_file);
      if (!registry) return std::unexpected(Mistakes{registry.error().message});
      return Authenticator::with_registry(*registry);
    }
    case AuthMode::kSharedToken:
      return Authenticator::with_shared_token(config.token.reveal());
    case AuthMode::kInsecure:
      break;
  }
  return Authenticator::insecure();
}

std::expected<std::optional<GrantProfiles>, Mistakes> grant_profiles(
    const DaemonConfig& config, const VariableReader& variable) {
  if (config.grants_file.empty()) return std::optional<GrantProfiles>();
  auto profiles = GrantProfiles::load(config.grants_file, variable);
  if (!profiles) return std::unexpected(Mistakes{profiles.error().message});
  return std::optional(*std::move(profiles));
}

// The provider, ready and as strong as the operator demands.
std::expected<std::unique_ptr<Provider>, Mistakes> ready_provider(const DaemonConfig& config) {
  const SandboxConfig sandbox = sandbox_config(config);
  if (auto valid = check_config(sandbox); !valid) {
    return std::unexpected(Mistakes{valid.error().message});
  }
  auto provider = make_provider(sandbox);
  IsolationEvidence evidence;
  if (config.provider != ProviderChoice::kDisabled) {
    if (auto ready = provider->ensure_ready(); !ready) {
      return std::unexpected(Mistakes{ready.error().message});
    }
    auto current = provider->current_evidence();
    if (!current) return std::unexpected(Mistakes{current.error().message});
    evidence = *std::move(current);
    if (auto floor = check_floor(config.minimum_isolation, evidence); !floor) {
      return std::unexpected(Mistakes{"SANDBOX_MIN_ISOLATION: " + floor.error().message});
    }
  }
  if (config.hardened) {
    if (auto violations = hardened_violations(config, evidence); !violations.empty()) {
      return std::unexpected(std::move(violations));
    }
  }
  return provider;
}

rpc::ListenerOptions listener(const ListenAddress& address, const DaemonConfig& config) {
  rpc::ListenerOptions options;
  options.address = address.host;
  options.port = address.port;
  options.tls = {.certificate_chain = config.tls_cert, .private_key = config.tls_key};
  return options;
}

}  // namespace

// In the order of their making; destroyed in the reverse one, the server first.
struct Daemon::Parts {
  explicit Parts(DaemonConfig configuration)
      : config(std::move(configuration)),
        log(config.log_format == LogChoice::kText ? LogFormat::kText : LogFormat::kJson, clock,
            stderr_log_sink()),
        metrics({.version = cli::kVersion, .compiler = __VERSION__}, clock),
        admission(admission_limits(config), clock),
        audit(STDOUT_FILENO, clock) {}

  DaemonConfig config;
  SystemClock clock;
  StructuredLog log;
  ServiceMetrics metrics;
  Admission admission;
  FdAuditSink audit;
  std::unique_ptr<Provider> provider;
  std::optional<Authenticator> callers;
  std::optional<GrantProfiles> grants;  // none: no file was named
  std::unique_ptr<RunService> service;
  std::atomic<bool> draining = false;
  std::unique_ptr<rpc::Server> server;

  // A provider whose last worker is gone, and that cannot make another, is not ready.
  [[nodiscard]] bool ready() const {
    if (draining) return false;
    if (config.provider == ProviderChoice::kDisabled) return true;
    const auto is_alive = [](const PoolState& pool) {
      return pool.ready > 0 || pool.kept > 0 || pool.busy > 0;
    };
    return provider->current_evidence().has_value() &&
           std::ranges::all_of(provider->pools(), is_alive);
  }
  [[nodiscard]] GrantOf grant_of() const;
  void tell_grants();
  [[nodiscard]] rpc::ServerOptions server_options();
  [[nodiscard]] std::string metrics_page();
};

GrantOf Daemon::Parts::grant_of() const {
  if (!grants) return {};
  return [this](std::string_view profile, std::string_view caller) -> std::optional<GrantedApi> {
    const LoadedProfile* found = grants->find(profile, caller);
    if (found == nullptr) return std::nullopt;
    return GrantedApi{.grant = found->grant, .advice_retention = found->profile.advice_retention};
  };
}

// What an operator wants to see once, at the start: the names, and who may use them when that is
// everybody.
void Daemon::Parts::tell_grants() {
  if (!grants) return;
  for (const auto& [name, loaded] : grants->all()) {
    const std::string_view callers_allowed = loaded.profile.permits_everybody() ? "all" : "some";
    log.info("grant profile", {{.name = "profile", .value = std::string_view(name)},
                               {.name = "callers", .value = callers_allowed}});
  }
}

std::string Daemon::Parts::metrics_page() {
  const Admission::Load load = admission.load();
  return metrics.render({.runs_in_flight = load.in_flight,
                         .runs_waiting = load.waiting,
                         .callers_remembered = load.remembered_callers,
                         .audit_lines_dropped = audit.dropped(),
                         .pools = provider->pools(),
                         .process = sample_process()});
}

rpc::ServerOptions Daemon::Parts::server_options() {
  rpc::ServerOptions options;
  rpc::ListenerOptions main = listener(config.listen, config);
  main.methods = rpc::sandbox_methods(*service);
  main.methods.push_back(
      rpc::health_check([this] { return ready(); }, {"plimsoll.v1.SandboxService"}));
  main.endpoints.push_back(
      {.path = "/healthz", .runs = rpc::Runs::kInline, .keep = {}, .answer = [] {
         return rpc::PlainAnswer{.body = "alive\n"};
       }});
  main.endpoints.push_back(
      {.path = "/readyz", .runs = rpc::Runs::kOnWorker, .keep = kReadyKept, .answer = [this] {
         const bool now = ready();
         return rpc::PlainAnswer{.status = now ? 200U : 503U,
                                 .body = now ? "ready\n" : "not ready\n"};
       }});
  options.listeners.push_back(std::move(main));
  if (config.metrics_listen) {
    rpc::ListenerOptions scrape = listener(*config.metrics_listen, config);
    if (config.metrics_listen->loopback) scrape.tls = {};
    scrape.endpoints.push_back(
        {.path = "/metrics", .runs = rpc::Runs::kOnWorker, .keep = {}, .answer = [this] {
           return rpc::PlainAnswer{.content_type = "text/plain; version=0.0.4; charset=utf-8",
                                   .body = metrics_page()};
         }});
    options.listeners.push_back(std::move(scrape));
  }
  options.hooks = rpc::sandbox_hooks(*service, *callers);
  options.limits.workers = std::size_t{kWaitingRuns} + effective_concurrency(config);
  return options;
}

Daemon::Daemon(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Daemon::~Daemon() = default;

std::expected<std::unique_ptr<Daemon>, std::vector<std::string>> Daemon::start(
    const DaemonConfig& config, const VariableReader& variable) {
  auto grants = grant_profiles(config, variable);
  auto callers = authenticator(config);
  auto provider = ready_provider(config);
  Mistakes mistakes;
  if (!grants) std::ranges::move(grants.error(), std::back_inserter(mistakes));
  if (!callers) std::ranges::move(callers.error(), std::back_inserter(mistakes));
  if (!provider) std::ranges::move(provider.error(), std::back_inserter(mistakes));
  if (!mistakes.empty()) return std::unexpected(std::move(mistakes));

  auto parts = std::make_unique<Parts>(config);
  parts->callers = *std::move(callers);
  parts->grants = *std::move(grants);
  parts->provider = *std::move(provider);
  parts->service = std::make_unique<RunService>(
      RunServiceParts{.provider = parts->provider.get(),
                      .admission = &parts->admission,
                      .audit = &parts->audit,
                      .metrics = &parts->metrics,
                      .clock = &parts->clock,
                      .draining = &parts->draining,
                      .minimum_isolation = config.minimum_isolation,
                      .grant_of = parts->grant_of(),
                      .policy = config.hardened ? "hardened" : "standard"});
  parts->tell_grants();
  auto server = rpc::Server::create(parts->server_options());
  if (!server) return std::unexpected(Mistakes{server.error().message});
  parts->server = *std::move(server);
  if (auto started = parts->server->start(); !started) {
    return std::unexpected(Mistakes{started.error().message});
  }
  parts->log.info("listening", {{.name = "address", .value = std::string_view(config.listen.host)},
                                {.name = "port", .value = std::int64_t{parts->server->port(0)}},
                                {.name = "provider", .value = parts->provider->id()}});
  return std::unique_ptr<Daemon>(new Daemon(std::move(parts)));
}

void Daemon::serve() {
  sigset_t ends;
  ::sigemptyset(&ends);
  ::sigaddset(&ends, SIGTERM);
  ::sigaddset(&ends, SIGINT);
  // Between signals, runs whose patience has passed are refused.
  for (;;) {
    const auto wait = std::chrono::nanoseconds(parts_->admission.expire());
    const timespec timeout{.tv_sec = 0, .tv_nsec = std::min<long>(wait.count(), 999'999'999)};
    if (::sigtimedwait(&ends, nullptr, &timeout) > 0) break;
  }
  parts_->log.info("draining");
  parts_->draining = true;
  const auto until = std::chrono::steady_clock::now() + kDrain;
  // False: a second signal, or no time is left.
  const auto wait_while = [&](auto&& busy) {
    while (busy() && std::chrono::steady_clock::now() < until) {
      parts_->admission.expire();
      constexpr timespec kPoll{.tv_sec = 0, .tv_nsec = 20'000'000};
      if (::sigtimedwait(&ends, nullptr, &kPoll) > 0) return;
    }
  };
  // The listeners stay open: whoever asks is told that this one is not ready, and why nothing ran.
  wait_while([&] {
    const Admission::Load load = parts_->admission.load();
    return load.in_flight > 0 || load.waiting > 0;
  });
  parts_->server->stop_accepting();
  parts_->admission.close();
  // Of answers that are not written yet.
  wait_while([&] {
    const Admission::Load load = parts_->admission.load();
    return load.in_flight == 0 && parts_->server->calls_in_flight() > 0;
  });
  parts_->server->stop();
  parts_->log.info("stopped");
}

}  // namespace plimsoll::daemon
