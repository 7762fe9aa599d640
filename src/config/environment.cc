// A table of the environment variables, and what reads it.
#include "config/environment.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <iterator>

#include "base/json_text.h"
#include "config/config_rules.h"

namespace plimsoll {
namespace {

constexpr std::size_t kMaxShownValue = 40;
constexpr std::size_t kMaxPathBytes = 4096;
constexpr std::size_t kMaxImageBytes = 512;

bool is_visible(std::string_view text, std::size_t most) {
  return text.size() <= most &&
         std::ranges::all_of(text, [](char c) { return c > 0x20 && c < 0x7F; });
}

// Digits only, within the range.
template <class Target>
bool parse_count(std::string_view text, std::uint32_t least, std::uint32_t most, Target& target) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return false;
  if (value < least || value > most) return false;
  target = value;
  return true;
}

bool parse_cpus(std::string_view text, std::optional<double>& target) {
  double value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  if (error != std::errc{} || end != text.data() + text.size()) return false;
  if (!(value >= 0.01 && value <= 1024)) return false;
  target = value;
  return true;
}

bool parse_flag(std::string_view text, bool& target) {
  if (text != "0" && text != "1") return false;
  target = text == "1";
  return true;
}

bool parse_reuse(std::string_view text, Reuse& target) {
  if (text != "never" && text != "caller") return false;
  target = text == "never" ? Reuse::kNever : Reuse::kCaller;
  return true;
}

bool parse_path(std::string_view text, std::string& target) {
  if (text.size() > kMaxPathBytes) return false;
  target = text;
  return true;
}

bool parse_visible(std::string_view text, std::size_t most, std::string& target) {
  if (!is_visible(text, most)) return false;
  target = text;
  return true;
}

bool parse_secret(std::string_view text, SecretSetting& target) {
  if (!is_visible(text, 4096)) return false;
  target = SecretSetting(text);
  return true;
}

bool parse_provider(std::string_view text, DaemonConfig& config) {
  for (const auto provider : {ProviderChoice::kWasm, ProviderChoice::kDocker,
                              ProviderChoice::kMicrovm, ProviderChoice::kE2b}) {
    if (text != to_string(provider)) continue;
    config.provider = provider;
    return true;
  }
  return false;
}

bool parse_floor(std::string_view text, DaemonConfig& config) {
  const auto tier = parse_isolation(text);
  if (tier) config.minimum_isolation = *tier;
  return tier.has_value();
}

bool parse_listen(std::string_view text, DaemonConfig& config) {
  const auto address = parse_listen_address(text);
  if (address) config.listen = *address;
  return address.has_value();
}

bool parse_metrics_listen(std::string_view text, DaemonConfig& config) {
  const auto address = parse_listen_address(text);
  if (!address && text != "off") return false;
  config.metrics_listen = address;
  return true;
}

bool parse_log(std::string_view text, DaemonConfig& config) {
  if (text != "json" && text != "text") return false;
  config.log_format = text == "json" ? LogChoice::kJson : LogChoice::kText;
  return true;
}

bool parse_docker_host(std::string_view text, DaemonConfig& config) {
  const bool known = text.starts_with("unix:///") || text.starts_with("tcp://");
  return known && parse_visible(text, kMaxPathBytes, config.docker.host);
}

bool parse_seccomp(std::string_view text, DaemonConfig& config) {
  const bool known = text == "unconfined" || text.starts_with('/');
  return known && parse_path(text, config.docker.seccomp);
}

bool parse_guard_url(std::string_view text, DaemonConfig& config) {
  return text.starts_with("https://") && parse_visible(text, kMaxPathBytes, config.e2b.guard_url);
}

using Text = std::string_view;
using Config = DaemonConfig;

constexpr Text kFlag = "0 or 1";
constexpr Text kPool = "0 to 64";
constexpr Text kReuse = "never or caller";
constexpr Text kPath = "a path";
constexpr Text kImage = "an image's name";
constexpr Text kUnset = "(unset)";
constexpr Text kOfProvider = "(the provider's)";

constexpr std::array kVariables = {
    EnvironmentVariable{.name = "SANDBOX_PROVIDER",
                        .fallback = "(unset: disabled, every run is refused)",
                        .form = "wasm, docker, microvm or e2b",
                        .meaning = "what isolates the code",
                        .parse = parse_provider},
    EnvironmentVariable{.name = "SANDBOX_MIN_ISOLATION",
                        .fallback = "none",
                        .form = "none, process, container, kernel or vm",
                        .meaning = "refuse to start when the provider's tier is weaker",
                        .parse = parse_floor},
    EnvironmentVariable{
        .name = "SANDBOX_MEMORY_MB",
        .fallback = kOfProvider,
        .form = "1 to 1048576 (MiB)",
        .meaning = "memory of one run",
        .parse = [](Text v,
                    Config& c) { return parse_count(v, 1, 1'048'576, c.envelope.memory_mb); }},
    EnvironmentVariable{.name = "SANDBOX_CPUS",
                        .fallback = kOfProvider,
                        .form = "0.01 to 1024",
                        .meaning = "processors of one run; only where the provider enforces it",
                        .parse = [](Text v, Config& c) { return parse_cpus(v, c.envelope.cpus); }},
    EnvironmentVariable{
        .name = "SANDBOX_PIDS",
        .fallback = kOfProvider,
        .form = "1 to 4194304",
        .meaning = "processes of one run; only where the provider enforces it",
        .parse = [](Text v, Config& c) { return parse_count(v, 1, 4'194'304, c.envelope.pids); }},
    EnvironmentVariable{
        .name = "SANDBOX_DISK_MB",
        .fallback = kOfProvider,
        .form = "1 to 1048576 (MiB)",
        .meaning = "what one run may write; only where the provider enforces it",
        .parse = [](Text v,
                    Config& c) { return parse_count(v, 1, 1'048'576, c.envelope.disk_mb); }},
    EnvironmentVariable{
        .name = "SANDBOX_MAX_CONCURRENT",
        .fallback = "8",
        .form = "1 to 1024",
        .meaning = "runs in flight",
        .parse = [](Text v,
                    Config& c) { return parse_count(v, 1, 1024, c.admission.max_concurrent); }},
    EnvironmentVariable{
        .name = "SANDBOX_PER_KEY_CONCURRENT",
        .fallback = "(half of SANDBOX_MAX_CONCURRENT)",
        .form = "1 to 1024",
        .meaning = "runs in flight of one caller",
        .parse = [](Text v,
                    Config& c) { return parse_count(v, 1, 1024, c.admission.per_key_concurrent); }},
    EnvironmentVariable{
        .name = "SANDBOX_RATE_PER_MIN",
        .fallback = "30",
        .form = "0 to 1000000",
        .meaning = "runs a minute of one caller; 0: no limit. Refused attempts are charged too",
        .parse = [](Text v,
                    Config& c) { return parse_count(v, 0, 1'000'000, c.admission.rate_per_min); }},
    EnvironmentVariable{
        .name = "SANDBOX_RATE_BURST",
        .fallback = "(as SANDBOX_RATE_PER_MIN)",
        .form = "1 to 1000000",
        .meaning = "as many runs of one caller at once",
        .parse = [](Text v,
                    Config& c) { return parse_count(v, 1, 1'000'000, c.admission.rate_burst); }},
    EnvironmentVariable{
        .name = "SANDBOX_TOTAL_MEMORY_MB",
        .fallback = kUnset,
        .form = "1 to 16777216 (MiB)",
        .meaning = "memory of all runs: fewer run at once when it would be exceeded (on this host)",
        .parse =
            [](Text v, Config& c) {
              return parse_count(v, 1, 16'777'216, c.admission.total_memory_mb);
            }},
    EnvironmentVariable{
        .name = "SANDBOX_WASM_POOL",
        .fallback = "(one for each processor)",
        .form = "1 to 64",
        .meaning = "ready workers that are kept",
        .parse = [](Text v, Config& c) { return parse_count(v, 1, 64, c.wasm.pool); }},
    EnvironmentVariable{
        .name = "SANDBOX_WASM_REUSE",
        .fallback = "caller",
        .form = kReuse,
        .meaning =
            "never: a new worker for every run; caller: a reset one may serve the same caller",
        .parse = [](Text v, Config& c) { return parse_reuse(v, c.wasm.reuse); }},
    EnvironmentVariable{.name = "SANDBOX_DOCKER_HOST",
                        .fallback = "unix:///var/run/docker.sock",
                        .form = "unix:///PATH or tcp://HOST:PORT",
                        .meaning = "the container engine",
                        .parse = parse_docker_host},
    EnvironmentVariable{
        .name = "SANDBOX_DOCKER_CERTS",
        .fallback = "(none)",
        .form = "an absolute path",
        .meaning = "a folder with ca.pem, cert.pem and key.pem, for an engine at tcp://",
        .parse = [](Text v,
                    Config& c) { return v.starts_with('/') && parse_path(v, c.docker.certs); }},
    EnvironmentVariable{
        .name = "SANDBOX_DOCKER_IMAGE",
        .fallback = "node:22-alpine",
        .form = kImage,
        .meaning = "the image of snippets",
        .parse = [](Text v,
                    Config& c) { return parse_visible(v, kMaxImageBytes, c.docker.image); }},
    EnvironmentVariable{.name = "SANDBOX_DOCKER_PROJECT_IMAGE",
                        .fallback = "plimsoll/sandbox:latest",
                        .form = kImage,
                        .meaning = "the image of projects",
                        .parse =
                            [](Text v, Config& c) {
                              return parse_visible(v, kMaxImageBytes, c.docker.project_image);
                            }},
    EnvironmentVariable{
        .name = "SANDBOX_DOCKER_RUNTIME",
        .fallback = "(the engine's)",
        .form = "a runtime's name",
        .meaning = "runsc for the kernel tier",
        .parse = [](Text v, Config& c) { return parse_visible(v, 128, c.docker.runtime); }},
    EnvironmentVariable{.name = "SANDBOX_DOCKER_SECCOMP",
                        .fallback = "(the engine's)",
                        .form = "an absolute path, or unconfined",
                        .meaning = "the system call profile of containers",
                        .parse = parse_seccomp},
    EnvironmentVariable{
        .name = "SANDBOX_DOCKER_POOL",
        .fallback = "0",
        .form = kPool,
        .meaning = "ready containers that are kept; each is used once",
        .parse = [](Text v, Config& c) { return parse_count(v, 0, 64, c.docker.pool); }},
    EnvironmentVariable{
        .name = "SANDBOX_REQUIRE_PINNED_IMAGES",
        .fallback = "0",
        .form = kFlag,
        .meaning = "1: refuse images that are not named by @sha256:",
        .parse = [](Text v, Config& c) { return parse_flag(v, c.docker.require_pinned); }},
    EnvironmentVariable{
        .name = "SANDBOX_MICROVM_POOL",
        .fallback = "(one for each processor)",
        .form = "1 to 64",
        .meaning = "ready virtual machines that are kept",
        .parse = [](Text v, Config& c) { return parse_count(v, 1, 64, c.microvm.pool); }},
    EnvironmentVariable{
        .name = "SANDBOX_MICROVM_REUSE",
        .fallback = "caller",
        .form = kReuse,
        .meaning =
            "never: a new machine for every run; caller: a reset one may serve the same caller",
        .parse = [](Text v, Config& c) { return parse_reuse(v, c.microvm.reuse); }},
    EnvironmentVariable{.name = "E2B_API_KEY",
                        .fallback = kUnset,
                        .form = "1 to 4096 visible ASCII characters",
                        .meaning = "the key of the remote provider",
                        .secret = true,
                        .parse = [](Text v, Config& c) { return parse_secret(v, c.e2b.api_key); }},
    EnvironmentVariable{
        .name = "E2B_TEMPLATE",
        .fallback = kUnset,
        .form = "1 to 128 visible ASCII characters",
        .meaning = "its template",
        .parse = [](Text v, Config& c) { return parse_visible(v, 128, c.e2b.template_id); }},
    EnvironmentVariable{.name = "E2B_GUARD_URL",
                        .fallback = kUnset,
                        .form = "an https URL",
                        .meaning = "where its sandboxes reach the host's guard",
                        .parse = parse_guard_url},
    EnvironmentVariable{.name = "PLIMSOLL_ADDR",
                        .fallback = "127.0.0.1:8746",
                        .form = kListenForm,
                        .meaning = "the listener",
                        .parse = parse_listen},
    EnvironmentVariable{.name = "PLIMSOLL_METRICS_ADDR",
                        .fallback = "127.0.0.1:9464",
                        .form = "an address as PLIMSOLL_ADDR, or off",
                        .meaning = "the listener of /metrics",
                        .parse = parse_metrics_listen},
    EnvironmentVariable{.name = "PLIMSOLL_LOG_FORMAT",
                        .fallback = "json",
                        .form = "json or text",
                        .meaning = "the form of the log on stderr",
                        .parse = parse_log},
    EnvironmentVariable{
        .name = "PLIMSOLL_CLIENTS_FILE",
        .fallback = kUnset,
        .form = kPath,
        .meaning =
            "the caller registry, as plimsoll-clients writes it; comes before PLIMSOLL_TOKEN",
        .parse = [](Text v, Config& c) { return parse_path(v, c.clients_file); }},
    EnvironmentVariable{.name = "PLIMSOLL_TOKEN",
                        .fallback = kUnset,
                        .form = "1 to 4096 visible ASCII characters",
                        .meaning = "one bearer token for everybody",
                        .secret = true,
                        .parse = [](Text v, Config& c) { return parse_secret(v, c.token); }},
    EnvironmentVariable{.name = "PLIMSOLL_INSECURE",
                        .fallback = "0",
                        .form = kFlag,
                        .meaning = "1: serve without authentication, on loopback only",
                        .parse = [](Text v, Config& c) { return parse_flag(v, c.insecure); }},
    EnvironmentVariable{.name = "PLIMSOLL_TLS_CERT",
                        .fallback = kUnset,
                        .form = kPath,
                        .meaning = "the certificate chain, PEM; with PLIMSOLL_TLS_KEY",
                        .parse = [](Text v, Config& c) { return parse_path(v, c.tls_cert); }},
    EnvironmentVariable{.name = "PLIMSOLL_TLS_KEY",
                        .fallback = kUnset,
                        .form = kPath,
                        .meaning = "its private key, PEM",
                        .parse = [](Text v, Config& c) { return parse_path(v, c.tls_key); }},
    EnvironmentVariable{.name = "PLIMSOLL_GRANTS_FILE",
                        .fallback = kUnset,
                        .form = kPath,
                        .meaning = "the grant profiles",
                        .parse = [](Text v, Config& c) { return parse_path(v, c.grants_file); }},
    EnvironmentVariable{
        .name = "PLIMSOLL_HARDENED",
        .fallback = "0",
        .form = kFlag,
        .meaning = "1: the production policy; refuses to serve unless all of it holds",
        .parse = [](Text v, Config& c) { return parse_flag(v, c.hardened); }},
};

// "" for a secret, else " is 'value'", cut and escaped.
std::string shown_value(const EnvironmentVariable& variable, std::string_view value) {
  if (variable.secret) return " has another form";
  return " is " + json_string(value.substr(0, kMaxShownValue)) +
         (value.size() > kMaxShownValue ? "..." : "");
}

// A container orchestrator sets such for a service that is called plimsoll.
bool is_service_link(std::string_view name) {
  return name.find("_SERVICE_") != std::string_view::npos || name.ends_with("_PORT") ||
         name.find("_PORT_") != std::string_view::npos;
}

void warn_of_unknown(const Environment& environment, std::vector<std::string>& warnings) {
  for (const auto& [name, value] : environment) {
    const bool ours = name.starts_with("PLIMSOLL_") || name.starts_with("SANDBOX_");
    if (!ours || is_service_link(name)) continue;
    if (std::ranges::find(kVariables, name, &EnvironmentVariable::name) != kVariables.end())
      continue;
    warnings.push_back(
        fmt::format("{} is no variable of this program, and is ignored", json_string(name)));
  }
}

void warn_of_key_log(const Environment& environment, std::vector<std::string>& warnings) {
  if (!environment.contains("SSLKEYLOGFILE")) return;
  warnings.emplace_back(
      "SSLKEYLOGFILE is ignored: with the keys of its connections go the credentials in them");
}

void warn_of_cleartext(const DaemonConfig& config, std::vector<std::string>& warnings) {
  if (!config.listen.loopback && config.tls_cert.empty() &&
      auth_mode(config) != AuthMode::kInsecure) {
    warnings.emplace_back(
        "PLIMSOLL_ADDR is not loopback and there is no TLS: whoever is on the way can read tokens");
  }
}

}  // namespace

