#include "engine/run.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "engine/compile.h"
#include "engine/js_value.h"
#include "engine/natives.h"
#include "engine/reply.h"

namespace plimsoll::engine {

namespace {

constexpr int kExitUncaught = 1;
constexpr int kExitListenerThrew = 7;  // these two as Node
constexpr int kExitUnsettledAwait = 13;
constexpr double kMaxSleepMs = 3.6e6;

// Whether the run goes on. kStop: end_ is filled in.
enum class Next : std::uint8_t { kGoOn, kStop };

class Runner {
 public:
  Runner(Instance& instance, const SnapshotHeader& header, EngineHost& host) noexcept
      : instance_(instance), header_(header), host_(host) {}

  RunEnd run(std::span<const std::uint8_t> code, std::uint32_t heap_bytes,
             const GrantedClient& client) noexcept {
    if (start(heap_bytes) == Next::kGoOn && grant(client) == Next::kGoOn &&
        evaluate(code) == Next::kGoOn && event_loop() == Next::kGoOn) {
      natural_end();
    }
    return end_;
  }

 private:
  Next start(std::uint32_t heap_bytes) noexcept {
    RunState& run = instance_.run();
    run.host = &host_;
    run.started_ns = host_.monotonic_ns();
    std::uint64_t seed = 0;
    host_.fill_random({reinterpret_cast<std::uint8_t*>(&seed), sizeof seed});
    instance_.store(header_.random_state, seed | 1);  // zero would stay zero
    return check(
        enter_guest(instance_, [&] { Z_qjsZ_qjs_set_memory_limit(instance_.raw(), heap_bytes); }));
  }

  Next grant(const GrantedClient& client) noexcept {
    if (client.global.empty()) return Next::kGoOn;
    JsValue args[2] = {kJsUndefined, kJsUndefined};
    if (check(new_string(instance_, client.global, args[0])) == Next::kStop ||
        check(new_string(instance_, client.preamble, args[1])) == Next::kStop) {
      return Next::kStop;
    }
    for (const JsValue arg : args) {
      if (is_exception(arg)) return uncaught();
    }
    JsValue value = kJsUndefined;
    if (check(call_function(instance_, hook_of(Hook::kGrant), args, value)) == Next::kStop) {
      return Next::kStop;
    }
    return is_exception(value) ? uncaught() : Next::kGoOn;
  }

  Next evaluate(std::span<const std::uint8_t> code) noexcept {
    compiled_ = compile(instance_, header_, code);
    if (check(compiled_.trap) == Next::kStop) return Next::kStop;
    if (!compiled_.ok) return fatal(compiled_.value, "exception");
    JsValue value = kJsUndefined;
    const Trap trap = enter_guest(instance_, [&] {
      value = Z_qjsZ_JS_EvalFunction(instance_.raw(), instance_.context(), compiled_.value);
    });
    if (check(trap) == Next::kStop) return Next::kStop;
    if (is_exception(value)) return uncaught();
    if (compiled_.is_promise) main_ = value;
    return Next::kGoOn;
  }

  Next event_loop() noexcept {
    RunState& run = instance_.run();
    for (;;) {
      // A throw at the top level ends the run before any promise job.
      if (main_failed() == Next::kStop) return Next::kStop;
      if (microtasks() == Next::kStop) return Next::kStop;
      if (main_failed() == Next::kStop) return Next::kStop;
      if (rejections() == Next::kStop) return Next::kStop;
      double delay_ms = -1;
      if ((run.wants & kWantsTurns) != 0 &&
          call_hook_number(Hook::kTurn, {}, delay_ms) == Next::kStop) {
        return Next::kStop;
      }
      if (job_pending() || run.rejection_count > 0) continue;
      if (run.calls_in_flight > 0) {
        if (answers(delay_ms) == Next::kStop) return Next::kStop;
      } else if (delay_ms > 0) {
        host_.sleep_ns(static_cast<std::uint64_t>(std::min(delay_ms, kMaxSleepMs) * 1e6));
        if (host_.deadline_passed()) return stop(EndCause::kTimedOut);
      } else if (delay_ms < 0) {
        if (exit_listeners() == Next::kStop) return Next::kStop;
        if (!go_on_) return Next::kGoOn;
      }
    }
  }

