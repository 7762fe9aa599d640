#include "providers/docker/project_conclusion.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>
#include <utility>

#include "core/wire_limits.h"

namespace plimsoll::docker {

namespace {

using guest::RunStatus;

std::uint64_t microseconds(Millis time) {
  return static_cast<std::uint64_t>(std::chrono::microseconds(time).count());
}

std::string_view name_of(guest::SetupFault fault) noexcept {
  switch (fault) {
    case guest::SetupFault::kNone:
      break;
    case guest::SetupFault::kRequest:
      return "the request is not in order";
    case guest::SetupFault::kPath:
      return "the path is not accepted";
    case guest::SetupFault::kTwin:
      return "the path is another one's, but for case or spelling, or also a folder";
    case guest::SetupFault::kNoSpace:
      return "the disk is full";
    case guest::SetupFault::kCannotWrite:
      return "it cannot be written";
  }
  return "";
}

StepResult step_of(const std::string& command, guest::CollectedStep step, ProcessEnd end) {
  return {.command = command,
          .process = {.exit_code = end.exit_code,
                      .timed_out = end.timed_out,
                      .stdout_bytes = std::move(step.stdout_bytes),
                      .stderr_bytes = std::move(step.stderr_bytes),
                      .stdout_truncated = step.end.stdout_truncated || end.flooded,
                      .stderr_truncated = step.end.stderr_truncated || end.flooded,
                      .termination = std::move(end.termination)},
          .duration = step.duration};
}

void add_steps(const ProjectRun& project, RunStatus status, guest::ProjectCollector& collected,
               const MemoryWord& memory, ProjectResult& result) {
  for (std::size_t i = 0; i < collected.steps().size(); ++i) {
    guest::CollectedStep& step = collected.steps()[i];
    if (step.done) {
      ProcessEnd end = end_of(step.end.cause, step.end.exit_code, step.end.signal, memory);
      result.steps.push_back(step_of(project.steps[i], std::move(step), std::move(end)));
    } else if (status == RunStatus::kStopped) {
      result.steps.push_back(step_of(project.steps[i], std::move(step), stopped_from_outside()));
    } else if (status == RunStatus::kLost && memory.oom_kill) {
      result.steps.push_back(step_of(project.steps[i], std::move(step), out_of_memory(memory)));
    }
  }
}

void add_artifacts(const ProjectRun& project, guest::ProjectCollector& collected,
                   ProjectResult& result) {
  for (std::size_t i = 0; i < collected.artifacts().size(); ++i) {
    guest::CollectedArtifact& artifact = collected.artifacts()[i];
    const bool whole = artifact.state == guest::ArtifactState::kWhole;
    const bool cut = artifact.state == guest::ArtifactState::kCut;
    if (cut) result.artifacts_truncated = true;
    if (!whole && !cut) continue;  // there is no such file that may be brought back
    result.artifacts.push_back(
        {.path = project.artifacts[i], .content = std::move(artifact.content), .truncated = cut});
  }
}

void add_done(const ProjectRun& project, const guest::ProjectDone& done, ProjectResult& result) {
  switch (done.end) {
    case guest::ProjectEnd::kCompleted:
      result.outcome = ProjectOutcome::kCompleted;
      return;
    case guest::ProjectEnd::kTimedOut:
      result.outcome = ProjectOutcome::kTimedOut;
      result.outcome_detail = "stopped at its deadline";
      return;
    case guest::ProjectEnd::kSetupFailed:
      break;
  }
  result.outcome = ProjectOutcome::kSetupFailed;
  result.outcome_detail = std::string(name_of(done.fault));
  if (done.fault != guest::SetupFault::kRequest && done.file < project.files.size()) {
    result.outcome_detail = fmt::format("file {}: {}", done.file, result.outcome_detail);
  }
}

}  // namespace

guest::ProjectRunFrame frame_of(const ProjectRun& project, const ProjectSettings& settings) {
  guest::ProjectRunFrame frame{
      .timeout_us = microseconds(settings.timeout),
      .step_timeout_us = microseconds(settings.timeout),
      .output_cap = settings.output_cap_bytes,
      .flood_bytes = std::max(kFloodBytes, std::uint64_t{settings.output_cap_bytes}),
      .memory_bytes = std::uint64_t{settings.memory_mb} << 20,
      .artifact_bytes = kMaxArtifactBytes};
  for (const ProjectFile& file : project.files) {
    frame.files.push_back({.path = file.path, .content = file.content});
  }
  frame.steps.assign(project.steps.begin(), project.steps.end());
  frame.artifacts.assign(project.artifacts.begin(), project.artifacts.end());
  return frame;
}

guest::ProjectBounds bounds_of(const ProjectRun& project, const ProjectSettings& settings) {
  return {.steps = project.steps.size(),
          .artifacts = project.artifacts.size(),
          .output_cap = settings.output_cap_bytes,
          .artifact_bytes = kMaxArtifactBytes};
}

bool may_be_oom_kill(RunStatus status, guest::ProjectCollector& collected) {
  if (status == RunStatus::kLost) return true;
  if (collected.steps().empty() || !collected.steps().back().done) return false;
  const guest::StepDone& last = collected.steps().back().end;
  return may_be_oom_kill(last.cause, last.exit_code, last.signal);
}

ProjectResult result_of(const ProjectRun& project, RunStatus status,
                        guest::ProjectCollector& collected, const MemoryWord& memory) {
  ProjectResult result;
  const bool in_step = !collected.steps().empty() && !collected.steps().back().done;
  add_steps(project, status, collected, memory, result);
  if (status == RunStatus::kDone) {
    add_artifacts(project, collected, result);
    add_done(project, collected.done(), result);
  } else if (status == RunStatus::kStopped) {
    result.outcome = ProjectOutcome::kTimedOut;
    result.outcome_detail = "stopped from outside: the container was killed";
  } else if (status == RunStatus::kLost && in_step && memory.oom_kill) {
    // The step took the runner with it; it failed, and there is nobody to bring artifacts.
    result.outcome = ProjectOutcome::kCompleted;
    result.artifacts_truncated = !project.artifacts.empty();
  } else {
    result.outcome = ProjectOutcome::kProtocolError;
    result.outcome_detail = status == RunStatus::kBroken
                                ? "the guest broke the protocol and was killed"
                                : "the container was lost";
  }
  return result;
}

}  // namespace plimsoll::docker
