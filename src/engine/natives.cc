#include "engine/natives.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/js_value.h"

namespace plimsoll::engine {

namespace {

constexpr double kNsPerMs = 1e6;
constexpr std::uint32_t kMaxRandomBytes = 65'536;

// A heap cell that owns `value`.
NativeReturn give(Instance& instance, JsValue value) noexcept {
  NativeReturn result;
  result.trap = enter_guest(instance, [&] { result.cell = Z_qjsZ_wasm_malloc(instance.raw(), 8); });
  if (result.cell != 0) instance.store(result.cell, value);
  return result;
}

NativeReturn give_number(Instance& instance, double value) noexcept {
  JsValue boxed = kJsUndefined;
  const Trap trap = enter_guest(
      instance, [&] { boxed = Z_qjsZ_JS_NewNumber(instance.raw(), instance.context(), value); });
  if (trap != Trap::kNone) return {.trap = trap};
  return give(instance, boxed);
}

NativeReturn write(Instance& instance, NativeArgs args) noexcept {
  const JsValue fd = args.at(instance, 0);
  const Stream stream = fd == js_int(2) ? Stream::kStderr : Stream::kStdout;
  const GuestText text = text_of(instance, args.at(instance, 1));
  if (text.trap != Trap::kNone) return {.trap = text.trap};
  if (!text.ok) return {};  // the exception (not a string, not bytes, out of memory) is pending
  const WriteVerdict verdict = instance.run().host->write(stream, text.bytes);
  if (verdict == WriteVerdict::kStop) return {.trap = Trap::kOutputFlood};
  NativeReturn result;
  result.trap = enter_guest(instance, [&] {
    if (text.release != 0) {
      Z_qjsZ_JS_FreeCString(instance.raw(), instance.context(), text.release);
    }
    result.cell = Z_qjsZ_qjs_get_undefined(instance.raw());
  });
  return result;
}

NativeReturn exit_run(Instance& instance, NativeArgs args) noexcept {
  double code = 0;
  if (const Trap trap = to_number(instance, args.at(instance, 0), code); trap != Trap::kNone) {
    return {.trap = trap};
  }
  // As a process's exit status: the low eight bits.
  const double whole = std::isfinite(code) ? std::fmod(std::trunc(code), 4294967296.0) : 0;
  instance.run().exit_code = static_cast<int>(static_cast<std::int64_t>(whole) & 0xff);
  return {.trap = Trap::kExit};
}

NativeReturn random_bytes(Instance& instance, NativeArgs args) noexcept {
  double count = 0;
  if (const Trap trap = to_number(instance, args.at(instance, 0), count); trap != Trap::kNone) {
    return {.trap = trap};
  }
  if (!(count >= 0 && count <= kMaxRandomBytes)) return give(instance, kJsUndefined);
  const auto size = static_cast<std::uint32_t>(count);
  GuestPtr buffer = 0;
  Trap trap = enter_guest(instance, [&] { buffer = Z_qjsZ_wasm_malloc(instance.raw(), size + 1); });
  if (trap != Trap::kNone) return {.trap = trap};
  const auto to = instance.bytes(buffer, size);
  if (buffer == 0 || to.size() != size) return give(instance, kJsUndefined);
  instance.run().host->fill_random(to);
  JsValue array = kJsUndefined;
  trap = enter_guest(instance, [&] {
    array = Z_qjsZ_JS_NewUint8ArrayCopy(instance.raw(), instance.context(), buffer, size);
    Z_qjsZ_wasm_free(instance.raw(), buffer);
  });
  if (trap != Trap::kNone) return {.trap = trap};
  if (is_exception(array)) return {};
  return give(instance, array);
}

NativeReturn pair(Instance& instance, JsValue first, JsValue second) noexcept {
  JsValue array = kJsUndefined;
  const Trap trap = enter_guest(instance, [&] {
    Z_qjs_instance_t* raw = instance.raw();
    const GuestPtr context = instance.context();
    array = Z_qjsZ_JS_NewArray(raw, context);
    if (is_exception(array)) return;
    Z_qjsZ_JS_SetPropertyUint32(raw, context, array, 0, first);
    Z_qjsZ_JS_SetPropertyUint32(raw, context, array, 1, second);
  });
  if (trap != Trap::kNone) return {.trap = trap};
  if (is_exception(array)) return {};
  return give(instance, array);
}

NativeReturn proxy(Instance& instance, NativeArgs args) noexcept {
  const JsValue value = args.at(instance, 0);
  JsValue target = kJsUndefined;
  JsValue handler = kJsUndefined;
  bool is_proxy = false;
  const Trap trap = enter_guest(instance, [&] {
    is_proxy = is_object(value) && Z_qjsZ_JS_IsProxy(instance.raw(), value) != 0;
    if (!is_proxy) return;
    target = Z_qjsZ_JS_GetProxyTarget(instance.raw(), instance.context(), value);
    handler = Z_qjsZ_JS_GetProxyHandler(instance.raw(), instance.context(), value);
  });
  if (trap != Trap::kNone) return {.trap = trap};
  if (!is_proxy) return give(instance, kJsUndefined);
  // A revoked proxy has neither.
  if (is_exception(target) || is_exception(handler)) {
    JsValue dropped = kJsUndefined;
    if (const Trap t = take_exception(instance, dropped); t != Trap::kNone) return {.trap = t};
    return pair(instance, kJsNull, kJsNull);
  }
  return pair(instance, target, handler);
}

NativeReturn promise(Instance& instance, NativeArgs args) noexcept {
  const JsValue value = args.at(instance, 0);
  std::int32_t state = -1;
  JsValue result = kJsUndefined;
  const Trap trap = enter_guest(instance, [&] {
    if (!is_object(value)) return;
    state = static_cast<std::int32_t>(
        Z_qjsZ_JS_PromiseState(instance.raw(), instance.context(), value));
    if (state > 0) result = Z_qjsZ_JS_PromiseResult(instance.raw(), instance.context(), value);
  });
  if (trap != Trap::kNone) return {.trap = trap};
  if (state < 0) return give(instance, kJsUndefined);
  return pair(instance, js_int(state), result);
}

NativeReturn kind(Instance& instance, NativeArgs args) noexcept {
  const JsValue value = args.at(instance, 0);
  JsValue name = kJsUndefined;
  const Trap trap = enter_guest(instance, [&] {
    Z_qjs_instance_t* raw = instance.raw();
    const GuestPtr context = instance.context();
    const bool is_proxy = is_object(value) && Z_qjsZ_JS_IsProxy(raw, value) != 0;
    const u32 class_id = is_object(value) && !is_proxy ? Z_qjsZ_JS_GetClassID(raw, value) : 0;
    if (class_id == 0) {
      const GuestPtr text = instance.scratch();
      instance.store(text, std::array<char, 6>{'P', 'r', 'o', 'x', 'y', 0});
      name = Z_qjsZ_JS_NewStringLen(raw, context, text, is_proxy ? 5 : 0);
      return;
    }
    const u32 atom = Z_qjsZ_JS_GetClassName(raw, Z_qjsZ_JS_GetRuntime(raw, context), class_id);
    name = Z_qjsZ_JS_AtomToString(raw, context, atom);
    Z_qjsZ_JS_FreeAtom(raw, context, atom);
  });
  if (trap != Trap::kNone) return {.trap = trap};
  if (is_exception(name)) return {};
  return give(instance, name);
}

// The text of an argument, cut one byte beyond `max`: enough for the host to see that it is too
// long. An argument that is no string and no bytes throws.
struct CallText {
  GuestText text;
  std::span<const std::uint8_t> bytes;
};

CallText call_text(Instance& instance, JsValue value, std::size_t max) noexcept {
  CallText out{.text = text_of(instance, value), .bytes = {}};
  if (out.text.trap == Trap::kNone && out.text.ok) {
    out.bytes = out.text.bytes.first(std::min(out.text.bytes.size(), max + 1));
  }
  return out;
}

// Never moves memory between the reading of the texts and the call: the host gets them as they lie.
NativeReturn host_call(Instance& instance, NativeArgs args) noexcept {
  double id = 0;
  if (const Trap trap = to_number(instance, args.at(instance, 0), id); trap != Trap::kNone) {
    return {.trap = trap};
  }
  constexpr double kMaxId = 2147483647.0;
  if (!(id >= 0 && id <= kMaxId)) return give(instance, kJsFalse);
  const JsValue body_value = args.at(instance, 3);
  const bool has_body = body_value != kJsUndefined;
  std::array<CallText, 3> parts;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i == 2 && !has_body) break;
    constexpr std::array<std::size_t, 3> kMax = {kMaxCallMethod, kMaxCallTarget, kMaxCallBody};
    parts[i] = call_text(instance, args.at(instance, static_cast<std::uint32_t>(i + 1)), kMax[i]);
    if (parts[i].text.trap != Trap::kNone) return {.trap = parts[i].text.trap};
    if (!parts[i].text.ok) return {};
  }
  const bool sent = instance.run().host->call_host({.id = static_cast<std::uint32_t>(id),
                                                    .has_body = has_body,
                                                    .method = parts[0].bytes,
                                                    .target = parts[1].bytes,
                                                    .body = parts[2].bytes});
  if (sent) ++instance.run().calls_in_flight;
  for (const CallText& part : parts) {
    if (const Trap trap = free_text(instance, part.text); trap != Trap::kNone) {
      return {.trap = trap};
    }
  }
  return give(instance, sent ? kJsTrue : kJsFalse);
}

}  // namespace

