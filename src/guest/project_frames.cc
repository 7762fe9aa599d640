#include "guest/project_frames.h"

#include <algorithm>

#include "guest/little_endian.h"

namespace plimsoll::guest {

namespace {

constexpr std::uint8_t kLastSignal = 64;

template <std::size_t N>
std::string_view text_of(const std::array<std::uint8_t, N>& bytes) noexcept {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::array<std::uint8_t, 4> size_of(std::string_view bytes) noexcept {
  std::array<std::uint8_t, 4> size{};
  put(size.data(), static_cast<std::uint32_t>(bytes.size()));
  return size;
}

// Parts of a payload from the front, each only as long as its bound allows and as there is.
class Parts {
 public:
  explicit Parts(std::span<const std::uint8_t> payload) noexcept
      : left_(reinterpret_cast<const char*>(payload.data()), payload.size()) {}

  [[nodiscard]] std::optional<std::string_view> take(std::size_t size) noexcept {
    if (left_.size() < size) return std::nullopt;
    const std::string_view part = left_.substr(0, size);
    left_.remove_prefix(size);
    return part;
  }

  [[nodiscard]] std::optional<std::uint32_t> take_size() noexcept {
    const auto bytes = take(4);
    if (!bytes) return std::nullopt;
    return get<std::uint32_t>(reinterpret_cast<const std::uint8_t*>(bytes->data()));
  }

  // A text behind its size of 32 bits.
  [[nodiscard]] std::optional<std::string_view> take_text(std::size_t most) noexcept {
    const auto size = take_size();
    if (!size || *size > most) return std::nullopt;
    return take(*size);
  }

  [[nodiscard]] bool empty() const noexcept { return left_.empty(); }

 private:
  std::string_view left_;
};

// The bounds, whichever way the frame goes.
bool in_bounds(const ProjectRunFrame& run) noexcept {
  if (run.artifact_bytes > kMaxArtifactBudget || run.global.size() > kMaxGlobalBytes) return false;
  if (run.preamble.size() > kMaxPreambleBytes) return false;
  if (run.global.empty() && !run.preamble.empty()) return false;
  if (run.files.size() > kMaxProjectRunFiles) return false;
  if (run.steps.empty() || run.steps.size() > kMaxProjectRunSteps) return false;
  if (run.artifacts.size() > kMaxProjectRunArtifacts) return false;
  std::size_t bytes = 0;
  for (const ProjectRunFile& file : run.files) {
    if (file.path.size() > kMaxProjectRunPath) return false;
    if (file.content.size() > kMaxProjectRunBytes) return false;
    bytes += file.path.size() + file.content.size();
  }
  if (bytes > kMaxProjectRunBytes) return false;
  return std::ranges::all_of(run.steps,
                             [](std::string_view step) {
                               return !step.empty() && step.size() <= kMaxProjectRunStep;
                             }) &&
         std::ranges::all_of(run.artifacts, [](std::string_view path) {
           return path.size() <= kMaxProjectRunPath;
         });
}

bool take_texts(Parts& parts, std::size_t count, std::size_t most,
                std::vector<std::string_view>& texts) {
  texts.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto text = parts.take_text(most);
    if (!text) return false;
    texts.push_back(*text);
  }
  return true;
}

bool take_files(Parts& parts, std::size_t count, std::vector<ProjectRunFile>& files) {
  files.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto path = parts.take_text(kMaxProjectRunPath);
    if (!path) return false;
    const auto content = parts.take_text(kMaxProjectRunBytes);
    if (!content) return false;
    files.push_back({.path = *path, .content = *content});
  }
  return true;
}

bool all_zero(std::span<const std::uint8_t> bytes) noexcept {
  return std::ranges::all_of(bytes, [](std::uint8_t byte) { return byte == 0; });
}

}  // namespace