  // Waits for an answer of the host's as long as there is nothing else to do, and gives it out.
  Next answers(double delay_ms) noexcept {
    constexpr auto kForever = static_cast<std::uint64_t>(kMaxSleepMs * 1e6);
    const std::uint64_t wait_ns =
        delay_ms < 0 ? kForever : static_cast<std::uint64_t>(std::min(delay_ms, kMaxSleepMs) * 1e6);
    HostReply reply;
    const ReplyWait wait = host_.await_reply(wait_ns, reply);
    if (wait == ReplyWait::kReply && deliver(reply) == Next::kStop) return Next::kStop;
    return host_.deadline_passed() ? stop(EndCause::kTimedOut) : Next::kGoOn;
  }

  Next deliver(const HostReply& reply) noexcept {
    RunState& run = instance_.run();
    if (run.calls_in_flight > 0) --run.calls_in_flight;
    std::array<JsValue, 4> args{};
    JsValue value = kJsUndefined;
    if (check(reply_arguments(instance_, host_, reply, args)) == Next::kStop ||
        check(call_function(instance_, hook_of(Hook::kReply), args, value)) == Next::kStop ||
        check(free_value(instance_, args[2])) == Next::kStop ||
        check(free_value(instance_, args[3])) == Next::kStop) {
      return Next::kStop;
    }
    return is_exception(value) ? uncaught() : Next::kGoOn;
  }

  // 'beforeExit' and 'exit'. The former may have started something new: then go_on_ is set.
  Next exit_listeners() noexcept {
    go_on_ = false;
    if ((instance_.run().wants & kWantsExit) == 0 || main_pending_) return Next::kGoOn;
    double code = 0;
    if (call_hook_number(Hook::kExitCode, {}, code) == Next::kStop) return Next::kStop;
    go_on_ = code < 0;
    end_.exit_code = code >= 0 && code <= 255 ? static_cast<int>(code) : 0;
    return Next::kGoOn;
  }

  // process.nextTick callbacks and promise jobs, until there are none of either.
  Next microtasks() noexcept {
    for (;;) {
      bool ran = false;
      if ((instance_.run().wants & kWantsTicks) != 0 && next_ticks(ran) == Next::kStop) {
        return Next::kStop;
      }
      for (;;) {
        std::int32_t left = 0;
        const Trap trap = enter_guest(instance_, [&] {
          left = static_cast<std::int32_t>(Z_qjsZ_qjs_execute_pending_job(instance_.raw()));
        });
        if (check(trap) == Next::kStop) return Next::kStop;
        if (host_.deadline_passed()) return stop(EndCause::kTimedOut);
        if (left < 0 && uncaught() == Next::kStop) return Next::kStop;
        if (left == 0) break;
        ran = true;
      }
      if (!ran || (instance_.run().wants & kWantsTicks) == 0) return Next::kGoOn;
    }
  }

  // An error of a callback leaves the later ones queued: then there is another round, too.
  Next next_ticks(bool& ran) noexcept {
    JsValue value = kJsUndefined;
    if (check(call_function(instance_, hook_of(Hook::kTicks), {}, value)) == Next::kStop) {
      return Next::kStop;
    }
    ran = true;
    if (is_exception(value)) return uncaught();
    double ticks = 0;
    const Next next = check(to_number(instance_, value, ticks));
    ran = ticks > 0;
    return next;
  }

  bool job_pending() noexcept {
    bool pending = false;
    const Trap trap =
        enter_guest(instance_, [&] { pending = Z_qjsZ_qjs_is_job_pending(instance_.raw()) != 0; });
    return trap == Trap::kNone && pending;
  }

