#include "engine/boot.h"

#include <array>
#include <bit>
#include <cstring>
#include <string_view>

#include "engine/js_value.h"
#include "engine/natives.h"

namespace plimsoll::engine {

namespace {

constexpr std::uint32_t kScratchBytes = 64;
constexpr std::size_t kContextSearchWords = 512;
// What a run may allocate before the first garbage collection.
constexpr std::uint32_t kFirstGcBytes = 8u << 20;
// JS_WRITE_OBJ_STRIP_SOURCE (quickjs.h).
constexpr std::uint32_t kStripSource = 16;
// QuickJS stops recursion this far above the end of its stack, for its own C frames.
constexpr std::uint32_t kStackHeadroom = 256u << 10;

constexpr std::uint64_t xorshift(std::uint64_t x) noexcept {
  x ^= x >> 12;
  x ^= x << 25;
  return x ^ (x >> 27);
}

class Boot {
 public:
  Boot(Instance& instance, EngineHost& host) noexcept : instance_(instance), host_(host) {}

  const char* compile(std::span<const std::uint8_t> source,
                      std::span<const std::uint8_t>& out) noexcept {
    if (const char* problem = start()) return problem;
    const GuestPtr name = keep_string("plimsoll:prelude");
    const GuestPtr text =
        keep_string({reinterpret_cast<const char*>(source.data()), source.size()});
    if (name == 0 || text == 0) return "no memory for the prelude's source";
    GuestPtr code = 0;
    const Trap trap = enter_guest(instance_, [&] {
      code = Z_qjsZ_qjs_compile(instance_.raw(), text, static_cast<std::uint32_t>(source.size()),
                                name, 0, kStripSource, header_.scratch);
    });
    if (trap != Trap::kNone || code == 0) {
      show_exception();
      return "the prelude does not compile";
    }
    out = instance_.bytes(code, instance_.load<std::uint32_t>(header_.scratch));
    return nullptr;
  }

  const char* run(std::span<const std::uint8_t> bytecode, SnapshotHeader& out) noexcept {
    if (const char* problem = start()) return problem;
    if (!find_random_state()) return "the state of Math.random was not found";
    if (!add_natives()) return "the natives could not be added";
    if (!evaluate(bytecode)) return "the prelude failed";
    if (!find_hooks()) return "the prelude lacks a hook";
    out = header_;
    out.magic = kSnapshotMagic;
    out.memory_bytes = static_cast<std::uint32_t>(instance_.memory().size());
    out.stack_pointer = instance_.stack_pointer();
    return nullptr;
  }

 private:
  // A C string in guest memory, never freed; 0 when memory is out.
  GuestPtr keep_string(std::string_view text) noexcept {
    GuestPtr at = 0;
    const auto size = static_cast<std::uint32_t>(text.size());
    if (enter_guest(instance_, [&] { at = Z_qjsZ_wasm_malloc(instance_.raw(), size + 1); }) !=
        Trap::kNone) {
      return 0;
    }
    const auto to = instance_.bytes(at, size + 1);
    if (at == 0 || to.empty()) return 0;
    std::memcpy(to.data(), text.data(), size);
    to[size] = 0;
    return at;
  }

  const char* start() noexcept {
    instance_.run().host = &host_;
    if (instance_.instantiate() != Trap::kNone) return "the module did not initialise";
    return start_engine() ? nullptr : "the engine did not start";
  }

