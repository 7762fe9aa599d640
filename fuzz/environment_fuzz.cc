// The daemon's environment: NUL-separated NAME=VALUE. Whatever is accepted keeps every rule and has
// numbers to serve with; whatever is not has a mistake for each, none of which shows a secret.
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "config/config_rules.h"
#include "config/environment.h"
#include "require.h"

namespace {

using plimsoll::ProviderChoice;
using plimsoll::fuzz::require;

constexpr std::array kBuilt = {ProviderChoice::kWasm, ProviderChoice::kDocker,
                               ProviderChoice::kMicrovm, ProviderChoice::kE2b};

void check_config(const plimsoll::DaemonConfig& config) {
  require(plimsoll::broken_rules(config, kBuilt).empty(), "every rule holds");
  require(plimsoll::effective_concurrency(config) >= 1, "a run can run");
  require(plimsoll::effective_per_caller(config) >= 1, "a caller's run can run");
  require(plimsoll::effective_per_caller(config) <= plimsoll::effective_concurrency(config),
          "a caller has at most all");
  require(plimsoll::effective_burst(config) >= 1, "a burst is a run at least");
  require(config.provider == ProviderChoice::kDisabled ||
              plimsoll::auth_mode(config) != plimsoll::AuthMode::kInsecure ||
              (config.insecure && config.listen.loopback),
          "authentication fails closed");
  static_cast<void>(plimsoll::hardened_violations(config, {}));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string input(reinterpret_cast<const char*>(data), size);
  std::vector<const char*> strings;
  for (std::size_t at = 0; at < input.size(); at = input.find('\0', at) + 1) {
    strings.push_back(input.c_str() + at);
    if (input.find('\0', at) == std::string::npos) break;
  }
  strings.push_back(nullptr);
  const auto environment = plimsoll::to_environment(strings.data());
  const auto parsed = plimsoll::parse_environment(environment, kBuilt);
  if (parsed) {
    check_config(parsed->config);
    return 0;
  }
  require(!parsed.error().empty(), "an error has mistakes");
  const auto token = environment.find("PLIMSOLL_TOKEN");
  for (const std::string& mistake : parsed.error()) {
    for (const char c : mistake) require(c >= 0x20 && c < 0x7F, "one line");
    require(token == environment.end() || token->second.size() < 24 ||
                mistake.find(token->second) == std::string::npos,
            "no secret is shown");
  }
  return 0;
}