  // A rejected top-level await is an uncaught error.
  Next main_failed() noexcept {
    if (!is_object(main_)) return Next::kGoOn;
    std::int32_t state = 0;
    JsValue reason = kJsUndefined;
    const Trap trap = enter_guest(instance_, [&] {
      state = static_cast<std::int32_t>(
          Z_qjsZ_JS_PromiseState(instance_.raw(), instance_.context(), main_));
      if (state == 2) {
        reason = Z_qjsZ_JS_PromiseResult(instance_.raw(), instance_.context(), main_);
      }
    });
    if (check(trap) == Next::kStop) return Next::kStop;
    main_pending_ = state == 0;
    if (state != 2) return Next::kGoOn;
    main_ = kJsUndefined;
    if (deadline_error(reason) == Next::kStop) return Next::kStop;
    return offer(Hook::kUncaught, {&reason, 1}, reason, "exception");
  }

  Next rejections() noexcept {
    RunState& run = instance_.run();
    while (run.rejection_count > 0) {
      const RunState::Rejection first = run.rejections[0];
      std::copy(run.rejections.begin() + 1,
                run.rejections.begin() + static_cast<std::ptrdiff_t>(run.rejection_count),
                run.rejections.begin());
      --run.rejection_count;
      const JsValue args[] = {first.reason, first.promise};
      if (offer(Hook::kUnhandled, args, first.reason, "rejection") == Next::kStop) {
        return Next::kStop;
      }
    }
    return Next::kGoOn;
  }

  void natural_end() noexcept {
    if (main_pending_) end_.exit_code = kExitUnsettledAwait;
  }

  // Takes the pending exception and gives it to the guest's listener, or ends the run.
  Next uncaught() noexcept {
    JsValue error = kJsUndefined;
    if (check(take_exception(instance_, error)) == Next::kStop) return Next::kStop;
    if (deadline_error(error) == Next::kStop) return Next::kStop;
    return offer(Hook::kUncaught, {&error, 1}, error, "exception");
  }

  // The interpreter was interrupted: there is one reason for that.
  Next deadline_error(JsValue error) noexcept {
    (void)error;
    return host_.deadline_passed() ? stop(EndCause::kTimedOut) : Next::kGoOn;
  }

  Next offer(Hook hook, std::span<const JsValue> args, JsValue error, const char* kind) noexcept {
    JsValue taken = kJsUndefined;
    const Trap trap = call_function(instance_, hook_of(hook), args, taken);
    if (check(trap) == Next::kStop) return Next::kStop;
    if (host_.deadline_passed()) return stop(EndCause::kTimedOut);
    if (is_exception(taken)) {  // the listener itself threw: that error is the one to report
      if (check(take_exception(instance_, error)) == Next::kStop) return Next::kStop;
      return fatal(error, "exception", kExitListenerThrew);
    }
    return taken == kJsTrue ? Next::kGoOn : fatal(error, kind);
  }

  Next call_hook_number(Hook hook, std::span<const JsValue> args, double& out) noexcept {
    JsValue value = kJsUndefined;
    if (check(call_function(instance_, hook_of(hook), args, value)) == Next::kStop) {
      return Next::kStop;
    }
    if (is_exception(value)) {
      out = 0;
      return uncaught();
    }
    return check(to_number(instance_, value, out));
  }

  // Prints the error as Node does and ends the run.
  Next fatal(JsValue error, std::string_view kind, int exit_code = kExitUncaught) noexcept {
    const bool memory = is_out_of_memory(error);
    print_error(error, kind);
    if (end_.cause != EndCause::kExited) return Next::kStop;
    if (host_.deadline_passed()) return stop(EndCause::kTimedOut);
    if (memory) return stop(EndCause::kOutOfMemory);
    double code = exit_code;
    const JsValue args[] = {js_int(exit_code)};
    JsValue value = kJsUndefined;
    if ((instance_.run().wants & kWantsExit) != 0) {  // 'exit' listeners still run
      if (check(call_function(instance_, hook_of(Hook::kExitCode), args, value)) == Next::kStop ||
          check(to_number(instance_, value, code)) == Next::kStop) {
        return Next::kStop;
      }
    }
    end_.exit_code = code > 0 && code <= 255 ? static_cast<int>(code) : exit_code;
    return Next::kStop;
  }

