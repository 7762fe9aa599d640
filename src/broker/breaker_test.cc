#include "broker/breaker.h"

#include <gtest/gtest.h>

#include <chrono>

namespace plimsoll {
namespace {

using std::literals::chrono_literals::operator""h;
using std::literals::chrono_literals::operator""s;
using std::literals::chrono_literals::operator""ms;
using Verdict = Breaker::Verdict;

constexpr Breaker::Time kStart{1h};

TEST(Breaker, PassesWhileTheApiIsWell) {
  Breaker breaker(HealthCheck::kThere);
  for (const unsigned status : {200U, 204U, 302U, 404U, 500U, 502U}) {
    const auto ticket = breaker.admit(kStart);
    EXPECT_EQ(ticket.verdict, Verdict::kPass);
    breaker.answered(ticket, kStart, status, 1s);
  }
  breaker.unanswered(breaker.admit(kStart));
  EXPECT_EQ(breaker.admit(kStart).verdict, Verdict::kPass);
  EXPECT_EQ(breaker.openings(), 0U);
}

TEST(Breaker, APauseIsWaitedOut) {
  for (const unsigned status : {429U, 503U}) {
    Breaker breaker(HealthCheck::kNone);
    breaker.answered(breaker.admit(kStart), kStart, status, 5s);
    EXPECT_EQ(breaker.admit(kStart).verdict, Verdict::kShed);
    EXPECT_EQ(breaker.admit(kStart + 4999ms).verdict, Verdict::kShed);
    EXPECT_EQ(breaker.admit(kStart + 5s).verdict, Verdict::kPass);
    EXPECT_EQ(breaker.openings(), 1U);
  }
}

TEST(Breaker, OneCallAWindowReachesAnApiThatAsksForPauses) {
  Breaker breaker(HealthCheck::kThere);
  breaker.answered(breaker.admit(kStart), kStart, 429, 1s);
  unsigned sent = 0;
  for (auto now = kStart; now < kStart + 10s; now += 1ms) {  // 10,000 calls in 10 s
    const auto ticket = breaker.admit(now);
    ASSERT_NE(ticket.verdict, Verdict::kProbe) << "a 429 is never probed";
    if (ticket.verdict != Verdict::kPass) continue;
    ++sent;
    breaker.answered(ticket, now, 429, 1s);
  }
  EXPECT_EQ(sent, 9U);
  EXPECT_EQ(breaker.openings(), 10U);
}

TEST(Breaker, OnlyTheTrialPassesUntilItIsAnswered) {
  Breaker breaker(HealthCheck::kNone);
  breaker.answered(breaker.admit(kStart), kStart, 503, 1s);
  const auto trial = breaker.admit(kStart + 1s);
  EXPECT_TRUE(trial.is_trial);
  EXPECT_EQ(breaker.admit(kStart + 20s).verdict, Verdict::kShed);
  breaker.unanswered(trial);  // it says nothing; the next one is the trial
  const auto second = breaker.admit(kStart + 20s);
  EXPECT_TRUE(second.is_trial);
  breaker.answered(second, kStart + 21s, 404, 1s);
  EXPECT_FALSE(breaker.admit(kStart + 21s).is_trial);
  EXPECT_EQ(breaker.admit(kStart + 21s).verdict, Verdict::kPass);
}

TEST(Breaker, CallsUnderWayExtendAPauseAndNeverEndIt) {
  Breaker breaker(HealthCheck::kNone);
  const auto one = breaker.admit(kStart);
  const auto two = breaker.admit(kStart);
  const auto three = breaker.admit(kStart);
  breaker.answered(one, kStart, 503, 10s);
  breaker.answered(two, kStart + 1s, 200, 1s);  // sent before the pause
  EXPECT_EQ(breaker.admit(kStart + 1s).verdict, Verdict::kShed);
  breaker.answered(three, kStart + 2s, 503, 1s);  // a shorter one shortens nothing
  EXPECT_EQ(breaker.admit(kStart + 9s).verdict, Verdict::kShed);
  EXPECT_EQ(breaker.admit(kStart + 10s).verdict, Verdict::kPass);
  EXPECT_EQ(breaker.openings(), 1U);
}

TEST(Breaker, ATrialOfAnEarlierPauseDoesNotEndALaterOne) {
  Breaker breaker(HealthCheck::kNone);
  const auto slow = breaker.admit(kStart);
  breaker.answered(breaker.admit(kStart), kStart, 503, 1s);
  const auto trial = breaker.admit(kStart + 1s);
  breaker.answered(slow, kStart + 1s, 429, 5s);
  breaker.answered(trial, kStart + 2s, 200, 1s);
  EXPECT_EQ(breaker.admit(kStart + 3s).verdict, Verdict::kShed);
}

TEST(Breaker, OneProbeASecondAndItsSuccessEndsThePause) {
  Breaker breaker(HealthCheck::kThere);
  breaker.answered(breaker.admit(kStart), kStart, 503, 30s);
  unsigned probes = 0;
  for (auto now = kStart; now < kStart + 10s; now += 10ms) {
    const auto ticket = breaker.admit(now);
    ASSERT_NE(ticket.verdict, Verdict::kPass);
    if (ticket.verdict != Verdict::kProbe) continue;
    ++probes;
    EXPECT_EQ(breaker.admit(now).verdict, Verdict::kShed) << "one at a time";
    breaker.probed(now, probes == 8 ? 204 : 503, 1s);
    if (probes == 8) {
      EXPECT_LT(now, kStart + 8s);
      EXPECT_EQ(breaker.admit(now).verdict, Verdict::kPass);
      return;
    }
  }
  FAIL() << probes << " probes in 10 s";
}

TEST(Breaker, AFailedProbeExtendsThePause) {
  Breaker breaker(HealthCheck::kThere);
  breaker.answered(breaker.admit(kStart), kStart, 503, 1s);
  EXPECT_EQ(breaker.admit(kStart).verdict, Verdict::kProbe);
  breaker.probed(kStart + 900ms, 0, 1s);  // no answer
  EXPECT_EQ(breaker.admit(kStart + 999ms).verdict, Verdict::kShed);
  EXPECT_EQ(breaker.admit(kStart + 1s).verdict, Verdict::kProbe);
  breaker.probed(kStart + 1s, 503, 20s);
  EXPECT_EQ(breaker.admit(kStart + 2s).verdict, Verdict::kProbe);
  breaker.probed(kStart + 2s, 500, 1s);
  EXPECT_EQ(breaker.openings(), 1U);
}

TEST(Breaker, ALimitIsNeverProbedAndStaysOneWhenA503ExtendsIt) {
  Breaker breaker(HealthCheck::kThere);
  const auto one = breaker.admit(kStart);
  const auto two = breaker.admit(kStart);
  breaker.answered(one, kStart, 429, 5s);
  breaker.answered(two, kStart + 1s, 503, 10s);
  for (auto now = kStart + 1s; now < kStart + 11s; now += 100ms) {
    EXPECT_EQ(breaker.admit(now).verdict, Verdict::kShed);
  }
  EXPECT_TRUE(breaker.admit(kStart + 11s).is_trial);
}

TEST(Breaker, A429DuringA503MakesItALimit) {
  Breaker breaker(HealthCheck::kThere);
  const auto late = breaker.admit(kStart);
  breaker.answered(breaker.admit(kStart), kStart, 503, 10s);
  EXPECT_EQ(breaker.admit(kStart).verdict, Verdict::kProbe);
  breaker.answered(late, kStart, 429, 5s);
  breaker.probed(kStart + 1s, 200, 1s);  // well, but a limit is a limit
  EXPECT_EQ(breaker.admit(kStart + 3s).verdict, Verdict::kShed);
  EXPECT_TRUE(breaker.admit(kStart + 10s).is_trial);

  Breaker other(HealthCheck::kThere);
  other.answered(other.admit(kStart), kStart, 503, 10s);
  EXPECT_EQ(other.admit(kStart).verdict, Verdict::kProbe);
  other.probed(kStart, 429, 20s);  // the probe itself is limited
  EXPECT_EQ(other.admit(kStart + 5s).verdict, Verdict::kShed);
  EXPECT_EQ(other.admit(kStart + 20s).verdict, Verdict::kPass);
}

TEST(Breaker, NoCallPassesWhileAProbeOutlivesItsPause) {
  Breaker breaker(HealthCheck::kThere);
  breaker.answered(breaker.admit(kStart), kStart, 503, 1s);
  EXPECT_EQ(breaker.admit(kStart + 500ms).verdict, Verdict::kProbe);
  EXPECT_EQ(breaker.admit(kStart + 1500ms).verdict, Verdict::kShed);
  breaker.probed(kStart + 2s, 503, 1s);
  EXPECT_EQ(breaker.openings(), 1U);
  EXPECT_EQ(breaker.admit(kStart + 2s).verdict, Verdict::kProbe);
}

}  // namespace
}  // namespace plimsoll
