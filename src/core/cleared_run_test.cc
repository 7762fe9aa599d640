#include "core/cleared_run.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace plimsoll {
namespace {

constexpr ProviderLimits kLimits{.max_timeout = kMaxWasmTimeout};

IsolationEvidence evidence_of(Isolation tier) { return {.tier = tier, .facts = {}}; }

RunRequest request_of(std::string code, Isolation floor = Isolation::kNone) {
  return {.code = std::move(code), .minimum_isolation = floor, .caller = {}};
}

Result<ClearedRun> clear(const RunRequest& request, Isolation actual = Isolation::kProcess,
                         const ProviderLimits& limits = kLimits) {
  return clear_run(request, limits, evidence_of(actual));
}

// Nothing but clear_run() makes one.
static_assert(!std::is_default_constructible_v<ClearedRun>);
static_assert(!std::is_constructible_v<ClearedRun, const RunRequest&, Millis, Isolation>);

TEST(ClearedRun, EveryPairOfTierAndFloor) {
  constexpr std::array kAll = {Isolation::kUnknown,   Isolation::kNone,   Isolation::kProcess,
                               Isolation::kContainer, Isolation::kKernel, Isolation::kVm};
  for (const Isolation actual : kAll) {
    for (const Isolation floor : kAll) {
      const RunRequest request = request_of("1", floor);
      const auto cleared = clear(request, actual);
      const std::string pair =
          std::string(to_string(actual)) + " against a floor of " + std::string(to_string(floor));
      if (floor == Isolation::kUnknown) {
        ASSERT_FALSE(cleared) << pair;
        EXPECT_EQ(cleared.error().code, ErrorCode::kInvalidRequest) << pair;
        EXPECT_EQ(cleared.error().not_dispatched, NotDispatchedReason::kRequest) << pair;
      } else if (actual != Isolation::kUnknown && actual >= floor) {
        ASSERT_TRUE(cleared) << pair;
        EXPECT_EQ(cleared->floor(), floor) << pair;
        EXPECT_EQ(&cleared->request(), &request) << pair;
      } else {
        ASSERT_FALSE(cleared) << pair;
        EXPECT_EQ(cleared.error().code, ErrorCode::kIsolation) << pair;
        EXPECT_EQ(cleared.error().not_dispatched, NotDispatchedReason::kIsolation) << pair;
        EXPECT_NE(cleared.error().message.find(to_string(actual)), std::string::npos) << pair;
        EXPECT_NE(cleared.error().message.find(to_string(floor)), std::string::npos) << pair;
      }
      EXPECT_EQ(check_floor(floor, evidence_of(actual)).has_value(), meets(actual, floor)) << pair;
    }
  }
}

TEST(ClearedRun, NoValueOutsideTheEnumerationIsAFloorOrATier) {
  const auto forged = static_cast<Isolation>(200);
  const auto as_floor = clear(request_of("1", forged), forged);
  ASSERT_FALSE(as_floor);
  EXPECT_EQ(as_floor.error().code, ErrorCode::kInvalidRequest);
  const auto as_tier = clear(request_of("1", Isolation::kVm), forged);
  ASSERT_FALSE(as_tier);
  EXPECT_EQ(as_tier.error().code, ErrorCode::kIsolation);
  EXPECT_FALSE(check_floor(forged, evidence_of(forged)));
}

struct Case {
  std::string name;
  RunRequest request;
  std::string message{};  // empty: it is accepted
  Millis timeout{0};      // of the cleared run
};

std::vector<Case> cases() {
  const std::string too_long =
      "timeout is 30001 ms; 1 to 30000 ms are accepted, or 0 for the "
      "default of 10000 ms";
  return {
      {"one byte of code", {.code = "1", .caller = {}}, "", kDefaultTimeout},
      {"exactly the most code",
       {.code = std::string(kMaxCodeBytes, ' '), .caller = {}},
       "",
       kDefaultTimeout},
      {"one byte too much",
       {.code = std::string(kMaxCodeBytes + 1, ' '), .caller = {}},
       "code has 1048577 bytes; 1 to 1048576 are accepted"},
      {"no code", {.code = "", .caller = {}}, "code is empty; 1 to 1048576 bytes are accepted"},
      {"code that is not UTF-8",
       {.code = std::string("\xff\x00\xfe", 3), .caller = {}},
       "",
       kDefaultTimeout},
      {"timeout of 1 ms", {.code = "1", .timeout = Millis{1}, .caller = {}}, "", Millis{1}},
      {"timeout at the ceiling",
       {.code = "1", .timeout = Millis{30'000}, .caller = {}},
       "",
       Millis{30'000}},
      {"timeout above it", {.code = "1", .timeout = Millis{30'001}, .caller = {}}, too_long},
      {"timeout below zero",
       {.code = "1", .timeout = Millis{-1}, .caller = {}},
       "timeout is -1 ms; 1 to 30000 ms are accepted, or 0 for the default of 10000 ms"},
      {"caller of 256 bytes", {.code = "1", .caller = std::string(256, 'c')}, "", kDefaultTimeout},
      {"caller of 257 bytes",
       {.code = "1", .caller = std::string(257, 'c')},
       "caller has 257 bytes; at most 256 are accepted"},
      {"floor of unknown",
       {.code = "1", .minimum_isolation = Isolation::kUnknown, .caller = {}},
       "minimum_isolation is unknown; none, process, container, kernel, vm are accepted"},
      {"all mistakes at once",
       {.code = "",
        .timeout = Millis{30'001},
        .minimum_isolation = Isolation::kUnknown,
        .caller = std::string(300, 'c')},
       "code is empty; 1 to 1048576 bytes are accepted; " + too_long +
           "; minimum_isolation is unknown; none, process, container, kernel, vm are accepted; "
           "caller has 300 bytes; at most 256 are accepted"},
  };
}

TEST(ClearedRun, ChecksTheRequest) {
  for (const Case& c : cases()) {
    const auto cleared = clear(c.request);
    EXPECT_EQ(cleared.has_value(), c.message.empty()) << c.name;
    if (cleared) {
      EXPECT_EQ(cleared->timeout(), c.timeout) << c.name;
    } else {
      EXPECT_EQ(cleared.error().code, ErrorCode::kInvalidRequest) << c.name;
      EXPECT_EQ(cleared.error().not_dispatched, NotDispatchedReason::kRequest) << c.name;
      EXPECT_EQ(cleared.error().message, c.message) << c.name;
    }
  }
}

TEST(ClearedRun, ExtremeTimeoutsAreRefusedAndDoNotOverflow) {
  for (const auto count :
       {std::numeric_limits<Millis::rep>::min(), std::numeric_limits<Millis::rep>::max()}) {
    RunRequest request = request_of("1");
    request.timeout = Millis{count};
    EXPECT_FALSE(clear(request)) << count;
  }
}

TEST(ClearedRun, TheDefaultNeverExceedsTheCeiling) {
  const auto cleared = clear(request_of("1"), Isolation::kProcess, {.max_timeout = Millis{2'000}});
  ASSERT_TRUE(cleared);
  EXPECT_EQ(cleared->timeout(), Millis{2'000});
}

TEST(ClearedRun, AnInvalidRequestIsNamedBeforeAnUnmetFloor) {
  const auto cleared = clear(request_of("", Isolation::kVm));
  ASSERT_FALSE(cleared);
  EXPECT_EQ(cleared.error().code, ErrorCode::kInvalidRequest);
}

}  // namespace
}  // namespace plimsoll
