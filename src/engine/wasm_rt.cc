// The runtime that the translated engine calls: wasm_rt_* of <wasm-rt.h>, our own (the packaged one
// keeps one jump buffer and one signal stack for the whole process; see deps/banned.txt).
#include <wasm-rt.h>

#include <cstdarg>
#include <cstddef>
#include <cstdint>

#include "engine/guest_thread.h"
#include "engine/instance.h"

namespace plimsoll::engine {
namespace {

// A function type, as its parameter and result types in order.
constexpr std::size_t kMaxFuncTypes = 256;
constexpr std::size_t kMaxArity = 32;

struct FuncType {
  std::uint8_t params = 0;
  std::uint8_t results = 0;
  std::uint8_t types[kMaxArity] = {};
};

// Written once, when the module is initialised; only read afterwards.
constinit FuncType g_types[kMaxFuncTypes];
constinit std::uint32_t g_type_count = 0;

bool same(const FuncType& a, const FuncType& b) noexcept {
  if (a.params != b.params || a.results != b.results) return false;
  for (std::size_t i = 0; i < std::size_t{a.params} + b.results; ++i) {
    if (a.types[i] != b.types[i]) return false;
  }
  return true;
}

Trap to_trap(wasm_rt_trap_t code) noexcept {
  switch (code) {
    case WASM_RT_TRAP_OOB:
      return Trap::kOutOfBounds;
    case WASM_RT_TRAP_INT_OVERFLOW:
    case WASM_RT_TRAP_DIV_BY_ZERO:
    case WASM_RT_TRAP_INVALID_CONVERSION:
      return Trap::kArithmetic;
    case WASM_RT_TRAP_CALL_INDIRECT:
      return Trap::kIndirectCall;
    case WASM_RT_TRAP_EXHAUSTION:
      return Trap::kStackExhausted;
    case WASM_RT_TRAP_NONE:
    case WASM_RT_TRAP_UNREACHABLE:
    case WASM_RT_TRAP_UNCAUGHT_EXCEPTION:
      break;
  }
  return Trap::kUnreachable;
}

}  // namespace
}  // namespace plimsoll::engine

using plimsoll::engine::Instance;

extern "C" {

bool wasm_rt_is_initialized() { return true; }  // nothing to initialise

void wasm_rt_trap(wasm_rt_trap_t code) { plimsoll::engine::trap(plimsoll::engine::to_trap(code)); }

std::uint32_t wasm_rt_register_func_type(std::uint32_t params, std::uint32_t results, ...) {
  using plimsoll::engine::FuncType;
  if (params + results > plimsoll::engine::kMaxArity) __builtin_trap();
  FuncType type;
  type.params = static_cast<std::uint8_t>(params);
  type.results = static_cast<std::uint8_t>(results);
  va_list args;
  va_start(args, results);
  for (std::uint32_t i = 0; i < params + results; ++i) {
    type.types[i] = static_cast<std::uint8_t>(va_arg(args, int));
  }
  va_end(args);
  for (std::uint32_t i = 0; i < plimsoll::engine::g_type_count; ++i) {
    if (plimsoll::engine::same(plimsoll::engine::g_types[i], type)) return i + 1;
  }
  if (plimsoll::engine::g_type_count == plimsoll::engine::kMaxFuncTypes) __builtin_trap();
  plimsoll::engine::g_types[plimsoll::engine::g_type_count++] = type;
  return plimsoll::engine::g_type_count;
}

void wasm_rt_allocate_memory(wasm_rt_memory_t* memory, std::uint32_t initial_pages,
                             std::uint32_t max_pages) {
  Instance::in_construction()->allocate_memory(memory, initial_pages, max_pages);
}

std::uint32_t wasm_rt_grow_memory(wasm_rt_memory_t* memory, std::uint32_t pages) {
  return plimsoll::engine::guest_thread().instance->grow_memory(memory, pages);
}

void wasm_rt_free_memory(wasm_rt_memory_t*) {}

void wasm_rt_allocate_funcref_table(wasm_rt_funcref_table_t* table, std::uint32_t elements,
                                    std::uint32_t max_elements) {
  Instance::in_construction()->allocate_table(table, elements, max_elements);
}

void wasm_rt_free_funcref_table(wasm_rt_funcref_table_t*) {}

}  // extern "C"
