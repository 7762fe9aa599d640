// Attacks and accidents that broke other sandboxes, each a test named after what must hold. The
// suite knows no provider: it runs against each row of tests/contract/providers_under_test.h.
#pragma once

#include <string>

#include "../contract/provider_fixture.h"

namespace plimsoll::contract {

class HostileSuite : public ProviderFixture {
 protected:
  // After every attack the same sandbox still answers.
  static void expect_alive(Sandbox& sandbox) { expect_prints(sandbox, "console.log(6*7)", "42\n"); }

  // Code that asks for more than there is: it may run out of time or of memory, or meet an error of
  // its own; it must not take the engine down, nor hold the caller past the deadline.
  static void expect_contained(Sandbox& sandbox, const std::string& code, Millis timeout);
};

}  // namespace plimsoll::contract
