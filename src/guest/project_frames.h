// Frames of a project's run, on the guest channel (guest/frame.h): files are put down, commands run
// over them one after the other, and files that were asked for come back.
//
// The host sends one kProjectRun. The guest answers, in this order and no other:
//   for each step that begins: kStepBegin, any number of kStdout and kStderr, kStepDone;
//   unless a deadline passed, one kArtifact for each artifact that was asked for, in the order of
//   the request; behind one that has content, kArtifactData until its size is reached;
//   one kProjectDone.
// No step begins after one that failed. A project that could not be put down has no step and no
// artifact. kHostCall may come wherever a step runs.
//
// Everything that comes from a guest is hostile. The decoders below check each payload by itself;
// who reads them checks the order, the indices and the sums, computes the hash of each artifact
// again, and believes no number that it can count itself.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "guest/frame.h"

namespace plimsoll::guest {

// The bounds of a kProjectRun; those of core/wire_limits.h fit into them.
inline constexpr std::size_t kMaxProjectRunFiles = 200;
inline constexpr std::size_t kMaxProjectRunSteps = 16;
inline constexpr std::size_t kMaxProjectRunArtifacts = 32;
inline constexpr std::size_t kMaxProjectRunPath = 1024;
inline constexpr std::size_t kMaxProjectRunStep = std::size_t{128} << 10;
// Paths and contents of all files together.
inline constexpr std::size_t kMaxProjectRunBytes = std::size_t{4} << 20;
inline constexpr std::size_t kMaxArtifactBudget = std::size_t{8} << 20;

// What a guest is asked to do. The views are the caller's.
struct ProjectRunFile {
  std::string_view path{};
  std::string_view content{};
};
struct ProjectRunFrame {
  std::uint64_t timeout_us = 0;       // the whole run's deadline, from the receipt of the frame
  std::uint64_t step_timeout_us = 0;  // each step's; the whole run's holds as well
  std::uint64_t output_cap = 0;       // bytes kept of each stream of each step
  std::uint64_t flood_bytes = 0;      // bytes written by one step at which it is stopped
  std::uint64_t memory_bytes = 0;     // of the container, for the heap limit of Node's processes
  std::uint64_t artifact_bytes = 0;   // of all artifacts together; at most kMaxArtifactBudget
  std::string_view global{};          // the name of the API's client; empty: no API and no preamble
  std::string_view preamble{};        // at most kMaxPreambleBytes
  std::vector<ProjectRunFile> files{};
  std::vector<std::string_view> steps{};      // at least one, none empty
  std::vector<std::string_view> artifacts{};  // paths
};
inline constexpr std::size_t kProjectRunHeadBytes = 64;
inline constexpr std::size_t kMaxProjectRunPayload =
    kProjectRunHeadBytes + kMaxGlobalBytes + kMaxPreambleBytes + 8 * kMaxProjectRunFiles +
    kMaxProjectRunBytes + kMaxProjectRunSteps * (4 + kMaxProjectRunStep) +
    kMaxProjectRunArtifacts * (4 + kMaxProjectRunPath);
// The payload; nullopt: a part is beyond its bound.
[[nodiscard]] std::optional<std::string> encode(const ProjectRunFrame& run);
// nullopt: a part is beyond its bound, or the sizes do not add up. The views point into `payload`.
[[nodiscard]] std::optional<ProjectRunFrame> decode_project_run(
    std::span<const std::uint8_t> payload);

// Step `index`, counted from 0, begins.
struct StepBegin {
  std::uint32_t index = 0;
};
inline constexpr std::size_t kStepBeginBytes = 4;
[[nodiscard]] std::array<std::uint8_t, kStepBeginBytes> encode(const StepBegin& step) noexcept;
// nullopt: another size, or an index beyond kMaxProjectRunSteps.
[[nodiscard]] std::optional<StepBegin> decode_step_begin(
    std::span<const std::uint8_t> payload) noexcept;

// It ended, and nothing that it started runs any more. kEngineFault is not among the causes.
struct StepDone {
  std::uint32_t index = 0;
  DoneCause cause = DoneCause::kExited;
  bool stdout_truncated = false;
  bool stderr_truncated = false;
  std::uint8_t exit_code = 0;
  std::uint8_t signal = 0;  // 1 to 64 exactly when the cause is kSignaled
};
inline constexpr std::size_t kStepDoneBytes = 12;
[[nodiscard]] std::array<std::uint8_t, kStepDoneBytes> encode(const StepDone& step) noexcept;
// nullopt: another size, a field out of its range, a reserved byte that is not zero.
[[nodiscard]] std::optional<StepDone> decode_step_done(
    std::span<const std::uint8_t> payload) noexcept;

// What became of an artifact.
enum class ArtifactState : std::uint8_t {
  kWhole = 0,
  kCut = 1,         // exists; only its first `size` bytes fit into what was left of the budget
  kMissing = 2,     // no such file
  kRefused = 3,     // not a regular file, or a link stands in its path
  kUnreadable = 4,  // the guest's file system refused it
};
struct ArtifactHead {
  std::uint32_t index = 0;  // into ProjectRunFrame::artifacts
  ArtifactState state = ArtifactState::kWhole;
  std::uint32_t size = 0;  // bytes that follow as kArtifactData; 0 unless kWhole or kCut
  std::array<std::uint8_t, 32> sha256{};  // of these bytes; zeros when none can follow
};
inline constexpr std::size_t kArtifactHeadBytes = 44;
[[nodiscard]] std::array<std::uint8_t, kArtifactHeadBytes> encode(
    const ArtifactHead& artifact) noexcept;
// nullopt: another size, a field out of its range, a size or a hash where there is no content.
[[nodiscard]] std::optional<ArtifactHead> decode_artifact_head(
    std::span<const std::uint8_t> payload) noexcept;

// How the whole run ended. The numbers of the first two and of kTimedOut are the wire's.
enum class ProjectEnd : std::uint8_t {
  kCompleted = 1,    // every step ran, or one failed; the artifacts were looked for
  kSetupFailed = 2,  // `fault` says why; nothing of the caller's ran
  kTimedOut = 3,     // a deadline passed; no artifact was looked for
};
enum class SetupFault : std::uint8_t {
  kNone = 0,
  kRequest = 1,  // the frame itself is not in order
  kPath = 2,     // not canonical, or a name longer than 255 bytes
  kTwin = 3,     // another file's path but for case or Unicode's spelling, or also a folder
  kNoSpace = 4,  // the disk is full
  kCannotWrite = 5,
};
struct ProjectDone {
  ProjectEnd end = ProjectEnd::kCompleted;
  SetupFault fault = SetupFault::kNone;  // kNone exactly when the end is not kSetupFailed
  std::uint32_t file = 0;  // the file that could not be put down; 0 for kNone and kRequest
};
inline constexpr std::size_t kProjectDoneBytes = 8;
[[nodiscard]] std::array<std::uint8_t, kProjectDoneBytes> encode(const ProjectDone& done) noexcept;
// nullopt: another size, a field out of its range, a fault that does not belong to the end.
[[nodiscard]] std::optional<ProjectDone> decode_project_done(
    std::span<const std::uint8_t> payload) noexcept;

}  // namespace plimsoll::guest
