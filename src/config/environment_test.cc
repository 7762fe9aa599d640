#include "config/environment.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

namespace plimsoll {
namespace {

constexpr std::array kAll = {ProviderChoice::kWasm, ProviderChoice::kDocker,
                             ProviderChoice::kMicrovm, ProviderChoice::kE2b};

// What every configuration with a provider needs, so that a test is about something else.
Environment with(Environment more) {
  more.emplace("SANDBOX_PROVIDER", "wasm");
  more.emplace("PLIMSOLL_TOKEN", "t0ken");
  return more;
}

// The mistakes, one a line; "" for none.
std::string mistakes(const Environment& environment) {
  const auto parsed = parse_environment(environment, kAll);
  if (parsed) return "";
  std::string text;
  for (const std::string& mistake : parsed.error()) text += mistake + "\n";
  return text;
}

DaemonConfig parsed(const Environment& environment) {
  const auto result = parse_environment(environment, kAll);
  EXPECT_TRUE(result) << mistakes(environment);
  return result ? result->config : DaemonConfig{};
}

TEST(Environment, NothingSetIsTheDefaults) {
  EXPECT_EQ(parsed({}), DaemonConfig{});
  EXPECT_EQ(parsed({{"SANDBOX_PROVIDER", ""}, {"PLIMSOLL_TOKEN", ""}}), DaemonConfig{});
}

TEST(Environment, TheFallbacksInTheTableAreTheDefaults) {
  for (const EnvironmentVariable& variable : environment_variables()) {
    if (variable.fallback.starts_with('(')) continue;
    DaemonConfig config;
    EXPECT_TRUE(variable.parse(variable.fallback, config)) << variable.name;
    EXPECT_EQ(config, DaemonConfig{}) << variable.name;
  }
}

TEST(Environment, EveryVariableArrives) {
  const DaemonConfig config = parsed({
      {"SANDBOX_PROVIDER", "docker"},
      {"SANDBOX_MIN_ISOLATION", "container"},
      {"SANDBOX_MEMORY_MB", "512"},
      {"SANDBOX_CPUS", "1.5"},
      {"SANDBOX_PIDS", "64"},
      {"SANDBOX_DISK_MB", "100"},
      {"SANDBOX_MAX_CONCURRENT", "16"},
      {"SANDBOX_PER_KEY_CONCURRENT", "3"},
      {"SANDBOX_RATE_PER_MIN", "60"},
      {"SANDBOX_RATE_BURST", "7"},
      {"SANDBOX_TOTAL_MEMORY_MB", "4096"},
      {"SANDBOX_WASM_POOL", "3"},
      {"SANDBOX_WASM_REUSE", "never"},
      {"SANDBOX_DOCKER_HOST", "unix:///run/d.sock"},
      {"SANDBOX_DOCKER_CERTS", "/etc/certs"},
      {"SANDBOX_DOCKER_IMAGE", "a"},
      {"SANDBOX_DOCKER_PROJECT_IMAGE", "b"},
      {"SANDBOX_DOCKER_RUNTIME", "runsc"},
      {"SANDBOX_DOCKER_SECCOMP", "/etc/s.json"},
      {"SANDBOX_DOCKER_POOL", "2"},
      {"SANDBOX_REQUIRE_PINNED_IMAGES", "0"},
      {"SANDBOX_MICROVM_POOL", "4"},
      {"SANDBOX_MICROVM_REUSE", "never"},
      {"E2B_API_KEY", "k"},
      {"E2B_TEMPLATE", "t"},
      {"E2B_GUARD_URL", "https://guard.example.com"},
      {"PLIMSOLL_ADDR", "[::1]:1"},
      {"PLIMSOLL_METRICS_ADDR", "off"},
      {"PLIMSOLL_LOG_FORMAT", "text"},
      {"PLIMSOLL_CLIENTS_FILE", "clients.json"},
      {"PLIMSOLL_TOKEN", "t0ken"},
      {"PLIMSOLL_INSECURE", "1"},
      {"PLIMSOLL_TLS_CERT", "c.pem"},
      {"PLIMSOLL_TLS_KEY", "k.pem"},
      {"PLIMSOLL_GRANTS_FILE", "g.json"},
      {"PLIMSOLL_HARDENED", "1"},
  });
  DaemonConfig expected;
  expected.provider = ProviderChoice::kDocker;
  expected.minimum_isolation = Isolation::kContainer;
  expected.envelope = {.memory_mb = 512, .cpus = 1.5, .pids = 64, .disk_mb = 100};
  expected.admission = {.max_concurrent = 16,
                        .per_key_concurrent = 3,
                        .rate_per_min = 60,
                        .rate_burst = 7,
                        .total_memory_mb = 4096};
  expected.wasm = {.pool = 3, .reuse = Reuse::kNever};
  expected.docker = {.host = "unix:///run/d.sock",
                     .certs = "/etc/certs",
                     .image = "a",
                     .project_image = "b",
                     .runtime = "runsc",
                     .seccomp = "/etc/s.json",
                     .pool = 2};
  expected.microvm = {.pool = 4, .reuse = Reuse::kNever};
  expected.e2b = {
      .api_key = SecretSetting("k"), .template_id = "t", .guard_url = "https://guard.example.com"};
  expected.listen = {.host = "::1", .port = 1, .ipv6 = true, .loopback = true};
  expected.metrics_listen.reset();
  expected.log_format = LogChoice::kText;
  expected.clients_file = "clients.json";
  expected.token = SecretSetting("t0ken");
  expected.insecure = true;
  expected.tls_cert = "c.pem";
  expected.tls_key = "k.pem";
  expected.grants_file = "g.json";
  expected.hardened = true;
  EXPECT_EQ(config, expected);
  EXPECT_EQ(auth_mode(config), AuthMode::kClientsFile);
}

TEST(Environment, EachMalformedValueNamesItsVariableAndWhatIsAccepted) {
  const std::pair<std::string, std::vector<std::string>> cases[] = {
      {"SANDBOX_PROVIDER", {"dcoker", "WASM", "disabled", " wasm", "wasm "}},
      {"SANDBOX_MIN_ISOLATION", {"unknown", "VM", "strong"}},
      {"SANDBOX_MEMORY_MB", {"0", "-1", "64M", "1048577", "99999999999999999999", "6 4", "0x40"}},
      {"SANDBOX_CPUS", {"0", "-1", "1e3", "nan", "inf", "1,5", "1025", "x"}},
      {"SANDBOX_PIDS", {"0", "4194305"}},
      {"SANDBOX_DISK_MB", {"0", "1.5"}},
      {"SANDBOX_MAX_CONCURRENT", {"0", "1025", "+8", "eight"}},
      {"SANDBOX_PER_KEY_CONCURRENT", {"0"}},
      {"SANDBOX_RATE_PER_MIN", {"-1", "1000001"}},
      {"SANDBOX_RATE_BURST", {"0"}},
      {"SANDBOX_TOTAL_MEMORY_MB", {"0"}},
      {"SANDBOX_WASM_POOL", {"0", "65"}},
      {"SANDBOX_WASM_REUSE", {"always", "Caller"}},
      {"SANDBOX_DOCKER_HOST", {"/var/run/docker.sock", "http://x", "unix://a b"}},
      {"SANDBOX_DOCKER_CERTS", {"certs", "./certs"}},
      {"SANDBOX_DOCKER_IMAGE", {"a b"}},
      {"SANDBOX_DOCKER_PROJECT_IMAGE", {"a\nb"}},
      {"SANDBOX_DOCKER_RUNTIME", {"a b"}},
      {"SANDBOX_DOCKER_SECCOMP", {"relative.json", "Unconfined"}},
      {"SANDBOX_DOCKER_POOL", {"65"}},
      {"SANDBOX_REQUIRE_PINNED_IMAGES", {"true", "yes", "2", "01"}},
      {"SANDBOX_MICROVM_POOL", {"0"}},
      {"SANDBOX_MICROVM_REUSE", {"x"}},
      {"E2B_API_KEY", {"a b"}},
      {"E2B_TEMPLATE", {"a b"}},
      {"E2B_GUARD_URL", {"http://guard.example.com"}},
      {"PLIMSOLL_ADDR", {":8746", "localhost", "0.0.0.0", "off"}},
      {"PLIMSOLL_METRICS_ADDR", {"Off", "9464"}},
      {"PLIMSOLL_LOG_FORMAT", {"JSON", "logfmt"}},
      {"PLIMSOLL_TOKEN", {"a b", "caf\xC3\xA9", std::string(4097, 'x')}},
      {"PLIMSOLL_INSECURE", {"true"}},
      {"PLIMSOLL_HARDENED", {"on"}},
      {"PLIMSOLL_CLIENTS_FILE", {std::string(4097, 'x')}},
      {"PLIMSOLL_TLS_CERT", {std::string(4097, 'x')}},
      {"PLIMSOLL_TLS_KEY", {std::string(4097, 'x')}},
      {"PLIMSOLL_GRANTS_FILE", {std::string(4097, 'x')}},
  };
  ASSERT_EQ(std::size(cases), environment_variables().size());
  for (const auto& [name, values] : cases) {
    const auto row = std::ranges::find(environment_variables(), name, &EnvironmentVariable::name);
    ASSERT_NE(row, environment_variables().end()) << name;
    for (const std::string& value : values) {
      const std::string text = mistakes(with({{name, value}}));
      EXPECT_TRUE(text.starts_with(name)) << name << ": " << text;
      EXPECT_NE(text.find("; accepted: " + std::string(row->form) + "\n"), std::string::npos)
          << text;
    }
  }
}

TEST(Environment, AllMistakesAtOnce) {
  EXPECT_EQ(mistakes({{"SANDBOX_PROVIDER", "wasm"},
                      {"SANDBOX_PIDS", "64"},
                      {"SANDBOX_RATE_PER_MIN", "x\n"},
                      {"PLIMSOLL_ADDR", std::string(50, 'y')},
                      {"PLIMSOLL_TLS_KEY", "k"}}),
            "SANDBOX_RATE_PER_MIN is \"x\\n\"; accepted: 0 to 1000000\n"
            "PLIMSOLL_ADDR is \"" +
                std::string(40, 'y') +
                "\"...; accepted: 127.0.0.1:PORT, [::1]:PORT or another IP address\n"
                "SANDBOX_PIDS cannot be enforced by wasm, and must be unset\n"
                "nobody is authenticated: set PLIMSOLL_CLIENTS_FILE or PLIMSOLL_TOKEN, or "
                "PLIMSOLL_INSECURE=1 to serve everybody on this host\n"
                "PLIMSOLL_TLS_CERT and PLIMSOLL_TLS_KEY: accepted: both or neither\n");
}

TEST(Environment, ASecretIsNeverShown) {
  const std::string text =
      mistakes({{"PLIMSOLL_TOKEN", "hush hush"}, {"E2B_API_KEY", "hush\thush"}});
  EXPECT_NE(text.find("PLIMSOLL_TOKEN has another form; accepted: 1 to 4096"), std::string::npos);
  EXPECT_EQ(text.find("hush"), std::string::npos) << text;
  EXPECT_EQ(environment_help().find("hush"), std::string::npos);
}

TEST(Environment, TheHelpIsTheTable) {
  const std::string help = environment_help();
  std::string_view before;
  for (const EnvironmentVariable& variable : environment_variables()) {
    EXPECT_NE(help.find("  " + std::string(variable.name) + " = " + std::string(variable.fallback) +
                        "\n"),
              std::string::npos)
        << variable.name;
    EXPECT_NE(variable.name, before);
    before = variable.name;
  }
  for (std::string_view rest = help; !rest.empty();) {
    const auto end = rest.find('\n');
    EXPECT_LE(end, 100U) << rest.substr(0, end);
    rest.remove_prefix(end + 1);
  }
}

TEST(Environment, WarnsOfWhatMayBeMeantOtherwise) {
  const auto warned = [](Environment more) {
    const auto result = parse_environment(with(std::move(more)), kAll);
    return result && !result->warnings.empty() ? result->warnings[0] : "";
  };
  EXPECT_EQ(warned({}), "");
  EXPECT_EQ(warned({{"PATH", "/bin"}, {"PLIMSOLL_SERVICE_HOST", "x"}, {"PLIMSOLL_PORT", "x"}}), "");
  EXPECT_EQ(warned({{"PLIMSOLL_HARDEND", "1"}}),
            "\"PLIMSOLL_HARDEND\" is no variable of this program, and is ignored");
  EXPECT_NE(warned({{"SSLKEYLOGFILE", "/keys"}}).find("SSLKEYLOGFILE is ignored"),
            std::string::npos);
  EXPECT_NE(warned({{"PLIMSOLL_ADDR", "0.0.0.0:1"}}).find("no TLS"), std::string::npos);
  EXPECT_EQ(
      warned(
          {{"PLIMSOLL_ADDR", "0.0.0.0:1"}, {"PLIMSOLL_TLS_CERT", "c"}, {"PLIMSOLL_TLS_KEY", "k"}}),
      "");
}

TEST(Environment, FromTheProcess) {
  const char* const kStrings[] = {"A=1", "B=x=y", "A=2", "EMPTY=", "noequals", nullptr};
  EXPECT_EQ(to_environment(kStrings), (Environment{{"A", "1"}, {"B", "x=y"}, {"EMPTY", ""}}));
  EXPECT_TRUE(to_environment(nullptr).empty());
}

}  // namespace
}  // namespace plimsoll