JsValue NativeArgs::at(Instance& instance, std::uint32_t index) const noexcept {
  if (index >= count) return kJsUndefined;
  const auto cell = instance.load<GuestPtr>(pointers + 4 * index);
  return cell == 0 ? kJsUndefined : instance.load<JsValue>(cell);
}

NativeReturn call_native(Instance& instance, char id, NativeArgs args) noexcept {
  EngineHost* const host = instance.run().host;
  if (host == nullptr) return give(instance, kJsUndefined);
  switch (id) {
    case 'w':
      return write(instance, args);
    case 'e':
      return exit_run(instance, args);
    case 'r':
      return random_bytes(instance, args);
    case 'n': {
      const auto ns = host->monotonic_ns() - instance.run().started_ns;
      return give_number(instance, static_cast<double>(ns) / kNsPerMs);
    }
    case 'c':
      return give_number(instance, static_cast<double>(host->wall_ns()) / kNsPerMs);
    case 'l': {
      double bits = 0;
      if (const Trap trap = to_number(instance, args.at(instance, 0), bits); trap != Trap::kNone) {
        return {.trap = trap};
      }
      if (bits >= 0 && bits <= 7) instance.run().wants |= static_cast<std::uint32_t>(bits);
      return give(instance, kJsUndefined);
    }
    case 'p':
      return proxy(instance, args);
    case 'k':
      return kind(instance, args);
    case 's':
      return promise(instance, args);
    case 'h':
      return host_call(instance, args);
    default:
      return give(instance, kJsUndefined);
  }
}

}  // namespace plimsoll::engine
