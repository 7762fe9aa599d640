#include "guest/project_collector.h"

#include "base/sha256.h"

namespace plimsoll::guest {

namespace {

std::string_view text_of(std::span<const std::uint8_t> bytes) noexcept {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

bool failed(const StepDone& step) noexcept {
  return step.cause != DoneCause::kExited || step.exit_code != 0;
}

}  // namespace

FrameSink::Step ProjectCollector::take(const FrameReader::Frame& frame) {
  switch (frame.kind) {
    case FrameKind::kStepBegin:
      return begin_step(frame.payload);
    case FrameKind::kStdout:
    case FrameKind::kStderr:
      return output(frame.kind, frame.payload);
    case FrameKind::kStepDone:
      return end_step(frame.payload);
    case FrameKind::kArtifact:
      return begin_artifact(frame.payload);
    case FrameKind::kArtifactData:
      return artifact_data(frame.payload);
    case FrameKind::kProjectDone:
      return end(frame.payload);
    default:
      return Step::kBroken;
  }
}

bool ProjectCollector::in_artifact() const noexcept {
  return !artifacts_.empty() && artifacts_.back().content.size() < head_.size;
}

bool ProjectCollector::last_step_failed() const noexcept {
  return !steps_.empty() && steps_.back().done && failed(steps_.back().end);
}

FrameSink::Step ProjectCollector::begin_step(std::span<const std::uint8_t> payload) {
  const auto step = decode_step_begin(payload);
  if (!step || in_step() || last_step_failed() || !artifacts_.empty() ||
      step->index != steps_.size() || step->index >= bounds_.steps) {
    return Step::kBroken;
  }
  steps_.emplace_back();
  step_began_ = now_();
  return Step::kMore;
}

FrameSink::Step ProjectCollector::output(FrameKind kind, std::span<const std::uint8_t> payload) {
  if (!in_step()) return Step::kBroken;
  std::string& stream =
      kind == FrameKind::kStdout ? steps_.back().stdout_bytes : steps_.back().stderr_bytes;
  if (payload.size() > bounds_.output_cap - stream.size()) return Step::kBroken;
  stream += text_of(payload);
  return Step::kMore;
}

FrameSink::Step ProjectCollector::end_step(std::span<const std::uint8_t> payload) {
  const auto step = decode_step_done(payload);
  if (!step || !in_step() || step->index + 1 != steps_.size()) return Step::kBroken;
  steps_.back().end = *step;
  steps_.back().done = true;
  steps_.back().duration =
      std::chrono::duration_cast<std::chrono::milliseconds>(now_() - step_began_);
  return Step::kMore;
}

FrameSink::Step ProjectCollector::begin_artifact(std::span<const std::uint8_t> payload) {
  const auto head = decode_artifact_head(payload);
  if (!head || steps_.empty() || in_step() || in_artifact() || head->index != artifacts_.size() ||
      head->index >= bounds_.artifacts || head->size > bounds_.artifact_bytes - artifact_bytes_) {
    return Step::kBroken;
  }
  artifact_bytes_ += head->size;
  head_ = *head;
  artifacts_.push_back({.state = head->state});
  const bool has_content =
      head->state == ArtifactState::kWhole || head->state == ArtifactState::kCut;
  if (head->size == 0 && has_content && head->sha256 != sha256("")) return Step::kBroken;
  return Step::kMore;
}

FrameSink::Step ProjectCollector::artifact_data(std::span<const std::uint8_t> payload) {
  if (!in_artifact() || payload.empty()) return Step::kBroken;
  std::string& content = artifacts_.back().content;
  if (payload.size() > head_.size - content.size()) return Step::kBroken;
  content += text_of(payload);
  if (content.size() == head_.size && sha256(content) != head_.sha256) return Step::kBroken;
  return Step::kMore;
}

FrameSink::Step ProjectCollector::end(std::span<const std::uint8_t> payload) {
  const auto done = decode_project_done(payload);
  if (!done || in_step() || in_artifact()) return Step::kBroken;
  bool sound = false;
  switch (done->end) {
    case ProjectEnd::kCompleted:
      sound = artifacts_.size() == bounds_.artifacts &&
              (steps_.size() == bounds_.steps || last_step_failed());
      break;
    case ProjectEnd::kSetupFailed:
      sound = steps_.empty();
      break;
    case ProjectEnd::kTimedOut:
      sound = artifacts_.empty();
      break;
  }
  done_ = *done;
  return sound ? Step::kEnd : Step::kBroken;
}

}  // namespace plimsoll::guest
