// The guest's end of a granted run, with a real worker or a real machine, and answers that this
// test gives by hand.
#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/unique_fd.h"
#include "guest/host_calls.h"
#include "providers/jailed/worker_factory.h"
#include "providers/microvm/vmm_program.h"
#include "providers/wasm/worker_program.h"
#include "providers_under_test.h"

namespace plimsoll::contract {
namespace {

using guest::RunStatus;
using jailed::RunReport;
using jailed::WorkerFactory;
using jailed::WorkerProcess;

using guest::HostAnswer;

struct Asked {
  std::uint32_t id = 0;
  std::string method;
  std::string target;
  std::optional<std::string> body;
};

// Answers what `answer` says, or later what the test gives to reply().
class ScriptedCalls final : public guest::HostCalls {
 public:
  explicit ScriptedCalls(std::function<void(ScriptedCalls&, const Asked&)> on_call)
      : on_call_(std::move(on_call)), fd_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

  void begin(const guest::HostCall& call) override {
    asked.push_back({.id = call.id,
                     .method = std::string(call.method),
                     .target = std::string(call.target),
                     .body = call.has_body ? std::optional(std::string(call.body)) : std::nullopt});
    ++open_;
    most_open = std::max(most_open, open_);
    on_call_(*this, asked.back());
  }
  [[nodiscard]] int ready_fd() const noexcept override { return fd_.get(); }
  [[nodiscard]] std::optional<HostAnswer> next_answer() override {
    std::uint64_t count = 0;
    const ssize_t got = ::read(fd_.get(), &count, sizeof count);
    EXPECT_TRUE(got == sizeof count || got == -1);
    if (answers_.empty()) return std::nullopt;
    HostAnswer answer = std::move(answers_.front());
    answers_.pop_front();
    return answer;
  }

  void reply(HostAnswer answer) {
    --open_;
    answers_.push_back(std::move(answer));
    const std::uint64_t one = 1;
    EXPECT_EQ(::write(fd_.get(), &one, sizeof one), static_cast<ssize_t>(sizeof one));
  }

  std::vector<Asked> asked;
  std::size_t most_open = 0;

 private:
  std::function<void(ScriptedCalls&, const Asked&)> on_call_;
  UniqueFd fd_;
  std::deque<HostAnswer> answers_;
  std::size_t open_ = 0;
};

HostAnswer json(const Asked& asked, std::string body, std::uint16_t status = 200) {
  return {.id = asked.id,
          .status = status,
          .content_type = "application/json; charset=utf-8",
          .body = std::move(body)};
}

// Answers each call at once with what was asked.
void echo(ScriptedCalls& calls, const Asked& asked) {
  calls.reply(json(asked, R"({"method":")" + asked.method + R"(","size":)" +
                              std::to_string(asked.body.value_or("").size()) + "}"));
}

void never(ScriptedCalls&, const Asked&) {}

constexpr guest::RunHeader kPatientRun{.timeout_us = 30'000'000,
                                       .output_cap = 65'536,
                                       .flood_bytes = 1 << 20,
                                       .memory_bytes = std::uint64_t{64} << 20};

struct GuestKind {
  std::string name;
  const jailed::WorkerProgram& (*program)() noexcept;
  std::string (*lacks)();
  friend void PrintTo(const GuestKind& kind, std::ostream* out) { *out << kind.name; }
};

class GrantedRun : public ::testing::TestWithParam<GuestKind> {
 protected:
  void SetUp() override {
    if (const std::string lacks = GetParam().lacks(); !lacks.empty()) GTEST_SKIP() << lacks;
    factory_.emplace(GetParam().program(), "", 64);
    auto made = factory_->make();
    ASSERT_TRUE(made) << made.error().message;
    worker_.emplace(std::move(*made));
  }

