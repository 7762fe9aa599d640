#include "engine/instance.h"

namespace plimsoll::engine {

namespace {
constinit thread_local Instance* t_in_construction = nullptr;
constinit bool g_module_ready = false;
}  // namespace

Instance* Instance::in_construction() noexcept { return t_in_construction; }

Trap Instance::instantiate() noexcept {
  if (!g_module_ready) {
    Z_qjs_init_module();
    g_module_ready = true;
  }
  t_in_construction = this;
  const Trap trap = enter_guest(*this, [this] {
    Z_qjs_instantiate(&module_, &env_, &wasi_);
    Z_qjsZ__initialize(&module_);
  });
  t_in_construction = nullptr;
  return trap;
}

void Instance::adopt_memory(std::uint32_t stack_pointer) noexcept {
  module_.w2c_memory.data = memory_->base();
  module_.w2c_memory.size = static_cast<std::uint32_t>(memory_->size());
  module_.w2c_memory.pages = static_cast<std::uint32_t>(memory_->size() / kWasmPage);
  module_.w2c_memory.max_pages = static_cast<std::uint32_t>(memory_->max_bytes() / kWasmPage);
  module_.w2c___stack_pointer = stack_pointer;
}

std::string_view Instance::c_string(GuestPtr at, std::size_t max) noexcept {
  const std::size_t size = memory_->size();
  if (at >= size) return {};
  const std::size_t limit = size - at < max ? size - at : max;
  const auto* text = reinterpret_cast<const char*>(memory_->base() + at);
  return {text, ::strnlen(text, limit)};
}

void Instance::allocate_memory(wasm_rt_memory_t* memory, std::uint32_t initial,
                               std::uint32_t max) noexcept {
  if (!memory_->grow_to(std::size_t{initial} * kWasmPage)) trap(Trap::kOutOfBounds);
  memory->data = memory_->base();
  memory->pages = initial;
  memory->size = static_cast<std::uint32_t>(memory_->size());
  const auto cap = static_cast<std::uint32_t>(memory_->max_bytes() / kWasmPage);
  memory->max_pages = cap < max ? cap : max;
}

void Instance::allocate_table(wasm_rt_funcref_table_t* table, std::uint32_t size,
                              std::uint32_t max) noexcept {
  if (size > kTableSize) trap(Trap::kIndirectCall);
  table->data = table_.data();
  table->size = size;
  table->max_size = max;
}

std::uint32_t Instance::grow_memory(wasm_rt_memory_t* memory, std::uint32_t delta) noexcept {
  constexpr auto kRefused = static_cast<std::uint32_t>(-1);
  const std::uint32_t old_pages = memory->pages;
  const std::uint64_t new_pages = std::uint64_t{old_pages} + delta;
  if (new_pages > memory->max_pages) {
    run_.grow_refused = true;
    return kRefused;
  }
  // A jump out of the middle would leave the size and the protection at odds.
  HostScope host;
  std::uint32_t result = kRefused;
  if (memory_->grow_to(new_pages * kWasmPage)) {
    memory->pages = static_cast<std::uint32_t>(new_pages);
    memory->size = static_cast<std::uint32_t>(memory_->size());
    result = old_pages;
  } else {
    run_.grow_refused = true;
  }
  host.resume(Trap::kNone);
  return result;
}

}  // namespace plimsoll::engine
