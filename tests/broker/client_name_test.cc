// A grant's client takes nothing away from the guest: asked of the guest itself.
#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "broker/js_name.h"
#include "plimsoll/sandbox.h"

namespace plimsoll {
namespace {

TEST(ClientName, NoNameThatTheGuestHasByItselfIsAccepted) {
  auto sandbox = Sandbox::build({.provider = ProviderKind::kWasm, .wasm = {.pool = 1}});
  ASSERT_TRUE(sandbox) << sandbox.error().message;
  const auto ready = sandbox->ensure_ready();
  ASSERT_TRUE(ready) << ready.error().message;
  const auto outcome = sandbox->run_javascript(
      {.code = "for (let o = globalThis; o; o = Object.getPrototypeOf(o))"
               "  for (const name of Object.getOwnPropertyNames(o)) console.log(name);"});
  ASSERT_TRUE(outcome) << outcome.error().message;
  std::istringstream lines(outcome->stdout_bytes);
  std::string name;
  std::size_t count = 0;
  while (std::getline(lines, name)) {
    EXPECT_FALSE(is_client_name(name)) << name;
    ++count;
  }
  EXPECT_GT(count, 90U);
  EXPECT_TRUE(is_client_name("host"));
}

}  // namespace
}  // namespace plimsoll