std::span<const EnvironmentVariable> environment_variables() noexcept { return kVariables; }

std::string environment_help() {
  std::string help;
  for (const EnvironmentVariable& variable : kVariables) {
    fmt::format_to(std::back_inserter(help), "  {} = {}\n      {}\n      Accepted: {}\n",
                   variable.name, variable.fallback, variable.meaning, variable.form);
  }
  return help;
}

Environment to_environment(const char* const* environ_strings) {
  Environment environment;
  for (; environ_strings != nullptr && *environ_strings != nullptr; ++environ_strings) {
    const std::string_view entry = *environ_strings;
    const auto equals = entry.find('=');
    if (equals == std::string_view::npos) continue;
    // As getenv(): the first of a name counts.
    environment.emplace(entry.substr(0, equals), entry.substr(equals + 1));
  }
  return environment;
}

std::expected<ParsedEnvironment, std::vector<std::string>> parse_environment(
    const Environment& environment, std::span<const ProviderChoice> built) {
  ParsedEnvironment parsed;
  std::vector<std::string> mistakes;
  for (const EnvironmentVariable& variable : kVariables) {
    const auto given = environment.find(variable.name);
    if (given == environment.end() || given->second.empty()) continue;
    if (variable.parse(given->second, parsed.config)) continue;
    mistakes.push_back(fmt::format("{}{}; accepted: {}", variable.name,
                                   shown_value(variable, given->second), variable.form));
  }
  std::ranges::move(broken_rules(parsed.config, built), std::back_inserter(mistakes));
  if (!mistakes.empty()) return std::unexpected(std::move(mistakes));
  warn_of_unknown(environment, parsed.warnings);
  warn_of_key_log(environment, parsed.warnings);
  warn_of_cleartext(parsed.config, parsed.warnings);
  return parsed;
}

}  // namespace plimsoll