  bool start_engine() noexcept {
    bool ok = false;
    const Trap trap = enter_guest(instance_, [&] {
      Z_qjs_instance_t* raw = instance_.raw();
      // A larger stack than the module was linked with; it only ever grows downwards.
      const GuestPtr stack = Z_qjsZ_wasm_malloc(raw, kGuestStackBytes);
      if (stack == 0) return;
      raw->w2c___stack_pointer = (stack + kGuestStackBytes) & ~15u;
      if (Z_qjsZ_qjs_init(raw) != 0) return;
      Z_qjsZ_qjs_set_max_stack_size(raw, kGuestStackBytes - kStackHeadroom);
      Z_qjsZ_qjs_set_interrupt_handler(raw, 1);
      Z_qjsZ_qjs_set_module_loader(raw, 1);
      Z_qjsZ_qjs_set_promise_rejection_handler(raw, 1);
      header_.context = Z_qjsZ_qjs_get_context_ptr(raw);
      header_.scratch = Z_qjsZ_wasm_malloc(raw, kScratchBytes);
      ok = header_.context != 0 && header_.scratch != 0;
    });
    if (trap != Trap::kNone || !ok) return false;
    instance_.set_context(header_.context, header_.scratch);
    header_.file_name = keep_string("[snippet]");
    return header_.file_name != 0;
  }

  // The state is the one word of the context that Math.random() moves on as xorshift64* does.
  bool find_random_state() noexcept {
    std::array<std::uint64_t, kContextSearchWords> before{};
    for (std::size_t i = 0; i < before.size(); ++i) before[i] = context_word(i);
    JsValue value = kJsUndefined;
    if (!eval("Math.random()", value)) return false;
    for (std::size_t i = 0; i < before.size(); ++i) {
      if (before[i] == 0 || context_word(i) != xorshift(before[i])) continue;
      if (header_.random_state != 0) return false;  // not unique
      header_.random_state = header_.context + static_cast<std::uint32_t>(8 * i);
    }
    return header_.random_state != 0 && random_state_is_real();
  }

  [[nodiscard]] std::uint64_t context_word(std::size_t index) noexcept {
    return instance_.load<std::uint64_t>(header_.context + static_cast<std::uint32_t>(8 * index));
  }