std::optional<std::string> encode(const ProjectRunFrame& run) {
  if (!in_bounds(run)) return std::nullopt;
  std::array<std::uint8_t, kProjectRunHeadBytes> head{};
  put(head.data(), run.timeout_us);
  put(head.data() + 8, run.step_timeout_us);
  put(head.data() + 16, run.output_cap);
  put(head.data() + 24, run.flood_bytes);
  put(head.data() + 32, run.memory_bytes);
  put(head.data() + 40, run.artifact_bytes);
  put(head.data() + 48, static_cast<std::uint32_t>(run.global.size()));
  put(head.data() + 52, static_cast<std::uint32_t>(run.preamble.size()));
  put(head.data() + 56, static_cast<std::uint16_t>(run.files.size()));
  put(head.data() + 58, static_cast<std::uint16_t>(run.steps.size()));
  put(head.data() + 60, static_cast<std::uint16_t>(run.artifacts.size()));
  std::string payload;
  payload += text_of(head);
  payload += run.global;
  payload += run.preamble;
  const auto add = [&payload](std::string_view text) {
    payload += text_of(size_of(text));
    payload += text;
  };
  for (const ProjectRunFile& file : run.files) {
    add(file.path);
    add(file.content);
  }
  for (const std::string_view step : run.steps) add(step);
  for (const std::string_view path : run.artifacts) add(path);
  return payload;
}

std::optional<ProjectRunFrame> decode_project_run(std::span<const std::uint8_t> payload) {
  if (payload.size() < kProjectRunHeadBytes || payload.size() > kMaxProjectRunPayload) {
    return std::nullopt;
  }
  const std::uint8_t* head = payload.data();
  const auto global = get<std::uint32_t>(head + 48);
  const auto preamble = get<std::uint32_t>(head + 52);
  const auto files = get<std::uint16_t>(head + 56);
  const auto steps = get<std::uint16_t>(head + 58);
  const auto artifacts = get<std::uint16_t>(head + 60);
  if (files > kMaxProjectRunFiles || steps > kMaxProjectRunSteps ||
      artifacts > kMaxProjectRunArtifacts || get<std::uint16_t>(head + 62) != 0) {
    return std::nullopt;
  }
  ProjectRunFrame run{.timeout_us = get<std::uint64_t>(head),
                      .step_timeout_us = get<std::uint64_t>(head + 8),
                      .output_cap = get<std::uint64_t>(head + 16),
                      .flood_bytes = get<std::uint64_t>(head + 24),
                      .memory_bytes = get<std::uint64_t>(head + 32),
                      .artifact_bytes = get<std::uint64_t>(head + 40)};
  Parts parts(payload.subspan(kProjectRunHeadBytes));
  const auto global_text = parts.take(global);
  const auto preamble_text = global_text ? parts.take(preamble) : std::nullopt;
  if (!preamble_text) return std::nullopt;
  run.global = *global_text;
  run.preamble = *preamble_text;
  const bool whole = take_files(parts, files, run.files) &&
                     take_texts(parts, steps, kMaxProjectRunStep, run.steps) &&
                     take_texts(parts, artifacts, kMaxProjectRunPath, run.artifacts) &&
                     parts.empty();
  if (!whole || !in_bounds(run)) return std::nullopt;
  return run;
}

std::array<std::uint8_t, kStepBeginBytes> encode(const StepBegin& step) noexcept {
  std::array<std::uint8_t, kStepBeginBytes> bytes{};
  put(bytes.data(), step.index);
  return bytes;
}

std::optional<StepBegin> decode_step_begin(std::span<const std::uint8_t> payload) noexcept {
  if (payload.size() != kStepBeginBytes) return std::nullopt;
  const StepBegin step{.index = get<std::uint32_t>(payload.data())};
  if (step.index >= kMaxProjectRunSteps) return std::nullopt;
  return step;
}

std::array<std::uint8_t, kStepDoneBytes> encode(const StepDone& step) noexcept {
  std::array<std::uint8_t, kStepDoneBytes> bytes{};
  put(bytes.data(), step.index);
  bytes[4] = static_cast<std::uint8_t>(step.cause);
  bytes[5] = step.stdout_truncated ? 1 : 0;
  bytes[6] = step.stderr_truncated ? 1 : 0;
  bytes[7] = step.exit_code;
  bytes[8] = step.signal;
  return bytes;
}

