// What a caller asks for, word for word as it came in: the input of validation and of the request's
// digest. Plain values; nothing here has been checked.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace plimsoll {

// The protocol number that this service speaks.
inline constexpr std::uint32_t kWireProtocol = 2;

// One JavaScript or TypeScript snippet.
struct JavaScriptRun {
  std::string code{};
  std::string grant_profile{};  // empty: no API may be called
};

// One file of a project or a cell.
struct ProjectFile {
  std::string path{};
  std::string content{};
};

// Files, and commands that run over them until one fails.
struct ProjectRun {
  std::vector<ProjectFile> files{};
  std::vector<std::string> steps{};
  std::vector<std::string> artifacts{};
  std::string grant_profile{};
};

// A prepared numeric model, evaluated for each row.
struct ModuleRun {
  std::string model{};
  std::vector<std::vector<double>> rows{};
  double end_time = 0;
  double step = 0;
};

// Code for the interpreter of a session.
struct CellRun {
  std::string language{};
  std::string code{};
  std::vector<ProjectFile> files{};
};

// The operation. std::monostate: the caller named none; check_asked_run() refuses it.
using RunPayload = std::variant<std::monostate, JavaScriptRun, ProjectRun, ModuleRun, CellRun>;

// Which software the run may execute on.
struct SoftwareRule {
  std::string mode{};  // "", "exact" or "approved"
  std::vector<std::string> identities{};
};

// Everything that the request's digest covers.
struct AskedRun {
  std::uint32_t protocol = kWireProtocol;
  std::string minimum_isolation{};  // a tier's name; empty is no floor
  std::int32_t timeout_ms = 0;      // 0: the default of the operation
  SoftwareRule software_rule{};
  RunPayload payload{};
};

}  // namespace plimsoll
