// What came of a run, in the form that goes to the caller and into the result's digest.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "plimsoll/outcome.h"

namespace plimsoll {

// What one process of the guest's did. Output is bytes, cut at the cap, with a flag.
struct ProcessResult {
  std::int32_t exit_code = 0;
  bool timed_out = false;
  std::string stdout_bytes{};
  std::string stderr_bytes{};
  bool stdout_truncated = false;
  bool stderr_truncated = false;
  Termination termination{};  // not in the digest
};

// Of a snippet.
struct JavaScriptResult {
  ProcessResult process{};
};

// Of one step of a project.
struct StepResult {
  std::string command{};
  ProcessResult process{};
  std::chrono::milliseconds duration{0};  // not in the digest
};

// How far a project or a module run got. The numbers are those of the wire contract.
enum class ProjectOutcome : std::uint8_t {
  kUnspecified = 0,
  kCompleted = 1,      // to its end, or to its first failing step
  kSetupFailed = 2,    // nothing of the caller's ran
  kTimedOut = 3,       // the deadline passed
  kProtocolError = 4,  // the guest stopped making sense; what ran is unknown
};

// One file that was brought back.
struct Artifact {
  std::string path{};
  std::string content{};
  bool truncated = false;  // not in the digest; ProjectResult::artifacts_truncated is
};

// Of a project.
struct ProjectResult {
  ProjectOutcome outcome = ProjectOutcome::kUnspecified;
  std::string outcome_detail{};
  bool artifacts_truncated = false;
  std::vector<StepResult> steps{};
  std::vector<Artifact> artifacts{};
};

// Of one row of a module run.
struct ModuleRowResult {
  std::int32_t status = 0;
  std::vector<double> outputs{};
};

// Of a module run.
struct ModuleResult {
  ProjectOutcome outcome = ProjectOutcome::kUnspecified;
  std::string outcome_detail{};
  std::int32_t width = 0;
  std::string stdout_bytes{};
  std::string stderr_bytes{};
  std::vector<ModuleRowResult> runs{};
};

// Of a cell.
struct CellResult {
  ProcessResult process{};
  bool interpreter_started = false;
  bool interpreter_ended = false;
};

// Of the operation that was asked for.
using RunResult = std::variant<JavaScriptResult, ProjectResult, ModuleResult, CellResult>;

}  // namespace plimsoll
