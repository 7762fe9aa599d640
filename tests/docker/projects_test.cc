// Projects: files, steps until one fails, artifacts.
#include <gtest/gtest.h>

#include <string>

#include "engine_fixture.h"

namespace plimsoll::docker {
namespace {

class Projects : public EngineFixture {
 protected:
  [[nodiscard]] static DockerConfig with_projects() {
    DockerConfig with = config();
    with.project_image = kProjectImage;
    with.memory_mb = 512;
    return with;
  }
};

INSTANTIATE_TEST_SUITE_P(Runtimes, Projects, ::testing::Values("runc", "runsc"), runtime_name);

TEST_P(Projects, RunUntilAStepFailsAndBringArtifactsBack) {
  const auto provider = ready(with_projects());
  EXPECT_TRUE(provider->info().runs_projects);
  EXPECT_TRUE(provider->info().project_environment.starts_with("docker-image:sha256:"));
  const auto answer = run_project(
      *provider, {.files = {{.path = "src/main.ts",
                             .content = "import fs from 'node:fs'; const n: number = 42;"
                                        "fs.writeFileSync('out.txt', `${n}\\n`); console.log(n);"}},
                  .steps = {"node src/main.ts", "echo to-stderr >&2; exit 3", "echo never"},
                  .artifacts = {"out.txt", "missing.txt", "src/main.ts"}});
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->evidence.tier, tier());
  const ProjectResult& result = answer->result;
  EXPECT_EQ(result.outcome, ProjectOutcome::kCompleted) << result.outcome_detail;
  ASSERT_EQ(result.steps.size(), 2U);
  EXPECT_EQ(result.steps[0].process.stdout_bytes, "42\n") << result.steps[0].process.stderr_bytes;
  EXPECT_EQ(result.steps[0].process.exit_code, 0);
  EXPECT_EQ(result.steps[1].process.exit_code, 3);
  EXPECT_EQ(result.steps[1].process.stderr_bytes, "to-stderr\n");
  ASSERT_EQ(result.artifacts.size(), 2U);
  EXPECT_EQ(result.artifacts[0].path, "out.txt");
  EXPECT_EQ(result.artifacts[0].content, "42\n");
  EXPECT_EQ(result.artifacts[1].path, "src/main.ts");
}

TEST_P(Projects, NothingSurvivesItsStep) {
  const auto provider = ready(with_projects());
  const auto answer = run_project(
      *provider,
      {.files = {{.path = "a", .content = ""}},
       .steps = {// It ends when its appender is known to append.
                 "(while :; do echo x >> grows; done) & (sleep 600 &); (setsid sleep 600 &);"
                 "while [ ! -s grows ]; do :; done; echo ok",
                 "wc -c < grows > one; sleep 0.3; wc -c < grows > two; cmp one two && echo still",
                 "for p in /proc/[0-9]*; do cat $p/comm 2>/dev/null; done | grep -c sleep; true"}});
  ASSERT_TRUE(answer) << answer.error().message;
  const auto& steps = answer->result.steps;
  ASSERT_EQ(steps.size(), 3U) << (steps.empty() ? "" : steps.back().process.stderr_bytes);
  EXPECT_EQ(steps[0].process.stdout_bytes, "ok\n");
  EXPECT_EQ(steps[1].process.stdout_bytes, "still\n") << steps[1].process.stderr_bytes;
  EXPECT_EQ(steps[2].process.stdout_bytes, "0\n");
}

TEST_P(Projects, AnArtifactThatIsALinkIsNotBroughtBack) {
  const auto provider = ready(with_projects());
  const auto answer = run_project(
      *provider, {.files = {{.path = "a", .content = "mine"}},
                  .steps = {"ln -s /etc/passwd leak; mkdir d; ln -s /etc d/link; ln a hard; true"},
                  .artifacts = {"leak", "d/link/passwd", "d", "a"}});
  ASSERT_TRUE(answer) << answer.error().message;
  for (const Artifact& artifact : answer->result.artifacts) {
    EXPECT_EQ(artifact.content, "mine") << artifact.path;
  }
}

TEST_P(Projects, PathsThatLeaveTheProjectAreRefused) {
  const auto provider = ready(with_projects());
  for (const std::string& path :
       {std::string("a/../../x"), std::string("/x"), std::string("a\0b", 3), std::string("..")}) {
    const auto answer =
        run_project(*provider, {.files = {{.path = path, .content = ""}}, .steps = {"true"}});
    ASSERT_FALSE(answer) << path;
    EXPECT_EQ(answer.error().not_dispatched, NotDispatchedReason::kRequest);
  }
  const auto long_name = run_project(
      *provider, {.files = {{.path = std::string(300, 'n'), .content = ""}}, .steps = {"true"}});
  EXPECT_TRUE(!long_name || long_name->result.outcome == ProjectOutcome::kSetupFailed);
  const auto option = run_project(
      *provider, {.files = {{.path = "--help.js", .content = "x"}}, .steps = {"cat ./--help.js"}});
  ASSERT_TRUE(option) << option.error().message;
  EXPECT_EQ(option->result.steps.at(0).process.stdout_bytes, "x");
}

TEST_P(Projects, ADeadlineIsAResult) {
  const auto provider = ready(with_projects());
  const auto answer = run_project(*provider,
                                  {.files = {{.path = "a", .content = ""}},
                                   .steps = {"echo first", "sleep 60", "echo never"},
                                   .artifacts = {"a"}},
                                  Millis{15'000});
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->result.outcome, ProjectOutcome::kTimedOut);
  ASSERT_EQ(answer->result.steps.size(), 2U);
  EXPECT_TRUE(answer->result.steps[1].process.timed_out);
  EXPECT_TRUE(answer->result.artifacts.empty());
}

TEST_P(Projects, ADiskThatIsFullIsAFailedSetup) {
  DockerConfig small = with_projects();
  small.disk_mb = 8;
  const auto provider = ready(small);
  const auto full = run_project(*provider, {.files = {{.path = "a", .content = "x"}},
                                            .steps = {"dd if=/dev/zero of=big bs=1M count=32"}});
  ASSERT_TRUE(full) << full.error().message;
  EXPECT_NE(full->result.steps.at(0).process.exit_code, 0);
}

}  // namespace
}  // namespace plimsoll::docker
