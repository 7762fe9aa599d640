#include "record/result_digest.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>

namespace plimsoll::record {
namespace {

TEST(ResultDigest, EverythingThatIsAnsweredIsInIt) {
  using Change = std::function<void(ProcessResult&)>;
  const std::vector<Change> changes = {
      [](ProcessResult&) {},
      [](ProcessResult& process) { process.exit_code = -1; },
      [](ProcessResult& process) { process.timed_out = true; },
      [](ProcessResult& process) { process.stdout_bytes = "a"; },
      [](ProcessResult& process) { process.stderr_bytes = "a"; },
      [](ProcessResult& process) { process.stdout_truncated = true; },
      [](ProcessResult& process) { process.stderr_truncated = true; },
  };
  std::set<std::string> digests;
  for (const Change& change : changes) {
    ProcessResult process;
    change(process);
    digests.insert(result_digest(JavaScriptResult{process}).hex());
    digests.insert(result_digest(CellResult{.process = process}).hex());
    digests.insert(result_digest(ProjectResult{.steps = {{.process = process}}}).hex());
  }
  EXPECT_EQ(digests.size(), 3 * changes.size());
}

TEST(ResultDigest, AdditionsOfOursAreNotInIt) {
  const std::string plain = result_digest(JavaScriptResult{}).hex();
  const ProcessResult process{
      .termination = {.cause = TerminationCause::kSignaled, .detail = "SIGSYS"}};
  EXPECT_EQ(result_digest(JavaScriptResult{process}).hex(), plain);

  ProjectResult project{.steps = {{.command = "a"}}, .artifacts = {{.path = "b"}}};
  const std::string before = result_digest(project).hex();
  project.steps[0].duration = std::chrono::milliseconds{7};
  project.steps[0].process.termination.cause = TerminationCause::kTimedOut;
  project.artifacts[0].truncated = true;
  EXPECT_EQ(result_digest(project).hex(), before);
}

}  // namespace
}  // namespace plimsoll::record
