// The few calls of the Docker Engine API that this provider makes, typed. Which exchange each is
// stands in the .cc; the reference of the Docker Engine API, 1.40 to 1.47, is the source.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "guest/byte_stream.h"
#include "plimsoll/result.h"
#include "providers/docker/engine_client.h"

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
  ApiVersion api{};       // chosen
  std::string engine{};   // "20.10.24"
  std::string runtimes{};  // the components, "containerd 1.6.20, runc 1.1.5"
  std::string kernel{};   // of the engine's host
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

// Safe for concurrent use once connect() succeeded. Errors: kNotReady.
class EngineApi {
 public:
  explicit EngineApi(Endpoint endpoint) : client_(std::move(endpoint)) {}

  // Agrees on a version; comes before everything else.
  [[nodiscard]] Result<EngineVersion> connect();
  [[nodiscard]] Result<EngineInfo> info();
  // nullopt: there is no such image.
  [[nodiscard]] Result<std::optional<EngineImage>> inspect_image(std::string_view name);

  // `spec` is the body of the call; the new container's id.
  [[nodiscard]] Result<std::string> create(const std::string& spec, std::string_view name);
  [[nodiscard]] Result<std::unique_ptr<guest::ByteStream>> attach(std::string_view id);
  [[nodiscard]] Result<void> start(std::string_view id);
  [[nodiscard]] Result<ContainerState> inspect(std::string_view id);
  // Until it has ended, but no longer than `timeout`, which is an error.
  [[nodiscard]] Result<void> wait(std::string_view id, std::chrono::milliseconds timeout);
  // Kills it if it runs, and removes it with its anonymous volumes. One that is not there is well.
  [[nodiscard]] Result<void> remove(std::string_view id);
  // All containers, whatever their state, that have this label.
  [[nodiscard]] Result<std::vector<ContainerEntry>> list(std::string_view label);

  [[nodiscard]] const Endpoint& endpoint() const noexcept { return client_.endpoint(); }

 private:
  [[nodiscard]] std::string path(std::string_view rest) const;
  [[nodiscard]] Result<std::string> expect(const EngineCall& call, unsigned status,
                                           std::string_view what);
  EngineClient client_;
  std::string prefix_;
};

}  // namespace plimsoll::docker
