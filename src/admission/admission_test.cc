#include "admission/admission.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <thread>
#include <type_traits>

#include "base/manual_clock.h"

namespace plimsoll {
namespace {

using std::chrono_literals::operator""s;
using std::chrono_literals::operator""ms;

static_assert(!std::is_default_constructible_v<AdmittedSlot>);
static_assert(!std::is_copy_constructible_v<AdmittedSlot>);

constexpr AdmissionLimits kOne{.max_concurrent = 1, .per_caller_concurrent = 1};

// What became of one request.
struct Seen {
  std::optional<Admitted> admitted;
  [[nodiscard]] Admission::Callback callback() {
    return [this](Admitted result) {
      EXPECT_FALSE(admitted) << "called twice";
      admitted.emplace(std::move(result));
    };
  }
  [[nodiscard]] std::string text() const {
    if (!admitted) return "waits";
    return *admitted ? "runs" : std::string(to_string(admitted->error().reason));
  }
};

TEST(Admission, ASlotIsGivenBackByItsEnd) {
  ManualClock clock;
  Admission admission(kOne, clock);
  Seen first;
  Seen second;
  EXPECT_FALSE(admission.request("a", 1s, first.callback()).waits());
  const AdmissionWait place = admission.request("b", 1s, second.callback());
  EXPECT_TRUE(place.waits());
  EXPECT_EQ(first.text() + " " + second.text(), "runs waits");
  first.admitted.reset();
  EXPECT_EQ(second.text(), "runs");
  EXPECT_EQ(admission.load().in_flight, 1U);
  second.admitted.reset();
  EXPECT_EQ(admission.load().in_flight, 0U);
}

TEST(Admission, AMovedSlotIsGivenBackOnce) {
  ManualClock clock;
  Admission admission({.max_concurrent = 2, .per_caller_concurrent = 2}, clock);
  Admitted a = admission.wait("a", 0ms);
  Admitted b = admission.wait("a", 0ms);
  ASSERT_TRUE(a && b);
  *a = std::move(*b);
  EXPECT_EQ(admission.load().in_flight, 1U);
  AdmittedSlot c = std::move(*a);
  EXPECT_EQ(admission.load().in_flight, 1U);
}

TEST(Admission, PatienceEnds) {
  ManualClock clock;
  Admission admission(kOne, clock);
  const Admitted running = admission.wait("a", 0ms);
  Seen seen;
  const AdmissionWait place = admission.request("a", 300ms, seen.callback());
  EXPECT_EQ(admission.expire(), 300ms);
  clock.advance(299ms);
  EXPECT_EQ(admission.expire(), 1ms);
  EXPECT_EQ(seen.text(), "waits");
  clock.advance(1ms);
  EXPECT_EQ(admission.expire(), 1s);
  EXPECT_EQ(seen.text(), "patience");
  EXPECT_GE(seen.admitted->error().retry_after, 1ms);
  EXPECT_EQ(admission.load().waiting, 0U);
}

TEST(Admission, NoPatienceIsNowOrNever) {
  ManualClock clock;
  Admission admission(kOne, clock);
  const Admitted running = admission.wait("a", 0ms);
  Seen seen;
  EXPECT_FALSE(admission.request("b", 0ms, seen.callback()).waits());
  EXPECT_EQ(seen.text(), "patience");
}

TEST(Admission, WhoLeavesHearsNothing) {
  ManualClock clock;
  Admission admission(kOne, clock);
  Admitted running = admission.wait("a", 0ms);
  Seen left;
  Seen stays;
  AdmissionWait place = admission.request("b", 1s, left.callback());
  const AdmissionWait other = admission.request("c", 1s, stays.callback());
  place = AdmissionWait();
  running = std::unexpected(AdmissionRefusal{});
  EXPECT_EQ(left.text() + " " + stays.text(), "waits runs");
}

TEST(Admission, WhoIsToldToStopWaitsNoLonger) {
  ManualClock clock;
  Admission admission(kOne, clock);
  const Admitted running = admission.wait("a", 0ms);
  std::stop_source source;
  std::thread stopper([&] {
    while (admission.load().waiting == 0) std::this_thread::yield();
    source.request_stop();
  });
  const Admitted stopped = admission.wait("b", 60'000ms, source.get_token());
  stopper.join();
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().reason, NotAdmitted::kCanceled);
  EXPECT_EQ(admission.load().waiting, 0U);
}

TEST(Admission, ClosingRefusesAllThatWaitAndCome) {
  ManualClock clock;
  Admission admission(kOne, clock);
  const Admitted running = admission.wait("a", 0ms);
  Seen waiting;
  const AdmissionWait place = admission.request("b", 1s, waiting.callback());
  admission.close();
  EXPECT_EQ(waiting.text(), "closed");
  Seen later;
  EXPECT_FALSE(admission.request("c", 1s, later.callback()).waits());
  EXPECT_EQ(later.text(), "closed");
  EXPECT_EQ(admission.load().in_flight, 1U);
}

TEST(Admission, SlotsAndPlacesOutliveIt) {
  ManualClock clock;
  auto admission = std::make_unique<Admission>(kOne, clock);
  Admitted running = admission->wait("a", 0ms);
  Seen seen;
  AdmissionWait place = admission->request("b", 1s, seen.callback());
  admission.reset();
  EXPECT_EQ(seen.text(), "closed");
  running = std::unexpected(AdmissionRefusal{});
}

TEST(Admission, ACallbackMayAskAgain) {
  ManualClock clock;
  Admission admission(kOne, clock);
  Seen inner;
  AdmissionWait place;
  static_cast<void>(admission.request("a", 1s, [&](Admitted slot) {
    ASSERT_TRUE(slot);
    place = admission.request("a", 1s, inner.callback());
    EXPECT_EQ(inner.text(), "waits");
  }));
  EXPECT_EQ(inner.text(), "runs");
}

TEST(Admission, ARefusalIsAnErrorThatSaysWhen) {
  for (const NotAdmitted reason :
       {NotAdmitted::kRate, NotAdmitted::kCallerQueue, NotAdmitted::kQueue, NotAdmitted::kPatience,
        NotAdmitted::kClosed, NotAdmitted::kCanceled}) {
    const Error error = to_error({.reason = reason, .retry_after = 1500ms});
    EXPECT_EQ(error.code, ErrorCode::kCapacity);
    EXPECT_EQ(error.not_dispatched, NotDispatchedReason::kCapacity);
    EXPECT_TRUE(error.message.ends_with("; retry in 1500 ms")) << error.message;
  }
}

// Threads of three callers ask, wait, leave and give back; no limit is ever exceeded, and nothing
// is lost.
TEST(Admission, LimitsHoldAmongThreads) {
  constexpr std::uint32_t kMost = 4;
  constexpr std::uint32_t kPerCaller = 2;
  SystemClock clock;
  Admission admission({.max_concurrent = kMost, .per_caller_concurrent = kPerCaller}, clock);
  std::atomic<std::uint32_t> all = 0;
  std::array<std::atomic<std::uint32_t>, 3> each{};
  std::atomic<int> admitted = 0;
  std::atomic<bool> stop = false;
  std::thread timer([&] {
    while (!stop) {
      static_cast<void>(admission.expire());
      std::this_thread::sleep_for(1ms);
    }
  });
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 9; ++t) {
    threads.emplace_back([&, t] {
      const std::string caller = "caller" + std::to_string(t % 3);
      for (int i = 0; i < 300; ++i) {
        if (i % 7 == 3) {
          // Asks, and leaves at once, perhaps with the slot under way.
          static_cast<void>(admission.request(caller, 50ms, [](const Admitted&) {}));
          continue;
        }
        const Admitted slot = admission.wait(caller, i % 5 == 0 ? 0ms : 2000ms);
        if (!slot) continue;
        ++admitted;
        EXPECT_LE(++all, kMost);
        EXPECT_LE(++each[t % 3], kPerCaller);
        if (i % 3 == 0) std::this_thread::yield();
        --each[t % 3];
        --all;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  stop = true;
  timer.join();
  EXPECT_GT(admitted, 1500);
  EXPECT_EQ(admission.load().in_flight, 0U);
  EXPECT_EQ(admission.load().waiting, 0U);
}

}  // namespace
}  // namespace plimsoll