  RunReport run(ScriptedCalls& calls, std::string_view code, std::string_view preamble = {},
                const guest::RunHeader& header = kPatientRun) {
    return worker_->run(header,
                        {.code = code, .global = global_, .preamble = preamble, .calls = &calls},
                        {}, Millis{2'000});
  }

  std::optional<WorkerFactory> factory_;
  std::optional<WorkerProcess> worker_;
  std::string global_ = "host";
};

INSTANTIATE_TEST_SUITE_P(Guests, GrantedRun,
                         ::testing::Values(GuestKind{.name = "worker",
                                                     .program = wasm::worker_program,
                                                     .lacks = [] { return std::string(); }},
                                           GuestKind{.name = "machine",
                                                     .program = microvm::vmm_program,
                                                     .lacks = lacks_kvm}),
                         [](const auto& one) { return one.param.name; });

TEST_P(GrantedRun, EachVerbSendsItsMethodPathAndBody) {
  ScriptedCalls calls(echo);
  const RunReport report = run(calls, R"(
    await host.get('/v1/a?x=1');
    await host.del('/v1/b');
    await host.put('/v1/c', {n: 1, s: '\u00e9'});
    await host.post('/v1/d', '{"already":"text"}');
    await host.patch('/v1/e', new Uint8Array([0, 255, 10]));
    await host.call('post', '/v1/f', [1, 2]);
    await host.call('POST', '/v1/g', '');
    console.log('done');)");
  EXPECT_EQ(report.stdout_bytes, "done\n") << report.stderr_bytes;
  ASSERT_EQ(calls.asked.size(), 7U);
  const auto is = [&](std::size_t at, std::string_view method, std::string_view target,
                      const std::optional<std::string>& body) {
    EXPECT_EQ(calls.asked[at].method, method);
    EXPECT_EQ(calls.asked[at].target, target);
    EXPECT_EQ(calls.asked[at].body, body) << target;
  };
  is(0, "GET", "/v1/a?x=1", std::nullopt);
  is(1, "DELETE", "/v1/b", std::nullopt);
  is(2, "PUT", "/v1/c", "{\"n\":1,\"s\":\"\u00e9\"}");
  is(3, "POST", "/v1/d", R"({"already":"text"})");
  is(4, "PATCH", "/v1/e", std::string("\0\xff\n", 3));
  is(5, "POST", "/v1/f", "[1,2]");
  is(6, "POST", "/v1/g", "");
}

TEST_P(GrantedRun, AnswersResolveOrRejectByTheirStatus) {
  ScriptedCalls calls([](ScriptedCalls& self, const Asked& asked) {
    if (asked.target == "/json") return self.reply(json(asked, R"({"a":[1]})"));
    if (asked.target == "/text") {
      return self.reply(
          {.id = asked.id, .status = 200, .content_type = "text/plain", .body = "hi"});
    }
    if (asked.target == "/none") return self.reply({.id = asked.id, .status = 204});
    if (asked.target == "/404") return self.reply(json(asked, R"({"e":"no"})", 404));
    self.reply({.id = asked.id,
                .status = 403,
                .refused = true,
                .content_type = "text/plain",
                .body = "not allowed"});
  });
  const RunReport report = run(calls, R"(
    console.log(await host.get('/json'), await host.get('/text'), await host.get('/none'));
    for (const path of ['/404', '/x']) {
      await host.get(path).catch((e) => console.log(
        e instanceof Error, e.status, e.policy, e.body, '|', e.message));
    }
    const { status, content_type, body, refused } = await host.raw('GET', '/404');
    console.log(status, content_type, body, refused);)");
  EXPECT_EQ(report.stdout_bytes,
            "{ a: [ 1 ] } hi null\n"
            "true 404 false { e: 'no' } | GET /404 answered 404\n"
            "true 403 true not allowed | GET /x was refused (403): not allowed\n"
            "404 application/json; charset=utf-8 {\"e\":\"no\"} false\n")
      << report.stderr_bytes;
}

TEST_P(GrantedRun, SixteenCallsAreUnderWayAtOnceAndTheOthersWaitInOrder) {
  std::vector<Asked> held;
  ScriptedCalls calls([&](ScriptedCalls& self, const Asked& asked) {
    held.push_back(asked);
    // Only when all of a round are under way does the first answer come, and the last one first.
    if (held.size() < 16 && self.asked.size() < 40) return;
    for (; !held.empty(); held.pop_back()) self.reply(json(held.back(), held.back().target));
  });
  const RunReport report = run(calls, R"(
    const all = await Promise.all(Array.from({length: 40}, (_, i) => host.get(`${i}`)));
    console.log(all.join() === all.map((_, i) => i).join(), all.length);)");
  EXPECT_EQ(report.stdout_bytes, "true 40\n") << report.stderr_bytes;
  EXPECT_EQ(calls.most_open, 16U);
  ASSERT_EQ(calls.asked.size(), 40U);
  for (std::size_t i = 0; i < 40; ++i) EXPECT_EQ(calls.asked[i].target, std::to_string(i));
  EXPECT_FALSE(report.calls_left);
}

TEST_P(GrantedRun, TheLargestPartsArriveWholeInBothDirectionsAtOnce) {
  std::string large(guest::kMaxReplyBody, 'r');
  ScriptedCalls calls([&](ScriptedCalls& self, const Asked& asked) {
    EXPECT_EQ(asked.body->size(), guest::kMaxCallBody);
    EXPECT_EQ(asked.body->find_first_not_of('b'), std::string::npos);
    self.reply({.id = asked.id, .status = 200, .content_type = "text/plain", .body = large});
  });
  // Bodies of a megabyte go out while answers of four come in.
  const RunReport report = run(calls, R"(
    const body = 'b'.repeat(1 << 20);
    let size = 0;
    await Promise.all(Array.from({length: 6}, async () => {
      const text = await host.post('/big', body);
      if (text !== 'r'.repeat(4 << 20)) throw new Error('altered');
      size += text.length;
    }));
    console.log(size);)");
  EXPECT_EQ(report.stdout_bytes, "25165824\n") << report.stderr_bytes;
}

TEST_P(GrantedRun, WhatIsTooLongIsCutWhereTheHostSeesThatItIs) {
  ScriptedCalls calls(echo);
  const RunReport report = run(calls, R"(
    await host.raw('M'.repeat(99), 't'.repeat(1e5), 'b'.repeat(2 << 20));
    console.log('ok'))");
  EXPECT_EQ(report.stdout_bytes, "ok\n") << report.stderr_bytes;
  ASSERT_EQ(calls.asked.size(), 1U);
  EXPECT_EQ(calls.asked[0].method.size(), guest::kMaxCallMethod + 1);
  EXPECT_EQ(calls.asked[0].target.size(), guest::kMaxCallTarget + 1);
  EXPECT_EQ(calls.asked[0].body->size(), guest::kMaxCallBody + 1);
}

TEST_P(GrantedRun, AnAnswerThatDoesNotFitIsAnErrorThatCanBeCaught) {
  ScriptedCalls calls([&](ScriptedCalls& self, const Asked& asked) {
    if (asked.target == "/small") return self.reply(json(asked, "7"));
    self.reply({.id = asked.id,
                .status = 200,
                .content_type = "text/plain",
                .body = std::string(guest::kMaxReplyBody, 'x')});
  });
  guest::RunHeader header = kPatientRun;
  header.memory_bytes = std::uint64_t{16} << 20;
  const RunReport report = run(calls, R"(
    const kept = new Uint8Array(5 << 20);
    console.log(await host.get('/large').then(() => 'fits', (e) => e.code), kept.length);
    console.log(await host.get('/small'));)",
                               {}, header);
  EXPECT_EQ(report.stdout_bytes, "ERR_PLIMSOLL_REPLY_SIZE 5242880\n7\n") << report.stderr_bytes;
}

TEST_P(GrantedRun, TimersRunWhileACallIsUnderWay) {
  std::optional<Asked> held;
  ScriptedCalls calls([&](ScriptedCalls& self, const Asked& asked) {
    if (asked.target == "/held") {
      held = asked;
      return;
    }
    self.reply(json(asked, "1"));
    self.reply(json(*held, "2"));
  });
  const RunReport report = run(calls, R"(
    const order = [];
    host.get('/held').then(() => { order.push('held'); console.log(order.join()); });
    setTimeout(() => {
      order.push('timer');
      host.get('/release').then(() => order.push('release'));
    }, 20);)");
  EXPECT_EQ(report.stdout_bytes, "timer,release,held\n") << report.stderr_bytes;
}

TEST_P(GrantedRun, ACallThatNobodyAwaitsIsStillMadeBeforeTheEnd) {
  ScriptedCalls calls(echo);
  const RunReport report = run(calls, "host.post('/log', {}).then(() => console.log('sent'))");
  EXPECT_EQ(report.stdout_bytes, "sent\n") << report.stderr_bytes;
  EXPECT_EQ(calls.asked.size(), 1U);
}

TEST_P(GrantedRun, TheDeadlineEndsAWaitForAnAnswer) {
  ScriptedCalls calls(never);
  guest::RunHeader header = kPatientRun;
  header.timeout_us = 1'000'000;
  const RunReport report = run(calls, "await host.get('/slow')", {}, header);
  EXPECT_EQ(report.status, RunStatus::kDone);
  EXPECT_EQ(report.done.cause, guest::DoneCause::kTimedOut);
  EXPECT_TRUE(report.calls_left);
}

TEST_P(GrantedRun, AnAnswerThatCameAfterTheEndIsNotTheNextRunsBusiness) {
  const std::string large(50'000, 'r');  // what a socket takes before anybody reads
  ScriptedCalls calls([&](ScriptedCalls& self, const Asked& asked) {
    self.reply({.id = asked.id,
                .status = 200,
                .content_type = "text/plain",
                .body = asked.target == "/large" ? large : "small"});
  });
  for (const std::string target : {"/small", "/large", "/small"}) {
    // The answer is there before the end, and nobody takes it.
    const RunReport report = run(calls, "host.get('" + target + R"(');
      const begin = Date.now();
      while (Date.now() - begin < 1000);
      process.exit(3);)");
    ASSERT_EQ(report.done.exit_code, 3);
    ASSERT_FALSE(report.calls_left) << "the host would not keep it";
    EXPECT_EQ(run(calls, "console.log(6 * 7)").stdout_bytes, "42\n") << target;
  }
}

TEST_P(GrantedRun, AnEndWithAnswersDueIsTold) {
  ScriptedCalls calls(never);
  const RunReport report = run(calls, "host.get('/slow'); process.exit(3)");
  EXPECT_EQ(report.done.exit_code, 3);
  EXPECT_TRUE(report.calls_left);
}

TEST_P(GrantedRun, ThePreambleIsLayeredOnTheClientAndKeepsWhatItDeclares) {
  global_ = "api";
  ScriptedCalls calls(echo);
  const RunReport report =
      run(calls, "const secret = 1; console.log(await api.orders(3), typeof helper, typeof host)",
          "const secret = 2; function helper(n) { return `/v1/orders/${n}`; }\n"
          "api.orders = (n) => api.get(helper(n));");
  EXPECT_EQ(report.stdout_bytes, "{ method: 'GET', size: 0 } undefined undefined\n")
      << report.stderr_bytes;
  EXPECT_EQ(calls.asked.at(0).target, "/v1/orders/3");
}

TEST_P(GrantedRun, APreambleThatFailsIsAnUncaughtError) {
  ScriptedCalls calls(echo);
  for (const std::string_view preamble : {"throw new Error('of the preamble')", "function ("}) {
    const RunReport report = run(calls, "console.log('ran')", preamble);
    EXPECT_EQ(report.stdout_bytes, "");
    EXPECT_EQ(report.done.exit_code, 1);
    EXPECT_NE(report.stderr_bytes.find("Error"), std::string::npos);
  }
}

TEST_P(GrantedRun, AGuestThatPoisonsItsBuiltinsHarmsOnlyItself) {
  ScriptedCalls calls(echo);
  const RunReport report = run(calls, R"(
    for (const name of ['get', 'set', 'delete', 'has']) Map.prototype[name] = null;
    JSON.parse = JSON.stringify = Array.prototype.push = String.prototype.toUpperCase = null;
    Object.prototype.allow = ['*'];
    Object.prototype.refused = true;
    Object.defineProperty(Object.prototype, 'method', {set() { throw 1; }, configurable: true});
    Object.defineProperty(Array.prototype, 0, {set() { throw 2; }, configurable: true});
    const host2 = globalThis.host;
    await Promise.all([1, 2, 3].map((n) => host2.post(`/${n}`, `{"n":${n}}`)));
    await host2.post('/4', {n: 4}).catch(() => {});
    globalThis.host = null;
    const host = undefined;
    process.stdout.write('ok');)");
  EXPECT_EQ(report.stdout_bytes, "ok") << report.stderr_bytes;
  ASSERT_GE(calls.asked.size(), 3U);
  EXPECT_EQ(calls.asked[2].body, R"({"n":3})");
}

TEST_P(GrantedRun, NothingOfTheGrantIsLeftForTheNextRun) {
  ScriptedCalls calls(echo);
  EXPECT_EQ(run(calls, "console.log(typeof host.extra)", "host.extra = 1").stdout_bytes,
            "number\n");
  const RunReport next = worker_->run(kPatientRun, {.code = "console.log(typeof host)"});
  EXPECT_EQ(next.stdout_bytes, "undefined\n");
  EXPECT_EQ(run(calls, "console.log(typeof host.extra)").stdout_bytes, "undefined\n");
}

}  // namespace
}  // namespace plimsoll::contract
