// The names of the enumerations are part of what callers match on: each is written out here.
#include <gtest/gtest.h>

#include "plimsoll/advice.h"
#include "plimsoll/evidence.h"
#include "plimsoll/outcome.h"
#include "plimsoll/result.h"

namespace plimsoll {
namespace {

TEST(Names, EvidenceBasis) {
  EXPECT_EQ(to_string(EvidenceBasis::kStated), "stated");
  EXPECT_EQ(to_string(EvidenceBasis::kConfigured), "configured");
  EXPECT_EQ(to_string(EvidenceBasis::kMeasured), "measured");
}

TEST(Names, AnUnknownBasisClaimsTheLeast) {
  EXPECT_EQ(to_string(static_cast<EvidenceBasis>(99)), "stated");
}

TEST(Names, TerminationCause) {
  EXPECT_EQ(to_string(TerminationCause::kExited), "exited");
  EXPECT_EQ(to_string(TerminationCause::kTimedOut), "timed_out");
  EXPECT_EQ(to_string(TerminationCause::kOutOfMemory), "out_of_memory");
  EXPECT_EQ(to_string(TerminationCause::kSignaled), "signaled");
  EXPECT_EQ(to_string(TerminationCause::kOutputFlood), "output_flood");
  EXPECT_EQ(to_string(TerminationCause::kEngineFault), "engine_fault");
}

TEST(Names, AnUnknownCauseIsNeverANormalEnd) {
  EXPECT_EQ(to_string(static_cast<TerminationCause>(99)), "engine_fault");
}

TEST(Names, Advice) {
  EXPECT_EQ(to_string(AdvicePattern::kFanOut), "fan_out");
  EXPECT_EQ(to_string(AdvicePattern::kRepeatedRead), "repeated_read");
  EXPECT_EQ(to_string(AdviceSeverity::kLow), "low");
  EXPECT_EQ(to_string(AdviceSeverity::kMedium), "medium");
  EXPECT_EQ(to_string(AdviceSeverity::kHigh), "high");
  EXPECT_EQ(to_string(AdviceRemedy::kUseGrantedRoute), "use_granted_route");
  EXPECT_EQ(to_string(AdviceRemedy::kReuseAnswer), "reuse_answer");
  EXPECT_EQ(to_string(AdviceRemedy::kGrantRoute), "grant_route");
  EXPECT_EQ(to_string(AdviceRemedy::kAskApiOwner), "ask_api_owner");
  EXPECT_EQ(to_string(AdviceRemedy::kNone), "none");
}

TEST(Names, ErrorCode) {
  EXPECT_EQ(to_string(ErrorCode::kInvalidConfig), "invalid_config");
  EXPECT_EQ(to_string(ErrorCode::kInvalidRequest), "invalid_request");
  EXPECT_EQ(to_string(ErrorCode::kDisabled), "disabled");
  EXPECT_EQ(to_string(ErrorCode::kUnsupported), "unsupported");
  EXPECT_EQ(to_string(ErrorCode::kIsolation), "isolation");
  EXPECT_EQ(to_string(ErrorCode::kCapacity), "capacity");
  EXPECT_EQ(to_string(ErrorCode::kNotReady), "not_ready");
  EXPECT_EQ(to_string(ErrorCode::kInfrastructure), "infrastructure");
  EXPECT_EQ(to_string(ErrorCode::kCanceled), "canceled");
  EXPECT_EQ(to_string(ErrorCode::kUnauthenticated), "unauthenticated");
  EXPECT_EQ(to_string(ErrorCode::kPermission), "permission");
  EXPECT_EQ(to_string(ErrorCode::kUnreachable), "unreachable");
  EXPECT_EQ(to_string(ErrorCode::kRecordMismatch), "record_mismatch");
  EXPECT_EQ(to_string(ErrorCode::kEvidenceMismatch), "evidence_mismatch");
}

TEST(Names, NotDispatchedReason) {
  EXPECT_EQ(to_string(NotDispatchedReason::kRequest), "request");
  EXPECT_EQ(to_string(NotDispatchedReason::kPermission), "permission");
  EXPECT_EQ(to_string(NotDispatchedReason::kProtocol), "protocol");
  EXPECT_EQ(to_string(NotDispatchedReason::kUnsupported), "unsupported");
  EXPECT_EQ(to_string(NotDispatchedReason::kIsolation), "isolation");
  EXPECT_EQ(to_string(NotDispatchedReason::kCapacity), "capacity");
  EXPECT_EQ(to_string(NotDispatchedReason::kEnvironment), "environment");
}

TEST(Names, TheNumbersAreThoseOfTheWire) {
  EXPECT_EQ(static_cast<int>(TerminationCause::kExited), 1);
  EXPECT_EQ(static_cast<int>(TerminationCause::kEngineFault), 6);
  EXPECT_EQ(static_cast<int>(NotDispatchedReason::kRequest), 1);
  EXPECT_EQ(static_cast<int>(NotDispatchedReason::kEnvironment), 7);
  EXPECT_EQ(static_cast<int>(EvidenceBasis::kStated), 1);
  EXPECT_EQ(static_cast<int>(EvidenceBasis::kMeasured), 3);
}

}  // namespace
}  // namespace plimsoll
