// The image that every run starts from: the engine's memory after the prelude was evaluated. It is
// made at build time, embedded in the worker, and mapped privately; see boot.h and restore().
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/instance.h"

namespace plimsoll::engine {

// The functions of the prelude that the engine calls, in the order of kHookNames. Each takes and
// returns plain JavaScript values; src/guest/prelude/main.js describes them.
enum class Hook : std::uint8_t {
  kTicks,        // () => whether nextTick callbacks ran
  kTurn,         // () => -1 nothing left, 0 more now, > 0 milliseconds to wait
  kUncaught,     // (error) => whether a listener took it
  kUnhandled,    // (reason, promise) => whether a listener took it
  kFatal,        // (error, kind, source, filename) => text for stderr
  kExitCode,     // (code?) => the exit code; -1: a listener of 'beforeExit' started something
  kStripTypes,   // (source) => JavaScript, or throws
  kImportError,  // (specifier) => an Error
  kGrant,        // (global, preamble): gives the run the client of the API that it may call
  kReply,        // (id, status, + 2^16 when refused, content type, body): an answer
};
inline constexpr std::array<const char*, 10> kHookNames = {
    "ticks",     "turn",        "uncaught",     "unhandled", "fatal",
    "exit_code", "strip_types", "import_error", "grant",     "reply"};

// The first page of an image file; the linear memory follows. Same machine, same build: no byte
// order or layout to negotiate, but the magic and the sizes are checked all the same.
struct SnapshotHeader {
  std::array<char, 8> magic{};
  std::uint32_t memory_bytes = 0;   // of linear memory; a multiple of kWasmPage
  std::uint32_t stack_pointer = 0;  // the module's one mutable global
  GuestPtr context = 0;             // JSContext*
  GuestPtr scratch = 0;             // 64 bytes for out-parameters
  GuestPtr random_state = 0;        // where Math.random keeps its 64-bit state
  GuestPtr file_name = 0;           // "[snippet]"
  std::array<JsValue, kHookNames.size()> hooks{};
};
inline constexpr std::array<char, 8> kSnapshotMagic = {'P', 'L', 'M', 'S', 'N', 'A', 'P', '1'};
inline constexpr std::size_t kSnapshotHeaderBytes = kHostPage;
static_assert(sizeof(SnapshotHeader) <= kSnapshotHeaderBytes);

// What of a memory the JavaScript heap may use. The rest is the engine's data and stack, and an
// eighth for what the allocator loses between blocks: the heap's own limit must be reached first,
// since only its refusal leaves the room that an "out of memory" error needs.
[[nodiscard]] constexpr std::uint32_t heap_of(std::uint32_t memory_bytes) noexcept {
  constexpr std::uint32_t kEngineBytes = 6u << 20;
  return (memory_bytes - kEngineBytes) / 8 * 7;
}

// The engine's own stack inside linear memory; about 16,000 frames of a plain recursion.
inline constexpr std::uint32_t kGuestStackBytes = 4u << 20;

// The header of an image file, or nullptr when `file` is none.
[[nodiscard]] const SnapshotHeader* parse_snapshot(std::span<const std::uint8_t> file) noexcept;

// The linear memory of an image file that parse_snapshot() accepted.
[[nodiscard]] std::span<const std::uint8_t> snapshot_memory(
    std::span<const std::uint8_t> file) noexcept;

}  // namespace plimsoll::engine