std::optional<StepDone> decode_step_done(std::span<const std::uint8_t> payload) noexcept {
  if (payload.size() != kStepDoneBytes) return std::nullopt;
  if (payload[4] > static_cast<std::uint8_t>(DoneCause::kSignaled)) return std::nullopt;
  const StepDone step{.index = get<std::uint32_t>(payload.data()),
                      .cause = static_cast<DoneCause>(payload[4]),
                      .stdout_truncated = payload[5] == 1,
                      .stderr_truncated = payload[6] == 1,
                      .exit_code = payload[7],
                      .signal = payload[8]};
  if (step.index >= kMaxProjectRunSteps || step.cause == DoneCause::kEngineFault) {
    return std::nullopt;
  }
  if (payload[5] > 1 || payload[6] > 1 || !all_zero(payload.subspan(9))) return std::nullopt;
  if (step.signal > kLastSignal) return std::nullopt;
  if ((step.cause == DoneCause::kSignaled) != (step.signal != 0)) return std::nullopt;
  return step;
}

std::array<std::uint8_t, kArtifactHeadBytes> encode(const ArtifactHead& artifact) noexcept {
  std::array<std::uint8_t, kArtifactHeadBytes> bytes{};
  put(bytes.data(), artifact.index);
  bytes[4] = static_cast<std::uint8_t>(artifact.state);
  put(bytes.data() + 8, artifact.size);
  std::ranges::copy(artifact.sha256, bytes.begin() + 12);
  return bytes;
}

std::optional<ArtifactHead> decode_artifact_head(std::span<const std::uint8_t> payload) noexcept {
  if (payload.size() != kArtifactHeadBytes || !all_zero(payload.subspan(5, 3))) {
    return std::nullopt;
  }
  if (payload[4] > static_cast<std::uint8_t>(ArtifactState::kUnreadable)) return std::nullopt;
  ArtifactHead artifact{.index = get<std::uint32_t>(payload.data()),
                        .state = static_cast<ArtifactState>(payload[4]),
                        .size = get<std::uint32_t>(payload.data() + 8)};
  std::ranges::copy(payload.subspan(12), artifact.sha256.begin());
  if (artifact.index >= kMaxProjectRunArtifacts || artifact.size > kMaxArtifactBudget) {
    return std::nullopt;
  }
  const bool has_content =
      artifact.state == ArtifactState::kWhole || artifact.state == ArtifactState::kCut;
  if (!has_content && (artifact.size != 0 || !all_zero(artifact.sha256))) return std::nullopt;
  return artifact;
}

std::array<std::uint8_t, kProjectDoneBytes> encode(const ProjectDone& done) noexcept {
  std::array<std::uint8_t, kProjectDoneBytes> bytes{};
  bytes[0] = static_cast<std::uint8_t>(done.end);
  bytes[1] = static_cast<std::uint8_t>(done.fault);
  put(bytes.data() + 4, done.file);
  return bytes;
}

std::optional<ProjectDone> decode_project_done(std::span<const std::uint8_t> payload) noexcept {
  if (payload.size() != kProjectDoneBytes || payload[2] != 0 || payload[3] != 0) {
    return std::nullopt;
  }
  if (payload[0] < static_cast<std::uint8_t>(ProjectEnd::kCompleted) ||
      payload[0] > static_cast<std::uint8_t>(ProjectEnd::kTimedOut) ||
      payload[1] > static_cast<std::uint8_t>(SetupFault::kCannotWrite)) {
    return std::nullopt;
  }
  const ProjectDone done{.end = static_cast<ProjectEnd>(payload[0]),
                         .fault = static_cast<SetupFault>(payload[1]),
                         .file = get<std::uint32_t>(payload.data() + 4)};
  if ((done.end == ProjectEnd::kSetupFailed) == (done.fault == SetupFault::kNone)) {
    return std::nullopt;
  }
  const bool names_file = done.fault != SetupFault::kNone && done.fault != SetupFault::kRequest;
  if (done.file >= kMaxProjectRunFiles || (!names_file && done.file != 0)) return std::nullopt;
  return done;
}

}  // namespace plimsoll::guest
