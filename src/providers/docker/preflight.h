// What has to be true of an engine before anything runs on it, and what is settled once for all
// runs: versions, runtime, images by their content, the system call filter.
#pragma once

#include <optional>
#include <string>

#include "plimsoll/result.h"
#include "plimsoll/sandbox.h"
#include "providers/docker/container_evidence.h"
#include "providers/docker/container_spec.h"
#include "providers/docker/engine_api.h"

namespace plimsoll::docker {

struct Preflight {
  EngineVersion version{};
  ContainerSpec snippet{};                 // without labels
  std::optional<ContainerSpec> project{};  // null: there is no image of projects
  Expected expected{};
};

// Errors: kNotReady, naming what is amiss and what to do: no engine that answers, a runtime that it
// does not know, a limit that it cannot enforce, an image that is not acceptable, a filter that is
// not readable.
[[nodiscard]] Result<Preflight> run_preflight(EngineApi& engine, const DockerConfig& config);

// Reads a system call profile. Errors: kNotReady: not readable, beyond 256 KiB, or not a JSON
// object.
[[nodiscard]] Result<std::string> read_seccomp_profile(const std::string& path);

// Of a local engine: its binary is examined. Of a remote one it is gVisor's by its name alone.
[[nodiscard]] bool is_gvisor_by_name(std::string_view path) noexcept;

}  // namespace plimsoll::docker
