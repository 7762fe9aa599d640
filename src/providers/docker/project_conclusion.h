// From a project, as it was asked for, to the frame that its runner takes; and from what came back
// to the result. Pure.
#pragma once

#include <cstddef>

#include "core/run_payload.h"
#include "core/run_result.h"
#include "guest/guest_channel.h"
#include "guest/project_collector.h"
#include "guest/project_frames.h"
#include "plimsoll/request.h"
#include "providers/docker/conclusion.h"

namespace plimsoll::docker {

struct ProjectSettings {
  Millis timeout{0};
  std::size_t output_cap_bytes = 0;
  unsigned memory_mb = 0;
};

// The views point into `project`, which passed check_project_run().
[[nodiscard]] guest::ProjectRunFrame frame_of(const ProjectRun& project,
                                              const ProjectSettings& settings);
[[nodiscard]] guest::ProjectBounds bounds_of(const ProjectRun& project,
                                             const ProjectSettings& settings);

// `memory` matters of a container that was lost, or whose last step was killed.
[[nodiscard]] ProjectResult result_of(const ProjectRun& project, guest::RunStatus status,
                                      guest::ProjectCollector& collected, const MemoryWord& memory);

// Whether the end of its last step can be the kernel's doing, for lack of memory.
[[nodiscard]] bool may_be_oom_kill(guest::RunStatus status, guest::ProjectCollector& collected);

}  // namespace plimsoll::docker
