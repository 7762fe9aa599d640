// One instance of the translated engine: its memory, its table, and bounded access to both.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "engine/engine_host.h"
#include "engine/guest_thread.h"
#include "engine/linear_memory.h"
#include "qjs.h"

namespace plimsoll::engine {

class Instance;

}  // namespace plimsoll::engine

// The translated code hands these back to the imports, which find their instance by them.
struct Z_env_instance_t {
  plimsoll::engine::Instance* instance;
};
struct Z_wasi_snapshot_preview1_instance_t {
  plimsoll::engine::Instance* instance;
};

namespace plimsoll::engine {

// An address in the guest's linear memory.
using GuestPtr = std::uint32_t;

// A JavaScript value as the engine encodes it (NaN boxing, 64 bits).
using JsValue = std::uint64_t;

inline constexpr JsValue kJsFalse = JsValue{1} << 32;
inline constexpr JsValue kJsTrue = kJsFalse | 1;
inline constexpr JsValue kJsNull = JsValue{2} << 32;
inline constexpr JsValue kJsUndefined = JsValue{3} << 32;

[[nodiscard]] constexpr std::int32_t js_tag(JsValue value) noexcept {
  return static_cast<std::int32_t>(value >> 32);
}
// Values that live in the heap and are counted: the tags -9 to -1. (A double's upper half may look
// negative too; it is always below these.)
[[nodiscard]] constexpr bool is_heap(JsValue value) noexcept {
  return value >= JsValue{0xffff'fff7} << 32;
}
[[nodiscard]] constexpr bool is_exception(JsValue value) noexcept { return js_tag(value) == 6; }
[[nodiscard]] constexpr bool is_object(JsValue value) noexcept { return js_tag(value) == -1; }
[[nodiscard]] constexpr bool is_string(JsValue value) noexcept {
  return js_tag(value) == -7 || js_tag(value) == -6;  // flat, rope
}
[[nodiscard]] constexpr bool is_int(JsValue value) noexcept { return js_tag(value) == 0; }
[[nodiscard]] constexpr JsValue js_int(std::int32_t value) noexcept {
  return static_cast<std::uint32_t>(value);
}

// What a run leaves in the instance, besides the linear memory. Reset before each run.
struct RunState {
  EngineHost* host = nullptr;
  std::uint64_t started_ns = 0;
  std::uint32_t wants = 0;  // bits of the native want()
  int exit_code = 0;        // of the native exit()
  bool grow_refused = false;
  std::uint32_t calls_in_flight = 0;  // of the native host_call(), not answered yet

  // Promises that were rejected and have no handler yet, oldest first, with their reasons.
  struct Rejection {
    JsValue promise = kJsUndefined;
    JsValue reason = kJsUndefined;
  };
  static constexpr std::size_t kMaxRejections = 256;
  std::array<Rejection, kMaxRejections> rejections{};
  std::size_t rejection_count = 0;
};

class Instance {
 public:
  // `memory` must outlive this.
  explicit Instance(LinearMemory& memory) noexcept : memory_(&memory) {}
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;

  // Initialises memory, table and globals as the module says. Once; the thread must be bound.
  [[nodiscard]] Trap instantiate() noexcept;

  // After the linear memory was attached or reset: takes its size over and sets the one global.
  void adopt_memory(std::uint32_t stack_pointer) noexcept;

  // Makes the calling thread able to run this instance's code (the translated code finds the linear
  // memory through a segment register). False when the host cannot.
  [[nodiscard]] bool bind_thread() const noexcept;

  [[nodiscard]] Z_qjs_instance_t* raw() noexcept { return &module_; }
  [[nodiscard]] LinearMemory& memory() noexcept { return *memory_; }
  [[nodiscard]] std::uint32_t stack_pointer() const noexcept { return module_.w2c___stack_pointer; }
  [[nodiscard]] RunState& run() noexcept { return run_; }
  [[nodiscard]] GuestPtr context() const noexcept { return context_; }
  void set_context(GuestPtr context, GuestPtr scratch) noexcept {
    context_ = context;
    scratch_ = scratch;
  }
  // 64 bytes of guest memory for out-parameters.
  [[nodiscard]] GuestPtr scratch() const noexcept { return scratch_; }
  // The prelude's function that makes the error for an import, or undefined.
  [[nodiscard]] JsValue import_error() const noexcept { return import_error_; }
  void set_import_error(JsValue function) noexcept { import_error_ = function; }

  // Bounded access to guest memory: an empty span when [at, at + size) is not all inside.
  [[nodiscard]] std::span<std::uint8_t> bytes(GuestPtr at, std::uint64_t size) noexcept {
    if (size > memory_->size() || at > memory_->size() - size) return {};
    return {memory_->base() + at, static_cast<std::size_t>(size)};
  }
  // Reads a T; a default one when it is not inside.
  template <class T>
  [[nodiscard]] T load(GuestPtr at) noexcept {
    T value{};
    if (const auto from = bytes(at, sizeof(T)); !from.empty()) {
      std::memcpy(&value, from.data(), sizeof(T));
    }
    return value;
  }
  // False when it is not inside.
  template <class T>
  bool store(GuestPtr at, T value) noexcept {
    const auto to = bytes(at, sizeof(T));
    if (to.empty()) return false;
    std::memcpy(to.data(), &value, sizeof(T));
    return true;
  }
  // A NUL-terminated string of at most `max` bytes; cut there or at the end of memory.
  [[nodiscard]] std::string_view c_string(GuestPtr at, std::size_t max) noexcept;

  // For wasm_rt_*; see <wasm-rt.h>.
  void allocate_memory(wasm_rt_memory_t* memory, std::uint32_t initial, std::uint32_t max) noexcept;
  void allocate_table(wasm_rt_funcref_table_t* table, std::uint32_t size,
                      std::uint32_t max) noexcept;
  [[nodiscard]] std::uint32_t grow_memory(wasm_rt_memory_t* memory, std::uint32_t delta) noexcept;
  // The instance whose instantiate() is running on this thread.
  [[nodiscard]] static Instance* in_construction() noexcept;

 private:
  // The module's table has a fixed size; a larger one is a module that we do not know.
  static constexpr std::size_t kTableSize = 2'048;

  LinearMemory* memory_;
  Z_qjs_instance_t module_{};
  Z_env_instance_t env_{this};
  Z_wasi_snapshot_preview1_instance_t wasi_{this};
  std::array<wasm_rt_funcref_t, kTableSize> table_{};
  GuestPtr context_ = 0;
  GuestPtr scratch_ = 0;
  JsValue import_error_ = kJsUndefined;
  RunState run_;
};

}  // namespace plimsoll::engine
