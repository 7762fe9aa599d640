#include "core/wire_validation.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>

#include "core/wire_limits.h"

namespace plimsoll {
namespace {

std::string mistakes_of(const AskedRun& asked) {
  const auto checked = check_asked_run(asked);
  if (checked) return "";
  EXPECT_EQ(checked.error().code, ErrorCode::kInvalidRequest);
  EXPECT_EQ(checked.error().not_dispatched, NotDispatchedReason::kRequest);
  return checked.error().message;
}

std::string mistakes_of(RunPayload payload) {
  return mistakes_of(AskedRun{.payload = std::move(payload)});
}

ProjectRun project(const std::function<void(ProjectRun&)>& change) {
  ProjectRun run{.files = {{.path = "a.js", .content = "1"}}, .steps = {"node a.js"}};
  change(run);
  return run;
}

std::vector<ProjectFile> files(std::size_t count, std::size_t content_bytes) {
  std::vector<ProjectFile> made;
  for (std::size_t i = 0; i < count; ++i) {
    made.push_back({.path = std::to_string(1000 + i), .content = std::string(content_bytes, 'x')});
  }
  return made;
}

TEST(WireValidation, Snippets) {
  struct Row {
    JavaScriptRun run;
    std::string_view mistakes;
  };
  const std::string widest_name(kMaxProfileNameBytes, 'a');
  for (const Row& row : {
           Row{{.code = "1"}, ""},
           Row{{.code = std::string(kMaxCodeBytes, ' '), .grant_profile = widest_name}, ""},
           Row{{.code = std::string("\0\xff", 2)}, ""},
           Row{{}, "code is empty; 1 to 1048576 bytes are accepted"},
           Row{{.code = std::string(kMaxCodeBytes + 1, ' ')},
               "code has 1048577 bytes; 1 to 1048576 are accepted"},
           Row{{.code = "1", .grant_profile = widest_name + "a"},
               "grant_profile is no name; 1 to 128 letters, digits, dots, underscores and dashes "
               "are "
               "accepted"},
           Row{{.code = "", .grant_profile = "a\n"},
               "code is empty; 1 to 1048576 bytes are accepted; "
               "grant_profile is no name; 1 to 128 letters, digits, dots, underscores and dashes "
               "are "
               "accepted"},
       }) {
    EXPECT_EQ(mistakes_of(row.run), row.mistakes);
  }
}

TEST(WireValidation, ProjectsAtTheirLimits) {
  // 4 bytes of path each; the last file fills the limit up.
  auto largest = files(kMaxProjectFiles, 0);
  largest.back().content = std::string(kMaxProjectBytes - kMaxProjectFiles * 4, 'x');
  const std::vector<std::string> steps(kMaxProjectSteps, std::string(kMaxStepBytes, 'x'));
  const std::vector<std::string> artifacts(kMaxArtifacts, std::string(kMaxPathBytes, 'x'));
  ProjectRun run{.files = largest, .steps = steps, .artifacts = artifacts, .grant_profile = "a"};
  EXPECT_EQ(mistakes_of(run), "");
  run.files.back().content += "x";
  EXPECT_EQ(mistakes_of(run),
            "files have 4194305 bytes, paths and contents together; at most 4194304 are accepted");
  EXPECT_EQ(mistakes_of(ProjectRun{.steps = {"true"}}), "");  // no files is in order
}

TEST(WireValidation, ProjectsWithOneMistake) {
  struct Row {
    std::function<void(ProjectRun&)> change;
    std::string_view mistakes;
  };
  for (const Row& row : {
           Row{[](ProjectRun& run) { run.files = files(kMaxProjectFiles + 1, 0); },
               "there are 201 files; at most 200 are accepted"},
           Row{[](ProjectRun& run) { run.files[0].path = "../a"; },
               "files[0].path has a component . or .."},
           Row{[](ProjectRun& run) { run.files.push_back({.path = "a.js"}); },
               "files[1].path is that of a file before it"},
           Row{[](ProjectRun& run) { run.files.push_back({.path = "a.js/b"}); },
               "files[1].path has another file for its folder"},
           Row{[](ProjectRun& run) { run.steps.clear(); },
               "there are no steps; at least 1 is needed"},
           Row{[](ProjectRun& run) { run.steps.assign(kMaxProjectSteps + 1, "x"); },
               "there are 17 steps; at most 16 are accepted"},
           Row{[](ProjectRun& run) { run.steps.emplace_back(); },
               "steps[1] has 0 bytes; 1 to 131071 are accepted"},
           Row{[](ProjectRun& run) { run.steps[0] = std::string(kMaxStepBytes + 1, 'x'); },
               "steps[0] has 131072 bytes; 1 to 131071 are accepted"},
           Row{[](ProjectRun& run) { run.steps[0] += '\0'; }, "steps[0] has a NUL in it"},
           Row{[](ProjectRun& run) { run.artifacts.assign(kMaxArtifacts + 1, "x"); },
               "there are 33 artifacts; at most 32 are accepted"},
           Row{[](ProjectRun& run) { run.artifacts = {"a", "/a"}; },
               "artifacts[1] is absolute; one relative to the project is needed"},
           Row{[](ProjectRun& run) { run.grant_profile = "a b"; },
               "grant_profile is no name; 1 to 128 letters, digits, dots, underscores and dashes "
               "are "
               "accepted"},
       }) {
    EXPECT_EQ(mistakes_of(project(row.change)), row.mistakes);
  }
}

TEST(WireValidation, SoftwareRules) {
  struct Row {
    SoftwareRule rule;
    std::string_view mistakes;
  };
  const std::string widest(kMaxSoftwareIdentityBytes, 'a');
  const std::vector<std::string> most(kMaxSoftwareIdentities, widest);
  for (const Row& row : {
           Row{{}, ""},
           Row{{.mode = "exact", .identities = {widest}}, ""},
           Row{{.mode = "approved", .identities = {"a"}}, ""},
           Row{{.mode = "approved", .identities = most}, ""},
           Row{{.mode = "exact"}, "software_rule.identities has 0 entries; exact takes 1"},
           Row{{.mode = "exact", .identities = {"a", "b"}},
               "software_rule.identities has 2 entries; exact takes 1"},
           Row{{.mode = "approved"},
               "software_rule.identities has 0 entries; approved takes 1 to 32"},
           Row{{.mode = "approved", .identities = std::vector<std::string>(33, "a")},
               "software_rule.identities has 33 entries; approved takes 1 to 32"},
           Row{{.mode = "approved", .identities = {"a", "", widest + "a"}},
               "software_rule.identities[1] has 0 bytes; 1 to 256 are accepted; "
               "software_rule.identities[2] has 257 bytes; 1 to 256 are accepted"},
           Row{{.mode = "Exact", .identities = {"a"}},
               "software_rule.mode is unknown; exact, approved and the empty one are accepted"},
           Row{{.identities = {"a"}},
               "software_rule.identities is given without a mode; exact or approved is needed"},
       }) {
    const AskedRun asked{.software_rule = row.rule, .payload = JavaScriptRun{.code = "1"}};
    EXPECT_EQ(mistakes_of(asked), row.mistakes);
  }
}

TEST(WireValidation, Floors) {
  for (const std::string_view floor : {"", "none", "process", "container", "kernel", "vm"}) {
    const AskedRun asked{.minimum_isolation = std::string(floor),
                         .payload = JavaScriptRun{.code = "1"}};
    EXPECT_EQ(mistakes_of(asked), "") << floor;
  }
  for (const std::string_view floor : {"unknown", "VM", "vm ", "gvisor"}) {
    const AskedRun asked{.minimum_isolation = std::string(floor),
                         .payload = JavaScriptRun{.code = "1"}};
    EXPECT_EQ(mistakes_of(asked),
              "minimum_isolation is unknown; none, process, container, kernel, vm are accepted");
  }
}

TEST(WireValidation, TheOtherKindsOfPayload) {
  EXPECT_EQ(mistakes_of(RunPayload{}),
            "there is no payload; javascript, project or module is needed");
  EXPECT_EQ(mistakes_of(ModuleRun{.model = "m"}), "");
  EXPECT_EQ(mistakes_of(ModuleRun{}), "model is empty");
  EXPECT_EQ(mistakes_of(CellRun{.language = "python", .code = "1"}),
            "a cell runs inside of a session only; javascript, project or module is needed");
}

TEST(WireValidation, EveryMistakeIsNamedAtOnce) {
  const AskedRun asked{.minimum_isolation = "strong",
                       .timeout_ms = -1,
                       .software_rule = {.mode = "any"},
                       .payload = ProjectRun{.files = {{.path = "/"}}, .artifacts = {""}}};
  EXPECT_EQ(mistakes_of(asked),
            "minimum_isolation is unknown; none, process, container, kernel, vm are accepted; "
            "timeout_ms is -1; 0 is the default, and a positive one is accepted; "
            "software_rule.mode is unknown; exact, approved and the empty one are accepted; "
            "files[0].path is absolute; one relative to the project is needed; "
            "there are no steps; at least 1 is needed; "
            "artifacts[0] is empty");
}

// What is wrong is named by its place: a hostile value must not come back in a log line.
TEST(WireValidation, NoValueOfTheCallersIsQuoted) {
  const std::string hostile = "\x1b[2J\nfake";
  const AskedRun asked{.minimum_isolation = hostile,
                       .software_rule = {.mode = hostile},
                       .payload = ProjectRun{.files = {{.path = hostile}},
                                             .steps = {hostile + '\0'},
                                             .artifacts = {hostile},
                                             .grant_profile = hostile}};
  const std::string message = mistakes_of(asked);
  EXPECT_FALSE(message.empty());
  EXPECT_EQ(message.find("fake"), std::string::npos);
  EXPECT_EQ(message.find('\n'), std::string::npos);
}

}  // namespace
}  // namespace plimsoll
