#include "core/wire_validation.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "core/project_path.h"
#include "core/wire_limits.h"
#include "core/wire_names.h"
#include "plimsoll/isolation.h"

namespace plimsoll {
namespace {

void check_code(const std::string& code, Mistakes& mistakes) {
  if (code.empty()) {
    mistakes.add(fmt::format("code is empty; 1 to {} bytes are accepted", kMaxCodeBytes));
  } else if (code.size() > kMaxCodeBytes) {
    mistakes.add(
        fmt::format("code has {} bytes; 1 to {} are accepted", code.size(), kMaxCodeBytes));
  }
}

void check_grant_profile(const std::string& name, Mistakes& mistakes) {
  if (name.empty() || WireName::parse(name)) return;
  mistakes.add(
      fmt::format("grant_profile is no name; 1 to {} letters, digits, dots, underscores and dashes "
                  "are accepted",
                  kMaxProfileNameBytes));
}

void check_count(std::string_view what, std::size_t count, std::size_t max, Mistakes& mistakes) {
  if (count <= max) return;
  mistakes.add(fmt::format("there are {} {}; at most {} are accepted", count, what, max));
}

void check_path(std::string_view list, std::size_t index, const std::string& path,
                Mistakes& mistakes) {
  const auto flaw = flaw_of_path(path);
  if (flaw) mistakes.add(fmt::format("{}[{}].path {}", list, index, *flaw));
}

void check_files(const std::vector<ProjectFile>& files, Mistakes& mistakes) {
  check_count("files", files.size(), kMaxProjectFiles, mistakes);
  std::size_t bytes = 0;  // cannot overflow: all of it is in memory
  for (const ProjectFile& file : files) bytes += file.path.size() + file.content.size();
  if (bytes > kMaxProjectBytes) {
    mistakes.add(
        fmt::format("files have {} bytes, paths and contents together; at most {} are "
                    "accepted",
                    bytes, kMaxProjectBytes));
  }
  // One answer has room for a few hundred sentences, not for a million.
  if (files.size() > kMaxProjectFiles) return;
  std::set<std::string_view> paths;
  for (std::size_t i = 0; i < files.size(); ++i) {
    check_path("files", i, files[i].path, mistakes);
    if (!paths.insert(files[i].path).second) {
      mistakes.add(fmt::format("files[{}].path is that of a file before it", i));
    }
  }
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (has_parent_in(files[i].path, paths)) {
      mistakes.add(fmt::format("files[{}].path has another file for its folder", i));
    }
  }
}

void check_steps(const std::vector<std::string>& steps, Mistakes& mistakes) {
  if (steps.empty()) mistakes.add("there are no steps; at least 1 is needed");
  check_count("steps", steps.size(), kMaxProjectSteps, mistakes);
  for (std::size_t i = 0; i < std::min(steps.size(), kMaxProjectSteps); ++i) {
    if (steps[i].empty() || steps[i].size() > kMaxStepBytes) {
      mistakes.add(fmt::format("steps[{}] has {} bytes; 1 to {} are accepted", i, steps[i].size(),
                               kMaxStepBytes));
    }
    if (steps[i].find('\0') != std::string::npos) {
      mistakes.add(fmt::format("steps[{}] has a NUL in it", i));
    }
  }
}

void check_artifacts(const std::vector<std::string>& artifacts, Mistakes& mistakes) {
  check_count("artifacts", artifacts.size(), kMaxArtifacts, mistakes);
  for (std::size_t i = 0; i < std::min(artifacts.size(), kMaxArtifacts); ++i) {
    const auto flaw = flaw_of_path(artifacts[i]);
    if (flaw) mistakes.add(fmt::format("artifacts[{}] {}", i, *flaw));
  }
}

void check_identities(const SoftwareRule& rule, std::size_t max, Mistakes& mistakes) {
  const std::size_t count = rule.identities.size();
  if (count < 1 || count > max) {
    mistakes.add(fmt::format("software_rule.identities has {} entries; {} takes {}", count,
                             rule.mode, max == 1 ? "1" : fmt::format("1 to {}", max)));
  }
  for (std::size_t i = 0; i < std::min(count, kMaxSoftwareIdentities); ++i) {
    const std::size_t size = rule.identities[i].size();
    if (size >= 1 && size <= kMaxSoftwareIdentityBytes) continue;
    mistakes.add(fmt::format("software_rule.identities[{}] has {} bytes; 1 to {} are accepted", i,
                             size, kMaxSoftwareIdentityBytes));
  }
}

// A payload's kind decides who checks it.
struct PayloadCheck {
  Mistakes& mistakes;

  void operator()(const std::monostate&) const {
    mistakes.add("there is no payload; javascript, project or module is needed");
  }
  void operator()(const JavaScriptRun& run) const { check_javascript_run(run, mistakes); }
  void operator()(const ProjectRun& run) const { check_project_run(run, mistakes); }
  void operator()(const ModuleRun& run) const {
    if (run.model.empty()) mistakes.add("model is empty");
  }
  void operator()(const CellRun&) const {
    mistakes.add("a cell runs inside of a session only; javascript, project or module is needed");
  }
};

}  // namespace

void check_javascript_run(const JavaScriptRun& run, Mistakes& mistakes) {
  check_code(run.code, mistakes);
  check_grant_profile(run.grant_profile, mistakes);
}

void check_project_run(const ProjectRun& run, Mistakes& mistakes) {
  check_files(run.files, mistakes);
  check_steps(run.steps, mistakes);
  check_artifacts(run.artifacts, mistakes);
  check_grant_profile(run.grant_profile, mistakes);
}

void check_software_rule(const SoftwareRule& rule, Mistakes& mistakes) {
  if (rule.mode == "exact") {
    check_identities(rule, 1, mistakes);
  } else if (rule.mode == "approved") {
    check_identities(rule, kMaxSoftwareIdentities, mistakes);
  } else if (!rule.mode.empty()) {
    mistakes.add("software_rule.mode is unknown; exact, approved and the empty one are accepted");
  } else if (!rule.identities.empty()) {
    // Who lists identities means them; to ignore the list would run on software that is not on it.
    mistakes.add("software_rule.identities is given without a mode; exact or approved is needed");
  }
}

Result<void> check_asked_run(const AskedRun& asked) {
  Mistakes mistakes;
  if (!asked.minimum_isolation.empty() && !parse_isolation(asked.minimum_isolation)) {
    mistakes.add("minimum_isolation is unknown; none, process, container, kernel, vm are accepted");
  }
  if (asked.timeout_ms < 0) {
    mistakes.add(fmt::format("timeout_ms is {}; 0 is the default, and a positive one is accepted",
                             asked.timeout_ms));
  }
  check_software_rule(asked.software_rule, mistakes);
  std::visit(PayloadCheck{mistakes}, asked.payload);
  if (mistakes.none()) return {};
  return std::unexpected(
      mistakes.to_error(ErrorCode::kInvalidRequest, NotDispatchedReason::kRequest));
}

}  // namespace plimsoll
