#include "engine/reply.h"

#include <algorithm>
#include <cstdint>
#include <span>

#include "engine/js_value.h"

namespace plimsoll::engine {

namespace {

constexpr std::int32_t kRefused = 1 << 16;  // added to the status

void drop(EngineHost& host, std::uint32_t size) noexcept {
  std::array<std::uint8_t, 4096> chunk{};
  while (size > 0) {
    const std::uint32_t take = std::min<std::uint32_t>(size, chunk.size());
    host.take_reply(std::span(chunk).first(take));
    size -= take;
  }
}

// A string of the answer's next `size` bytes.
Trap take_string(Instance& instance, EngineHost& host, std::uint32_t size, JsValue& out) noexcept {
  GuestPtr at = 0;
  Trap trap = enter_guest(instance, [&] { at = Z_qjsZ_wasm_malloc(instance.raw(), size + 1); });
  const std::span<std::uint8_t> into = instance.bytes(at, std::uint64_t{size} + 1);
  if (trap != Trap::kNone || at == 0 || into.empty()) {
    drop(host, size);
    return trap;
  }
  host.take_reply(into.first(size));
  trap = new_string(instance, into.first(size), out);
  if (trap != Trap::kNone) return trap;
  if (is_exception(out)) {
    trap = take_exception(instance, out);
    if (trap == Trap::kNone) trap = free_value(instance, out);
    if (trap != Trap::kNone) return trap;
    out = kJsUndefined;
  }
  return enter_guest(instance, [&] { Z_qjsZ_wasm_free(instance.raw(), at); });
}

}  // namespace

Trap reply_arguments(Instance& instance, EngineHost& host, const HostReply& reply,
                     std::array<JsValue, 4>& args) noexcept {
  args = {js_int(static_cast<std::int32_t>(reply.id)),
          js_int(reply.status | (reply.refused ? kRefused : 0)), kJsUndefined, kJsUndefined};
  const Trap trap = take_string(instance, host, reply.type_bytes, args[2]);
  return trap == Trap::kNone ? take_string(instance, host, reply.body_bytes, args[3]) : trap;
}

}  // namespace plimsoll::engine