  // Whether Math.random() follows from what we put there.
  bool random_state_is_real() noexcept {
    constexpr std::uint64_t kState = 0x9e37'79b9'7f4a'7c15ULL;
    instance_.store(header_.random_state, kState);
    const std::uint64_t bits =
        ((xorshift(kState) * 0x2545'f491'4f6c'dd1dULL) >> 12) | (std::uint64_t{0x3ff} << 52);
    JsValue value = kJsUndefined;
    if (!eval("Math.random()", value)) return false;
    double got = -1;
    return to_number(instance_, value, got) == Trap::kNone &&
           got == std::bit_cast<double>(bits) - 1.0;
  }

  bool eval(std::string_view source, JsValue& out) noexcept {
    const GuestPtr at = keep_string(source);
    if (at == 0) return false;
    const auto size = static_cast<std::uint32_t>(source.size());
    const Trap trap = enter_guest(instance_, [&] {
      out = Z_qjsZ_JS_Eval(instance_.raw(), header_.context, at, size, header_.file_name, 0);
      Z_qjsZ_wasm_free(instance_.raw(), at);
    });
    if (trap != Trap::kNone) return false;
    if (is_exception(out)) {
      show_exception();
      return false;
    }
    return true;
  }

  void show_exception() noexcept {
    JsValue error = kJsUndefined;
    if (take_exception(instance_, error) != Trap::kNone) return;
    for (const char* part : {"message", "stack"}) {
      JsValue value = kJsUndefined;
      if (get_property(instance_, error, part, value) != Trap::kNone) return;
      if (!is_string(value)) continue;
      const GuestText text = text_of(instance_, value);
      if (text.trap == Trap::kNone && text.ok) (void)host_.write(Stream::kStderr, text.bytes);
    }
  }

  bool add_natives() noexcept {
    JsValue object = kJsUndefined;
    const GuestPtr object_name = keep_string("__plimsoll");
    if (object_name == 0) return false;
    Trap trap = enter_guest(
        instance_, [&] { object = Z_qjsZ_JS_NewObject(instance_.raw(), header_.context); });
    if (trap != Trap::kNone || is_exception(object)) return false;
    for (const Native& native : kNatives) {
      const GuestPtr id = keep_string({&native.id, 1});
      const GuestPtr property = keep_string(native.property);
      if (id == 0 || property == 0) return false;
      bool ok = false;
      trap = enter_guest(instance_, [&] {
        const GuestPtr cell = Z_qjsZ_qjs_new_host_function(instance_.raw(), id, 1, 0);
        if (cell == 0) return;
        const JsValue function = instance_.load<JsValue>(cell);
        ok = !is_exception(function) &&
             Z_qjsZ_JS_SetPropertyStr(instance_.raw(), header_.context, object, property,
                                      function) != static_cast<u32>(-1);
        Z_qjsZ_wasm_free(instance_.raw(), cell);
      });
      if (trap != Trap::kNone || !ok) return false;
    }
    trap = enter_guest(instance_, [&] {
      const JsValue global = Z_qjsZ_JS_GetGlobalObject(instance_.raw(), header_.context);
      Z_qjsZ_JS_SetPropertyStr(instance_.raw(), header_.context, global, object_name, object);
      Z_qjsZ_JS_FreeValue(instance_.raw(), header_.context, global);
    });
    return trap == Trap::kNone;
  }

  bool evaluate(std::span<const std::uint8_t> bytecode) noexcept {
    const GuestPtr code =
        keep_string({reinterpret_cast<const char*>(bytecode.data()), bytecode.size()});
    if (code == 0) return false;
    GuestPtr result = 0;
    const Trap trap = enter_guest(instance_, [&] {
      result = Z_qjsZ_qjs_eval_bytecode(instance_.raw(), code,
                                        static_cast<std::uint32_t>(bytecode.size()));
      Z_qjsZ_wasm_free(instance_.raw(), code);
    });
    if (trap != Trap::kNone) return false;
    if (result != 0) hooks_ = instance_.load<JsValue>(result);
    if (result == 0 || is_exception(hooks_)) {
      show_exception();
      return false;
    }
    for (;;) {  // the promises that the prelude made while it was evaluated
      std::int32_t left = 0;
      const Trap ended = enter_guest(instance_, [&] {
        left = static_cast<std::int32_t>(Z_qjsZ_qjs_execute_pending_job(instance_.raw()));
      });
      if (ended != Trap::kNone || left < 0) return false;
      if (left == 0) break;
    }
    return enter_guest(instance_, [&] {
             Z_qjs_instance_t* raw = instance_.raw();
             Z_qjsZ_qjs_run_gc(raw);
             // A collection visits, and so dirties, every object of the prelude: not in a short
             // run.
             Z_qjsZ_qjs_set_gc_threshold(raw, Z_qjsZ_qjs_get_allocated_size(raw) + kFirstGcBytes);
           }) == Trap::kNone;
  }

  bool find_hooks() noexcept {
    for (std::size_t i = 0; i < kHookNames.size(); ++i) {
      JsValue value = kJsUndefined;
      if (get_property(instance_, hooks_, kHookNames[i], value) != Trap::kNone) return false;
      bool callable = false;
      const Trap trap = enter_guest(instance_, [&] {
        callable = Z_qjsZ_JS_IsFunction(instance_.raw(), header_.context, value) != 0;
      });
      if (trap != Trap::kNone || !callable) return false;
      header_.hooks[i] = value;
    }
    return true;
  }

  Instance& instance_;
  EngineHost& host_;
  SnapshotHeader header_;
  JsValue hooks_ = kJsUndefined;
};

}  // namespace

const char* compile_prelude(Instance& instance, EngineHost& host,
                            std::span<const std::uint8_t> source,
                            std::span<const std::uint8_t>& out) noexcept {
  return Boot(instance, host).compile(source, out);
}

const char* boot(Instance& instance, EngineHost& host, std::span<const std::uint8_t> bytecode,
                 SnapshotHeader& out) noexcept {
  return Boot(instance, host).run(bytecode, out);
}

}  // namespace plimsoll::engine
