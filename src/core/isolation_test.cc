#include "plimsoll/isolation.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace plimsoll {
namespace {

constexpr std::array kAll = {Isolation::kUnknown,   Isolation::kNone,   Isolation::kProcess,
                             Isolation::kContainer, Isolation::kKernel, Isolation::kVm};

TEST(Isolation, EveryPairOfTierAndFloor) {
  // Row: the actual tier; column: the floor; in the order of kAll. '1' means that it meets it.
  constexpr std::array<std::string_view, 6> kMeets = {"000000",   // unknown
                                                      "010000",   // none
                                                      "011000",   // process
                                                      "011100",   // container
                                                      "011110",   // kernel
                                                      "011111"};  // vm
  for (std::size_t actual = 0; actual < kAll.size(); ++actual) {
    for (std::size_t floor = 0; floor < kAll.size(); ++floor) {
      EXPECT_EQ(meets(kAll[actual], kAll[floor]), kMeets[actual][floor] == '1')
          << to_string(kAll[actual]) << " against a floor of " << to_string(kAll[floor]);
    }
  }
}

TEST(Isolation, NamesRoundTripButForUnknown) {
  for (const Isolation tier : kAll) {
    const auto parsed = parse_isolation(to_string(tier));
    if (tier == Isolation::kUnknown) {
      EXPECT_FALSE(parsed.has_value());
    } else {
      ASSERT_TRUE(parsed.has_value()) << to_string(tier);
      EXPECT_EQ(*parsed, tier);
    }
  }
}

TEST(Isolation, ParsingIsExact) {
  const std::array<std::string, 9> refused = {
      "", "unknown", "VM", " vm", "vm ", "v", "vmm", "Process", std::string("vm\0", 3)};
  for (const auto& text : refused) {
    EXPECT_FALSE(parse_isolation(text).has_value()) << '"' << text << '"';
  }
}

TEST(Isolation, AValueOutsideTheEnumerationIsUnknown) {
  EXPECT_EQ(to_string(static_cast<Isolation>(200)), "unknown");
}

}  // namespace
}  // namespace plimsoll
