// Faults and deadlines of guest code, with the real handlers: what is the guest's ends the guest,
// what is ours ends the process.
#include "worker/deadline.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "engine/engine_fixture.h"
#include "engine/guest_thread.h"
#include "engine/natives.h"

namespace plimsoll::worker {
namespace {

using engine::EndCause;
using engine::enter_guest;
using engine::RunEnd;
using engine::TestEngine;
using engine::TestHost;
using engine::Trap;
using Clock = std::chrono::steady_clock;
using Millis = std::chrono::milliseconds;

constexpr std::size_t kMiB = std::size_t{1} << 20;

// On a thread with a worker's stack, its handlers and its timer; the timer's signal goes there.
void as_worker(const std::function<void(TestEngine&)>& body, std::size_t stack_bytes = 64 * kMiB) {
  sigset_t alarm;
  ::sigemptyset(&alarm);
  ::sigaddset(&alarm, SIGALRM);
  ASSERT_EQ(::pthread_sigmask(SIG_BLOCK, &alarm, nullptr), 0);
  engine::on_guest_stack(
      [&] {
        ASSERT_EQ(prepare_deadline_and_faults(), 0);
        ASSERT_EQ(::pthread_sigmask(SIG_UNBLOCK, &alarm, nullptr), 0);
        TestEngine engine;
        body(engine);
      },
      stack_bytes);
}

void expect_sound(TestEngine& engine) {
  ASSERT_TRUE(engine.reset(-1));
  ASSERT_EQ(engine.first_difference(), -1);
  TestHost host;
  (void)engine.run("console.log(6*7)", host);
  EXPECT_EQ(host.out, "42\n");
  ASSERT_TRUE(engine.reset(-1));
}

RunEnd run_until(TestEngine& engine, std::string_view code, Millis timeout, TestHost& host) {
  host.flag = &deadline_passed;
  arm_deadline(timeout);
  const RunEnd end = engine.run(code, host);
  disarm_deadline();
  return end;
}

TEST(Faults, AnAccessBeyondTheMemoryIsATrap) {
  as_worker([](TestEngine& engine) {
    const volatile std::uint8_t* base = engine.memory.base();
    for (const std::size_t beyond :
         {engine.memory.size(), engine.memory.max_bytes(), std::size_t{0xffff'ffff},
          std::size_t{0x1'0000'0000}, std::size_t{0x1'ffff'ffff}}) {
      EXPECT_EQ(enter_guest(*engine.instance, [&] { (void)base[beyond]; }), Trap::kOutOfBounds)
          << beyond;
    }
    expect_sound(engine);
  });
}

TEST(Faults, TranslatedCodeThatLeavesTheMemoryTraps) {
  as_worker([](TestEngine& engine) {
    for (const engine::GuestPtr at : {0xffff'ffffU, 0xffff'fff0U, 0x8000'0000U}) {
      const Trap trap = enter_guest(*engine.instance, [&] {
        Z_qjsZ_JS_ToFloat64(engine.instance->raw(), engine.instance->context(), at,
                            engine::js_int(1));
      });
      EXPECT_EQ(trap, Trap::kOutOfBounds) << at;
    }
    expect_sound(engine);
  });
}

TEST(Faults, AnExhaustedNativeStackEndsTheRunOnly) {
  as_worker(
      [](TestEngine& engine) {
        for (const std::string_view code :
             {"const f = () => f() + 1; f()", "const f = () => [1].map(f); f()",
              "JSON.parse('['.repeat(1e5))",
              "const f = () => console.log({ get x() { f() } }.x); f()"}) {
          TestHost host;
          const RunEnd end = engine.run(code, host);
          EXPECT_EQ(end.cause, EndCause::kEngineFault) << code << host.err;
          EXPECT_EQ(end.trap, Trap::kStackExhausted) << code;
          expect_sound(engine);
        }
      },
      kMiB);
}

TEST(Faults, AStackLikeAWorkersHoldsWhatTheEngineAllows) {
  as_worker([](TestEngine& engine) {
    for (const std::string_view code :
         {"const f = () => f() + 1; f()", "const f = () => [1].map(f); f()",
          "JSON.parse('['.repeat(2e5))", "eval('('.repeat(1e5))", "new RegExp('('.repeat(1e5))",
          "let p = {}; for (let i = 0; i < 1e5; i++) p = new Proxy(p, {}); p.x",
          "const o = { toString() { return `${o}` } }; `${o}`",
          "class A { get x() { return new A().x } } new A().x",
          "Array.prototype.flat.call([[1]], 1e9); let a = []; for (let i = 0; i < 1e5; i++) a = "
          "[a]; "
          "a.flat(Infinity)",
          "let f = () => 0; for (let i = 0; i < 1e5; i++) f = f.bind(0); f()"}) {
      TestHost host;
      const RunEnd end = run_until(engine, code, Millis{2'000}, host);
      EXPECT_NE(end.cause, EndCause::kEngineFault) << code << to_string(end.trap);
      expect_sound(engine);
    }
  });
}

// Values as a guest with a corrupted heap could hand them to the host.
TEST(Faults, ForgedValuesNeverLeadTheHostOutside) {
  as_worker([](TestEngine& engine) {
    const auto size = static_cast<std::uint32_t>(engine.memory.size());
    TestHost host;
    for (const engine::Native& native : engine::kNatives) {
      for (std::uint32_t tag = 0xffff'fff7; tag != 0; ++tag) {
        for (const std::uint32_t pointer : {0U, 8U, size - 8, size, 0x8000'0000U, 0xffff'fff8U}) {
          engine.instance->run().host = &host;
          const engine::GuestPtr scratch = engine.header->scratch;
          engine.instance->store(scratch + 40, scratch + 48);  // one argument in fd's place,
          engine.instance->store(scratch + 44, scratch + 48);  // and again as the data
          engine.instance->store(scratch + 48, engine::JsValue{tag} << 32 | pointer);
          (void)engine::call_native(*engine.instance, native.id,
                                    {.count = 2, .pointers = scratch + 40});
          ASSERT_TRUE(engine.reset(-1));
        }
      }
    }
    expect_sound(engine);
  });
}

TEST(Faults, WildCellsOfARejectionNeverLeadTheHostOutside) {
  as_worker([](TestEngine& engine) {
    Z_env_instance_t env{engine.instance.get()};
    const auto size = static_cast<std::uint32_t>(engine.memory.size());
    for (const engine::GuestPtr cell : {1U, size - 4, size, 0xffff'ffffU}) {
      for (const u32 handled : {0U, 1U}) {
        (void)enter_guest(*engine.instance,
                          [&] { Z_envZ_host_promise_rejection(&env, cell, cell, handled); });
        expect_sound(engine);
      }
    }
  });
}

TEST(FaultsDeathTest, AFaultOutsideOfGuestCodeEndsTheProcess) {
  EXPECT_EXIT(as_worker([](TestEngine& engine) {
                const volatile std::uint8_t* base = engine.memory.base();
                (void)base[engine.memory.size()];
              }),
              ::testing::KilledBySignal(SIGSEGV), "");
}

TEST(FaultsDeathTest, AFaultOfGuestCodeAtAnAddressThatIsNotTheGuestsEndsTheProcess) {
  EXPECT_EXIT(as_worker([](TestEngine& engine) {
                (void)enter_guest(*engine.instance, [] {
                  const volatile std::uint8_t* null = nullptr;
                  (void)*null;
                });
              }),
              ::testing::KilledBySignal(SIGSEGV), "");
}

TEST(Deadline, StopsALoopThatPolls) {
  as_worker([](TestEngine& engine) {
    TestHost host;
    const auto start = Clock::now();
    EXPECT_EQ(run_until(engine, "for (;;);", Millis{30}, host).cause, EndCause::kTimedOut);
    EXPECT_GE(Clock::now() - start, Millis{30});
    EXPECT_LE(Clock::now() - start, Millis{10'000});
    EXPECT_FALSE(deadline_passed());
    expect_sound(engine);
  });
}

TEST(Deadline, StopsNativeCodeOfTheEngineAGracePeriodLater) {
  as_worker([](TestEngine& engine) {
    for (const std::string_view code :
         {"new Array(5e8).join('-')", "/^([a-z]+)+[0-9]$/.test('a'.repeat(40))",
          "try { Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1) } catch {}",
          "let a = []; for (let i = 0; i < 2e5; i++) a = [a]; JSON.stringify(a)"}) {
      TestHost host;
      const auto start = Clock::now();
      EXPECT_EQ(run_until(engine, code, Millis{50}, host).cause, EndCause::kTimedOut) << code;
      EXPECT_GE(Clock::now() - start, Millis{50}) << code;
      EXPECT_LE(Clock::now() - start, Millis{10'000}) << code;
      EXPECT_EQ(engine::guest_thread().hard_stop, 0);
      expect_sound(engine);
    }
  });
}

TEST(Deadline, HasNoEffectOnWhatEndsBefore) {
  as_worker([](TestEngine& engine) {
    for (int i = 0; i < 20; ++i) {
      TestHost host;
      const RunEnd end = run_until(engine, "console.log(1)", Millis{60'000}, host);
      EXPECT_EQ(end.cause, EndCause::kExited);
      EXPECT_EQ(host.out, "1\n");
      ASSERT_TRUE(engine.reset(-1));
    }
    EXPECT_FALSE(deadline_passed());
  });
}

TEST(Deadline, OfZeroPassesAtOnce) {
  as_worker([](TestEngine& engine) {
    TestHost host;
    EXPECT_EQ(run_until(engine, "for (;;);", Millis{0}, host).cause, EndCause::kTimedOut);
    expect_sound(engine);
  });
}

}  // namespace
}  // namespace plimsoll::worker
