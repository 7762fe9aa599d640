// The daemon's environment variables: one table, from which they are parsed and from which -h is
// made.
#pragma once

#include <expected>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/daemon_config.h"

namespace plimsoll {

// One row. `fallback` is the value that the variable has when it is unset, or says in parentheses
// what happens then.
struct EnvironmentVariable {
  std::string_view name;
  std::string_view fallback;
  std::string_view form;  // what is accepted
  std::string_view meaning;
  bool secret = false;  // its value is never shown
  // False: `value`, which is not empty, has another form, and `config` is as it was.
  bool (*parse)(std::string_view value, DaemonConfig& config) = nullptr;
};

[[nodiscard]] std::span<const EnvironmentVariable> environment_variables() noexcept;

// What -h prints after its first lines.
[[nodiscard]] std::string environment_help();

using Environment = std::map<std::string, std::string, std::less<>>;

// From environ(7)'s form; for main.
[[nodiscard]] Environment to_environment(const char* const* environ_strings);

struct ParsedEnvironment {
  DaemonConfig config;
  // What is accepted and yet may not be meant: a variable of our prefixes that is not in the table,
  // a token over a connection that others can read.
  std::vector<std::string> warnings;
};

// An empty value is an unset one. Errors: one sentence for each mistake, all at once: malformed
// values first, then what does not go together (config/config_rules.h). `built`: the providers that
// this program has.
[[nodiscard]] std::expected<ParsedEnvironment, std::vector<std::string>> parse_environment(
    const Environment& environment, std::span<const ProviderChoice> built);

}  // namespace plimsoll
