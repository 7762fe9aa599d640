// What an engine's answers say, read strictly: a field that is missing or of another type is an
// error, and nothing of an answer is taken that was not asked for. Bodies are bounded before they
// come here (EngineCall::max_answer_bytes).
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plimsoll/result.h"

namespace plimsoll::docker {

struct ApiVersion {
  unsigned major = 0;
  unsigned minor = 0;
  friend auto operator<=>(const ApiVersion&, const ApiVersion&) = default;
};
// "1.41"; nullopt: something else.
[[nodiscard]] std::optional<ApiVersion> parse_api_version(std::string_view text) noexcept;

// What we know how to speak.
inline constexpr ApiVersion kOldestApi{.major = 1, .minor = 40};
inline constexpr ApiVersion kNewestApi{.major = 1, .minor = 47};
// The newest version that both sides speak; nullopt: there is none.
[[nodiscard]] std::optional<ApiVersion> choose_version(ApiVersion theirs_oldest,
                                                       ApiVersion theirs_newest) noexcept;

struct EngineVersion {
  ApiVersion api{};        // chosen
  std::string engine{};    // "20.10.24"
  std::string runtimes{};  // the components, "containerd 1.6.20, runc 1.1.5"
  std::string kernel{};    // of the engine's host
};

struct EngineRuntime {
  std::string name{};
  std::string path{};  // may be a name to be found in the engine's PATH; may be empty
  std::vector<std::string> arguments{};
};

struct EngineInfo {
  std::string default_runtime{};
  std::vector<EngineRuntime> runtimes{};
  bool enforces_memory = false;
  bool enforces_swap = false;
  bool enforces_cpus = false;
  bool enforces_pids = false;
  bool has_seccomp = false;
};

struct EngineImage {
  std::string id{};  // "sha256:<hex>": the content
  std::vector<std::string> repo_digests{};
  std::vector<std::string> volumes{};  // declared mount points
  std::vector<std::string> entrypoint{};
  std::vector<std::string> command{};
  std::vector<std::string> environment{};
  std::string os{};
};

struct ContainerState {
  bool running = false;
  bool oom_killed = false;
  int exit_code = 0;
  std::int64_t pid = 0;  // of its first process, as the engine's host numbers it; 0: none
};

struct ContainerEntry {
  std::string id{};
  std::string state{};  // "created", "running", "exited", ...
  std::int64_t created_unix_s = 0;
  std::vector<std::pair<std::string, std::string>> labels{};
};

// Each reads the body of one call. Errors: kNotReady.
[[nodiscard]] Result<EngineVersion> read_version(std::string_view body);  // `api`: the chosen one
[[nodiscard]] Result<EngineInfo> read_info(std::string_view body);
[[nodiscard]] Result<EngineImage> read_image(std::string_view body);
[[nodiscard]] Result<std::string> read_created_id(std::string_view body);
[[nodiscard]] Result<ContainerState> read_state(std::string_view body);
[[nodiscard]] Result<std::vector<ContainerEntry>> read_entries(std::string_view body);

// Where the stream begins in what the engine has answered to an attach so far; nothing while the
// answer's head is not whole. Errors: kNotReady, for one that is no upgrade, and for a head that is
// not whole after kMaxUpgradeHead bytes.
inline constexpr std::size_t kMaxUpgradeHead = 8'192;
[[nodiscard]] Result<std::optional<std::size_t>> read_upgrade(std::string_view so_far);

// The engine's own words on a refusal, quoted and cut, for the operator.
[[nodiscard]] std::string reason_in(std::string_view body);

}  // namespace plimsoll::docker