  void print_error(JsValue error, std::string_view kind) noexcept {
    JsValue args[4] = {error, kJsUndefined, kJsUndefined, kJsUndefined};
    const std::span<const std::uint8_t> source =
        instance_.bytes(compiled_.source, compiled_.source_size);
    constexpr std::string_view kFile = "[snippet]";
    const auto as_bytes = [](std::string_view text) {
      return std::span{reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
    };
    if (check(new_string(instance_, as_bytes(kind), args[1])) == Next::kStop ||
        check(new_string(instance_, source, args[2])) == Next::kStop ||
        check(new_string(instance_, as_bytes(kFile), args[3])) == Next::kStop) {
      return;
    }
    for (JsValue& arg : args) {
      if (is_exception(arg)) arg = kJsUndefined;  // no memory for it; the hook copes
    }
    JsValue text = kJsUndefined;
    if (check(call_function(instance_, hook_of(Hook::kFatal), args, text)) == Next::kStop) return;
    if (is_string(text)) {
      const GuestText bytes = text_of(instance_, text);
      if (check(bytes.trap) == Next::kStop) return;
      if (bytes.ok) {
        if (host_.write(Stream::kStderr, bytes.bytes) == WriteVerdict::kStop) {
          (void)stop(EndCause::kOutputFlood);
        }
        return;
      }
    }
    (void)host_.write(Stream::kStderr, as_bytes("Uncaught error (it could not be shown)\n"));
  }

  // The engine's error for an allocation beyond the limit is an InternalError, which cannot be
  // caught. Others of that kind are the interruption at the deadline, which was ruled out; a string
  // of more than 2^30 characters; and what a guest makes itself, which misreports nobody but
  // itself.
  bool is_out_of_memory(JsValue error) noexcept {
    if (error == kJsNull) return instance_.run().grow_refused;
    if (!is_object(error)) return false;
    bool uncatchable = false;
    const Trap trap = enter_guest(instance_, [&] {
      uncatchable = Z_qjsZ_JS_IsError(instance_.raw(), error) != 0 &&
                    Z_qjsZ_JS_IsUncatchableError(instance_.raw(), error) != 0;
    });
    return trap == Trap::kNone && uncatchable;
  }

  [[nodiscard]] JsValue hook_of(Hook hook) const noexcept {
    return header_.hooks[static_cast<std::size_t>(hook)];
  }

  Next stop(EndCause cause) noexcept {
    end_.cause = cause;
    return Next::kStop;
  }

  // What a trap means for the run.
  Next check(Trap trap) noexcept {
    switch (trap) {
      case Trap::kNone:
        return Next::kGoOn;
      case Trap::kDeadline:
        return stop(EndCause::kTimedOut);
      case Trap::kOutputFlood:
        return stop(EndCause::kOutputFlood);
      case Trap::kExit:
        end_.cause = EndCause::kExited;
        end_.exit_code = instance_.run().exit_code;
        return Next::kStop;
      default:
        end_.trap = trap;
        // An abort or a wild access while the deadline has passed is still reported as what it is.
        return stop(EndCause::kEngineFault);
    }
  }

  Instance& instance_;
  const SnapshotHeader& header_;
  EngineHost& host_;
  Compiled compiled_;
  JsValue main_ = kJsUndefined;
  bool main_pending_ = false;
  bool go_on_ = false;
  RunEnd end_;
};

}  // namespace

void restore(Instance& instance, const SnapshotHeader& header) noexcept {
  instance.adopt_memory(header.stack_pointer);
  instance.set_context(header.context, header.scratch);
  instance.set_import_error(header.hooks[static_cast<std::size_t>(Hook::kImportError)]);
  RunState& run = instance.run();
  run.host = nullptr;
  run.started_ns = 0;
  run.wants = 0;
  run.exit_code = 0;
  run.grow_refused = false;
  run.calls_in_flight = 0;
  run.rejection_count = 0;
}

RunEnd run_snippet(Instance& instance, const SnapshotHeader& header,
                   std::span<const std::uint8_t> code, EngineHost& host, std::uint32_t heap_bytes,
                   const GrantedClient& client) noexcept {
  return Runner(instance, header, host).run(code, heap_bytes, client);
}

}  // namespace plimsoll::engine
