#include "record/request_digest.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>

namespace plimsoll::record {
namespace {

// The one digest that the contract itself states.
TEST(RequestDigest, TheKnownAnswer) {
  const AskedRun asked{.protocol = 1,
                       .minimum_isolation = "container",
                       .timeout_ms = 5000,
                       .payload = JavaScriptRun{.code = "console.log(1+1)"}};
  EXPECT_EQ(request_digest_v1(asked).hex(),
            "585a1b46c55ebacc1dfdd4336e302328c32ed3e2e7e8a8b460d252d0454be8fc");
}

TEST(RequestDigest, EverythingThatIsAskedIsInIt) {
  using Change = std::function<void(AskedRun&)>;
  const auto project = [](auto change) {
    return [change](AskedRun& asked) {
      asked.payload = ProjectRun{.files = {{.path = "a", .content = "b"}}, .steps = {"c"}};
      change(std::get<ProjectRun>(asked.payload));
    };
  };
  const std::vector<Change> changes = {
      [](AskedRun&) {},
      [](AskedRun& asked) { asked.protocol = 3; },
      [](AskedRun& asked) { asked.minimum_isolation = "none"; },
      [](AskedRun& asked) { asked.timeout_ms = 1; },
      [](AskedRun& asked) { asked.software_rule = {.mode = "exact", .identities = {"a"}}; },
      [](AskedRun& asked) { asked.software_rule = {.mode = "approved", .identities = {"a"}}; },
      [](AskedRun& asked) { asked.software_rule = {.mode = "approved", .identities = {"a", "a"}}; },
      [](AskedRun& asked) { asked.payload = JavaScriptRun{.code = "2"}; },
      [](AskedRun& asked) { asked.payload = JavaScriptRun{.code = "1", .grant_profile = "p"}; },
      [](AskedRun& asked) { asked.payload = CellRun{.code = "1"}; },
      [](AskedRun& asked) { asked.payload = ModuleRun{.model = "1"}; },
      [](AskedRun& asked) { asked.payload = ModuleRun{.model = "1", .end_time = -0.0}; },
      [](AskedRun& asked) { asked.payload = ModuleRun{.model = "1", .step = 1}; },
      [](AskedRun& asked) { asked.payload = ModuleRun{.model = "1", .rows = {{}}}; },
      project([](ProjectRun&) {}),
      project([](ProjectRun& run) { run.files[0] = {.path = "ab"}; }),
      project([](ProjectRun& run) { run.files.clear(); }),
      project([](ProjectRun& run) { run.steps = {"c", ""}; }),
      project([](ProjectRun& run) { run.artifacts = {"c"}; }),
      project([](ProjectRun& run) { run.grant_profile = "c"; }),
  };
  std::set<std::string> digests;
  for (const Change& change : changes) {
    AskedRun asked{.payload = JavaScriptRun{.code = "1"}};
    change(asked);
    digests.insert(request_digest(asked).hex());
    digests.insert(request_digest_v1(asked).hex());
  }
  // The three software rules have one version 1 form with the request that has none.
  EXPECT_EQ(digests.size(), 2 * changes.size() - 3);
}

}  // namespace
}  // namespace plimsoll::record
