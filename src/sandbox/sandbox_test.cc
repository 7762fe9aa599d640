#include "plimsoll/sandbox.h"

#include <gtest/gtest.h>

#include <type_traits>
#include <utility>

namespace plimsoll {
namespace {

static_assert(!std::is_copy_constructible_v<Sandbox>);
static_assert(std::is_nothrow_move_constructible_v<Sandbox>);
static_assert(std::is_nothrow_move_assignable_v<Sandbox>);

TEST(Sandbox, IsDisabledUnlessAProviderIsNamed) {
  auto sandbox = Sandbox::build({});
  ASSERT_TRUE(sandbox);
  const auto ready = sandbox->ensure_ready();
  ASSERT_FALSE(ready);
  EXPECT_EQ(ready.error().code, ErrorCode::kDisabled);
  const auto outcome = sandbox->run_javascript({.code = "1", .caller = {}});
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, ErrorCode::kDisabled);
  EXPECT_EQ(outcome.error().not_dispatched, NotDispatchedReason::kUnsupported);
}

TEST(Sandbox, BuildRefusesAWrongConfigurationWhole) {
  SandboxConfig config;
  config.provider = ProviderKind::kWasm;
  config.wasm.memory_mb = 1;
  config.wasm.output_cap_bytes = 0;
  const auto sandbox = Sandbox::build(config);
  ASSERT_FALSE(sandbox);
  EXPECT_EQ(sandbox.error().code, ErrorCode::kInvalidConfig);
  EXPECT_NE(sandbox.error().message.find("wasm.memory_mb"), std::string::npos);
  EXPECT_NE(sandbox.error().message.find("wasm.output_cap_bytes"), std::string::npos);
}

TEST(Sandbox, MovesWithItsProvider) {
  auto first = Sandbox::build({});
  ASSERT_TRUE(first);
  Sandbox second = std::move(*first);
  EXPECT_EQ(second.run_javascript({.code = "1", .caller = {}}).error().code, ErrorCode::kDisabled);
}

}  // namespace
}  // namespace plimsoll
