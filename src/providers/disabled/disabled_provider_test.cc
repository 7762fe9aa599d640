#include "providers/disabled/disabled_provider.h"

#include <gtest/gtest.h>

namespace plimsoll {
namespace {

void expect_disabled(const Error& error) {
  EXPECT_EQ(error.code, ErrorCode::kDisabled);
  EXPECT_EQ(error.not_dispatched, NotDispatchedReason::kUnsupported);
  EXPECT_NE(error.message.find("disabled"), std::string::npos);
}

TEST(DisabledProvider, EveryCallRefuses) {
  DisabledProvider provider;
  EXPECT_EQ(provider.id(), "disabled");
  ASSERT_FALSE(provider.ensure_ready());
  expect_disabled(provider.ensure_ready().error());
  ASSERT_FALSE(provider.current_evidence());
  expect_disabled(provider.current_evidence().error());

  // Even a run that somebody cleared with evidence of another boundary.
  const RunRequest request{.code = "1", .caller = {}};
  const auto cleared =
      clear_run(request, {.max_timeout = kMaxWasmTimeout}, {.tier = Isolation::kVm, .facts = {}});
  ASSERT_TRUE(cleared);
  const auto outcome = provider.run(*cleared, nullptr, {});
  ASSERT_FALSE(outcome);
  expect_disabled(outcome.error());
}

TEST(DisabledProvider, NoRequestClearsAgainstItsLimits) {
  const DisabledProvider provider;
  EXPECT_EQ(provider.limits().max_timeout, Millis{0});
  EXPECT_FALSE(clear_run({.code = "1", .timeout = Millis{1}, .caller = {}}, provider.limits(),
                         {.tier = Isolation::kVm, .facts = {}}));
}

}  // namespace
}  // namespace plimsoll
