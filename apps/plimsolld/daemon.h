// The daemon, assembled: provider, callers, admission, audit, metrics, service, listeners.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "config/daemon_config.h"
#include "grants/grant_profiles.h"
#include "plimsoll/result.h"

namespace plimsoll::daemon {

// One at a time in a process: it writes the audit stream to standard output.
class Daemon {
 public:
  // Reads the callers, makes the provider ready (workers, smoke test), checks the tier and, with
  // PLIMSOLL_HARDENED=1, the production policy, and listens. Errors: one sentence for each mistake,
  // all at once where they can be known at once. `config` passed parse_environment(); `variable`
  // gives the values of the variables that the grants file names.
  [[nodiscard]] static std::expected<std::unique_ptr<Daemon>, std::vector<std::string>> start(
      const DaemonConfig& config, const VariableReader& variable);

  Daemon(const Daemon&) = delete;
  Daemon& operator=(const Daemon&) = delete;
  ~Daemon();

  // Serves until SIGTERM or SIGINT, then drains for at most 30 s; a second signal ends it at once.
  // Both must be blocked in every thread. Returns when everything has ended.
  void serve();

 private:
  struct Parts;
  explicit Daemon(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace plimsoll::daemon
