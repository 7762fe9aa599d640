// The module's imports. Each first leaves the guest (HostScope) and checks every address.
#include <cstdint>

#include "engine/instance.h"
#include "engine/js_value.h"
#include "engine/natives.h"

namespace plimsoll::engine {
namespace {

constexpr std::uint64_t kWasiBadAddress = 21;  // errno EFAULT of wasi_snapshot_preview1
constexpr u32 kWasiBadFd = 8;                  // EBADF
constexpr u32 kWasiNoSys = 52;                 // ENOSYS
constexpr std::size_t kMaxSpecifier = 1'024;

// Throws the prelude's error for an import of the module named at `name`.
Trap throw_import_error(Instance& instance, GuestPtr name) noexcept {
  const std::string_view text = instance.c_string(name, kMaxSpecifier);
  JsValue specifier = kJsUndefined;
  Trap trap = new_string(
      instance, {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}, specifier);
  if (trap != Trap::kNone || is_exception(specifier)) return trap;
  JsValue error = kJsUndefined;
  const JsValue args[] = {specifier};
  trap = call_function(instance, instance.import_error(), args, error);
  if (trap != Trap::kNone || is_exception(error)) return trap;
  return enter_guest(instance, [&] {
    Z_qjsZ_JS_FreeValue(instance.raw(), instance.context(), specifier);
    Z_qjsZ_JS_Throw(instance.raw(), instance.context(), error);
  });
}

Trap note_rejection(Instance& instance, GuestPtr promise_cell, GuestPtr reason_cell,
                    bool handled) noexcept {
  const auto promise = instance.load<JsValue>(promise_cell);
  const auto reason = instance.load<JsValue>(reason_cell);
  RunState& run = instance.run();
  if (!handled && run.rejection_count < RunState::kMaxRejections) {
    run.rejections[run.rejection_count++] = {promise, reason};
    return enter_guest(instance, [&] {  // the values are ours now, the cells are not needed
      Z_qjsZ_wasm_free(instance.raw(), promise_cell);
      Z_qjsZ_wasm_free(instance.raw(), reason_cell);
    });
  }
  if (handled) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < run.rejection_count; ++i) {
      // The value stays alive until the memory is reset; a run has few of these.
      if (run.rejections[i].promise != promise) run.rejections[kept++] = run.rejections[i];
    }
    run.rejection_count = kept;
  }
  return enter_guest(instance, [&] {
    Z_qjsZ_qjs_free_value(instance.raw(), promise_cell);
    Z_qjsZ_qjs_free_value(instance.raw(), reason_cell);
  });
}

}  // namespace
}  // namespace plimsoll::engine

using plimsoll::engine::HostScope;
using plimsoll::engine::Instance;
using plimsoll::engine::NativeReturn;
using plimsoll::engine::Trap;

extern "C" {

u32 Z_envZ_host_call(Z_env_instance_t* env, u32 name, u32 name_size, u32 /*self*/, u32 argc,
                     u32 argv) {
  HostScope host;
  Instance& instance = *env->instance;
  const auto id = name_size == 1 ? instance.load<char>(name) : '\0';
  const NativeReturn result =
      plimsoll::engine::call_native(instance, id, {.count = argc, .pointers = argv});
  host.resume(result.trap);
  return result.cell;
}

u32 Z_envZ_host_get_timezone_offset(Z_env_instance_t*, u32, u32) { return 0; }  // UTC

u32 Z_envZ_host_interrupt(Z_env_instance_t* env) {
  plimsoll::engine::EngineHost* host = env->instance->run().host;
  if (host == nullptr) return 0;
  if (host->output_is_due()) {
    HostScope scope;
    host->send_output();
    scope.resume(Trap::kNone);
  }
  return host->deadline_passed() ? 1 : 0;
}

u32 Z_envZ_host_module_normalize(Z_env_instance_t* env, u32 /*base*/, u32 name) {
  HostScope host;
  host.resume(plimsoll::engine::throw_import_error(*env->instance, name));
  return 0;
}

u32 Z_envZ_host_module_load(Z_env_instance_t* env, u32 name, u32 /*size_out*/) {
  HostScope host;
  host.resume(plimsoll::engine::throw_import_error(*env->instance, name));
  return 0;
}

void Z_envZ_host_promise_rejection(Z_env_instance_t* env, u32 promise, u32 reason, u32 handled) {
  HostScope host;
  host.resume(plimsoll::engine::note_rejection(*env->instance, promise, reason, handled != 0));
}

u32 Z_wasi_snapshot_preview1Z_clock_time_get(Z_wasi_snapshot_preview1_instance_t* wasi, u32 clock,
                                             u64 /*precision*/, u32 out) {
  HostScope host;
  Instance& instance = *wasi->instance;
  plimsoll::engine::EngineHost* from = instance.run().host;
  std::uint64_t ns = 0;
  if (from != nullptr) ns = clock == 0 ? from->wall_ns() : from->monotonic_ns();
  const bool stored = instance.store<std::uint64_t>(out, ns);
  host.resume(Trap::kNone);
  return stored ? 0 : static_cast<u32>(plimsoll::engine::kWasiBadAddress);
}

u32 Z_wasi_snapshot_preview1Z_random_get(Z_wasi_snapshot_preview1_instance_t* wasi, u32 at,
                                         u32 size) {
  HostScope host;
  Instance& instance = *wasi->instance;
  const auto to = instance.bytes(at, size);
  const bool inside = to.size() == size && instance.run().host != nullptr;
  if (inside) instance.run().host->fill_random(to);
  host.resume(Trap::kNone);
  return inside ? 0 : static_cast<u32>(plimsoll::engine::kWasiBadAddress);
}

// The engine writes to files only when it is about to abort; there is nowhere to write to.
u32 Z_wasi_snapshot_preview1Z_fd_write(Z_wasi_snapshot_preview1_instance_t*, u32, u32, u32, u32) {
  return plimsoll::engine::kWasiBadFd;
}
u32 Z_wasi_snapshot_preview1Z_fd_close(Z_wasi_snapshot_preview1_instance_t*, u32) {
  return plimsoll::engine::kWasiNoSys;
}
u32 Z_wasi_snapshot_preview1Z_fd_fdstat_get(Z_wasi_snapshot_preview1_instance_t*, u32, u32) {
  return plimsoll::engine::kWasiBadFd;
}
u32 Z_wasi_snapshot_preview1Z_fd_seek(Z_wasi_snapshot_preview1_instance_t*, u32, u64, u32, u32) {
  return plimsoll::engine::kWasiNoSys;
}

}  // extern "C"
