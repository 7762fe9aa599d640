// Reads the frames of a project's run (guest/project_frames.h), which come from a guest that may
// send anything: their order, their sums and the hash of each artifact are checked here, so that
// what it holds at any time is within the bounds of what was asked for.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "guest/frame_sink.h"
#include "guest/project_frames.h"

namespace plimsoll::guest {

struct CollectedStep {
  bool done = false;  // false: it began, and nothing is known of its end
  StepDone end{};
  std::string stdout_bytes{};
  std::string stderr_bytes{};
  std::chrono::milliseconds duration{0};  // by the host's clock
};

struct CollectedArtifact {
  ArtifactState state = ArtifactState::kMissing;
  std::string content{};
};

struct ProjectBounds {
  std::size_t steps = 0;
  std::size_t artifacts = 0;
  std::size_t output_cap = 0;      // of each stream of each step
  std::size_t artifact_bytes = 0;  // of all
};

// Not for concurrent use.
class ProjectCollector final : public FrameSink {
 public:
  using Now = std::function<std::chrono::steady_clock::time_point()>;

  explicit ProjectCollector(const ProjectBounds& bounds, Now now = std::chrono::steady_clock::now)
      : bounds_(bounds), now_(std::move(now)) {}

  [[nodiscard]] Step take(const FrameReader::Frame& frame) override;

  // What came so far, whole or not: the last step may not be done, and the last artifact not whole.
  [[nodiscard]] std::vector<CollectedStep>& steps() noexcept { return steps_; }
  [[nodiscard]] std::vector<CollectedArtifact>& artifacts() noexcept { return artifacts_; }
  // After kEnd.
  [[nodiscard]] const ProjectDone& done() const noexcept { return done_; }

 private:
  [[nodiscard]] bool in_step() const noexcept { return !steps_.empty() && !steps_.back().done; }
  [[nodiscard]] bool in_artifact() const noexcept;
  [[nodiscard]] bool last_step_failed() const noexcept;
  [[nodiscard]] Step begin_step(std::span<const std::uint8_t> payload);
  [[nodiscard]] Step output(FrameKind kind, std::span<const std::uint8_t> payload);
  [[nodiscard]] Step end_step(std::span<const std::uint8_t> payload);
  [[nodiscard]] Step begin_artifact(std::span<const std::uint8_t> payload);
  [[nodiscard]] Step artifact_data(std::span<const std::uint8_t> payload);
  [[nodiscard]] Step end(std::span<const std::uint8_t> payload);

  const ProjectBounds bounds_;
  const Now now_;
  std::vector<CollectedStep> steps_;
  std::chrono::steady_clock::time_point step_began_{};
  std::vector<CollectedArtifact> artifacts_;
  ArtifactHead head_;               // of the last artifact
  std::size_t artifact_bytes_ = 0;  // announced, of all
  ProjectDone done_;
};

}  // namespace plimsoll::guest
