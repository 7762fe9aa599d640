#include "engine/js_value.h"

#include <cmath>
#include <cstring>
#include <limits>

namespace plimsoll::engine {

namespace {
// The scratch area: [0, 8) an out-parameter, [8, 40) call arguments, [40, 64) a short name.
constexpr GuestPtr kArgsAt = 8;
constexpr GuestPtr kNameAt = 40;
constexpr std::size_t kNameMax = 24;
}  // namespace

GuestText text_of(Instance& instance, JsValue value) noexcept {
  GuestText text;
  GuestPtr at = 0;
  const bool string = is_string(value);
  text.trap = enter_guest(instance, [&] {
    at = string ? Z_qjsZ_JS_ToCStringLen2(instance.raw(), instance.context(), instance.scratch(),
                                          value, 0)
                : Z_qjsZ_JS_GetUint8Array(instance.raw(), instance.context(), instance.scratch(),
                                          value);
  });
  if (text.trap != Trap::kNone || at == 0) return text;
  const auto size = instance.load<std::uint32_t>(instance.scratch());
  text.bytes = instance.bytes(at, size);
  text.ok = text.bytes.size() == size;
  text.release = string ? at : 0;
  return text;
}

Trap free_text(Instance& instance, const GuestText& text) noexcept {
  if (text.release == 0) return Trap::kNone;
  return enter_guest(
      instance, [&] { Z_qjsZ_JS_FreeCString(instance.raw(), instance.context(), text.release); });
}

Trap to_number(Instance& instance, JsValue value, double& out) noexcept {
  if (is_int(value)) {
    out = static_cast<std::int32_t>(static_cast<std::uint32_t>(value));
    return Trap::kNone;
  }
  out = std::numeric_limits<double>::quiet_NaN();
  if (is_heap(value)) return Trap::kNone;  // object, string, symbol, BigInt
  const Trap trap = enter_guest(instance, [&] {
    Z_qjsZ_JS_ToFloat64(instance.raw(), instance.context(), instance.scratch(), value);
  });
  if (trap == Trap::kNone) out = instance.load<double>(instance.scratch());
  return trap;
}

Trap free_value(Instance& instance, JsValue value) noexcept {
  if (!is_heap(value)) return Trap::kNone;
  return enter_guest(instance,
                     [&] { Z_qjsZ_JS_FreeValue(instance.raw(), instance.context(), value); });
}

Trap take_exception(Instance& instance, JsValue& out) noexcept {
  return enter_guest(instance,
                     [&] { out = Z_qjsZ_JS_GetException(instance.raw(), instance.context()); });
}

Trap new_string(Instance& instance, std::span<const std::uint8_t> bytes, JsValue& out) noexcept {
  GuestPtr buffer = 0;
  const auto size = static_cast<std::uint32_t>(bytes.size());
  Trap trap = enter_guest(instance, [&] {
    buffer = Z_qjsZ_wasm_malloc(instance.raw(), size + 1);
    if (buffer == 0) out = Z_qjsZ_JS_ThrowOutOfMemory(instance.raw(), instance.context());
  });
  if (trap != Trap::kNone || buffer == 0) return trap;
  if (const auto to = instance.bytes(buffer, size); !to.empty()) {
    std::memcpy(to.data(), bytes.data(), size);
  }
  return enter_guest(instance, [&] {
    out = Z_qjsZ_JS_NewStringLen(instance.raw(), instance.context(), buffer, size);
    Z_qjsZ_wasm_free(instance.raw(), buffer);
  });
}

Trap call_function(Instance& instance, JsValue function, std::span<const JsValue> args,
                   JsValue& out) noexcept {
  const auto count = static_cast<std::uint32_t>(args.size() < 4 ? args.size() : 4);
  for (std::uint32_t i = 0; i < count; ++i) {
    instance.store(instance.scratch() + kArgsAt + 8 * i, args[i]);
  }
  return enter_guest(instance, [&] {
    out = Z_qjsZ_JS_Call(instance.raw(), instance.context(), function, kJsUndefined, count,
                         instance.scratch() + kArgsAt);
  });
}

Trap get_property(Instance& instance, JsValue object, const char* name, JsValue& out) noexcept {
  const std::size_t size = std::strlen(name) + 1;
  const auto to = instance.bytes(instance.scratch() + kNameAt, kNameMax);
  if (to.empty() || size > kNameMax) {
    out = kJsUndefined;
    return Trap::kNone;
  }
  std::memcpy(to.data(), name, size);
  return enter_guest(instance, [&] {
    out = Z_qjsZ_JS_GetPropertyStr(instance.raw(), instance.context(), object,
                                   instance.scratch() + kNameAt);
  });
}

}  // namespace plimsoll::engine
