#include "client/run_answer.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "client/honest_answer.h"

namespace plimsoll::client {
namespace {

const AskedRun kAsked{.minimum_isolation = "process",
                      .timeout_ms = 1000,
                      .payload = JavaScriptRun{.code = "console.log(6*7)"}};

std::optional<ClientError> judge(const v1::RunResponse& message,
                                 Isolation floor = Isolation::kProcess) {
  auto answer = decode_run_answer(message.SerializeAsString());
  EXPECT_TRUE(answer) << answer.error();
  return refute(*answer, kAsked, floor);
}

TEST(RunAnswer, AnHonestOneHoldsAndIsWhole) {
  const v1::RunResponse message = honest_answer(kAsked);
  EXPECT_FALSE(judge(message));
  const auto answer = decode_run_answer(message.SerializeAsString());
  ASSERT_TRUE(answer);
  const Outcome& outcome = answer->remote.outcome;
  EXPECT_EQ(outcome.stdout_bytes, "42\n");
  EXPECT_EQ(outcome.stderr_bytes, std::string("\0\xff", 2));
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_EQ(outcome.termination.cause, TerminationCause::kExited);
  EXPECT_EQ(outcome.duration, std::chrono::milliseconds(1));
  EXPECT_EQ(outcome.provider, "wasm");
  EXPECT_EQ(outcome.evidence.tier, Isolation::kProcess);
  ASSERT_EQ(outcome.evidence.facts.size(), 1U);
  EXPECT_EQ(outcome.evidence.facts[0].basis, EvidenceBasis::kMeasured);
  EXPECT_EQ(answer->remote.record.record_sha256, message.record().record_sha256());
  EXPECT_EQ(answer->remote.environment, "quickjs-wasm:sha256:00");
}

struct Tampering {
  const char* what;
  std::function<void(v1::RunResponse&)> with;
};

TEST(RunAnswer, WhateverIsAlteredUnderTheRecordIsFound) {
  const std::vector<Tampering> tamperings = {
      {"stdout", [](auto& m) { m.mutable_javascript()->set_stdout("43\n"); }},
      {"stderr", [](auto& m) { m.mutable_javascript()->set_stderr(""); }},
      {"exit code", [](auto& m) { m.mutable_javascript()->set_exit_code(0); }},
      {"truncation", [](auto& m) { m.mutable_javascript()->set_stdout_truncated(true); }},
      {"provider", [](auto& m) { m.set_sandbox("gvisor"); }},
      {"isolation", [](auto& m) { m.set_isolation("vm"); }},
      {"environment", [](auto& m) { m.set_environment("other"); }},
      {"software", [](auto& m) { m.set_software_identity("other"); }},
      {"version", [](auto& m) { m.mutable_record()->set_version(1); }},
      {"request digest", [](auto& m) { m.mutable_record()->set_request_sha256("0"); }},
      {"result digest", [](auto& m) { m.mutable_record()->set_result_sha256("0"); }},
      {"policy", [](auto& m) { m.mutable_record()->set_policy("hardened"); }},
      {"start", [](auto& m) { m.mutable_record()->set_started_unix_ms(1); }},
      {"end", [](auto& m) { m.mutable_record()->set_ended_unix_ms(1); }},
      {"rule", [](auto& m) { m.mutable_record()->set_software_rule_id("exact:x"); }},
      {"session", [](auto& m) { m.mutable_record()->set_session("s"); }},
      {"sequence", [](auto& m) { m.mutable_record()->set_sequence(1); }},
      {"chain", [](auto& m) { m.mutable_record()->set_previous_sha256("0"); }},
      {"record digest", [](auto& m) { m.mutable_record()->clear_record_sha256(); }},
      {"record", [](auto& m) { m.clear_record(); }},
  };
  for (const Tampering& tampering : tamperings) {
    v1::RunResponse message = honest_answer(kAsked);
    tampering.with(message);
    const auto error = judge(message);
    ASSERT_TRUE(error) << tampering.what;
    EXPECT_EQ(error->code, ErrorCode::kRecordMismatch) << tampering.what;
    EXPECT_FALSE(error->not_dispatched) << tampering.what;
    EXPECT_TRUE(error->answered) << tampering.what;
  }
}

TEST(RunAnswer, TheRecordOfAnotherRequestIsNone) {
  AskedRun other = kAsked;
  other.payload = JavaScriptRun{.code = "console.log(6*8)"};
  EXPECT_EQ(judge(honest_answer(other))->code, ErrorCode::kRecordMismatch);
  other = kAsked;
  other.minimum_isolation = "none";
  EXPECT_EQ(judge(honest_answer(other))->code, ErrorCode::kRecordMismatch);
}

// A session's record with digests that hold is still none of a single run.
TEST(RunAnswer, TheRecordOfASessionIsNone) {
  v1::RunResponse message = honest_answer(kAsked);
  auto answer = decode_run_answer(message.SerializeAsString());
  ASSERT_TRUE(answer);
  answer->remote.record.sequence = 1;
  answer->remote.record.record_sha256 = record::record_digest(answer->remote.record).hex();
  EXPECT_EQ(refute(*answer, kAsked, Isolation::kProcess)->code, ErrorCode::kRecordMismatch);
}

TEST(RunAnswer, ABoundaryBelowTheFloorIsRefusedWithTheAnswerAttached) {
  const auto error = judge(honest_answer(kAsked), Isolation::kContainer);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code, ErrorCode::kEvidenceMismatch);
  ASSERT_TRUE(error->answered);
  EXPECT_EQ(error->answered->outcome.stdout_bytes, "42\n");
  EXPECT_FALSE(judge(honest_answer(kAsked), Isolation::kNone));
}

// The record covers the name of the tier, and not the evidence.
TEST(RunAnswer, EvidenceThatContradictsTheAnswerIsRefused) {
  v1::RunResponse message = honest_answer(kAsked);
  message.mutable_evidence()->set_tier("vm");
  EXPECT_EQ(judge(message)->code, ErrorCode::kEvidenceMismatch);
  message.clear_evidence();
  EXPECT_EQ(judge(message)->code, ErrorCode::kEvidenceMismatch);
  for (const char* tier : {"unknown", "", "VM", "moon"}) {
    message = honest_answer(kAsked);
    message.set_isolation(tier);
    message.mutable_evidence()->set_tier(tier);
    sign(message, kAsked);
    const auto error = judge(message, Isolation::kNone);
    ASSERT_TRUE(error) << tier;
    EXPECT_EQ(error->code, ErrorCode::kEvidenceMismatch) << tier;
  }
}

TEST(RunAnswer, WhatMakesNoSenseIsNoAnswer) {
  const auto decodes = [](const std::function<void(v1::RunResponse&)>& change) {
    v1::RunResponse message = honest_answer(kAsked);
    change(message);
    return decode_run_answer(message.SerializeAsString()).has_value();
  };
  EXPECT_FALSE(decode_run_answer("not protobuf"));
  EXPECT_FALSE(decode_run_answer(""));
  EXPECT_FALSE(decodes([](auto& m) { m.clear_javascript(); }));
  EXPECT_FALSE(decodes([](auto& m) { m.mutable_project(); }));
  EXPECT_FALSE(decodes([](auto& m) { m.mutable_javascript()->set_exit_code(-1); }));
  EXPECT_FALSE(decodes([](auto& m) { m.mutable_javascript()->set_exit_code(256); }));
  EXPECT_FALSE(decodes([](auto& m) { m.set_duration_ms(-1); }));
  EXPECT_FALSE(decodes([](auto& m) { m.set_duration_ms(INT64_MAX); }));
  EXPECT_FALSE(decodes([](auto& m) { m.mutable_javascript()->set_timed_out(true); }));
  EXPECT_FALSE(decodes([](auto& m) {
    m.mutable_javascript()->mutable_termination()->set_cause(v1::TerminationCause(7));
  }));
  EXPECT_FALSE(decodes([](auto& m) { m.mutable_evidence()->mutable_facts(0)->clear_basis(); }));
  EXPECT_FALSE(decodes([](auto& m) { m.mutable_evidence()->mutable_facts(0)->set_name("\x1b"); }));
  EXPECT_FALSE(decodes([](auto& m) {
    for (int i = 0; i < 256; ++i) *m.mutable_evidence()->add_facts() = m.evidence().facts(0);
  }));
}

// Bytes that are no UTF-8 where there has to be text: no answer, and no word on stderr.
TEST(RunAnswer, BrokenTextIsRefusedSilently) {
  std::string bytes = honest_answer(kAsked).SerializeAsString();
  const auto at = bytes.find("wasm");
  ASSERT_NE(at, std::string::npos);
  bytes[at] = '\xff';
  testing::internal::CaptureStderr();
  EXPECT_FALSE(decode_run_answer(bytes));
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(RunAnswer, AServiceThatDoesNotStateTheCause) {
  v1::RunResponse message = honest_answer(kAsked);
  message.mutable_javascript()->clear_termination();
  EXPECT_FALSE(judge(message));
  message.mutable_javascript()->set_timed_out(true);
  sign(message, kAsked);
  const auto answer = decode_run_answer(message.SerializeAsString());
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->remote.outcome.termination.cause, TerminationCause::kTimedOut);
}

}  // namespace
}  // namespace plimsoll::client
