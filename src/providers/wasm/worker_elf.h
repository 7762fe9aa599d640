// The worker's program file: the copy inside this library, or an installed one.
#pragma once

#include <string>
#include <string_view>

#include "base/unique_fd.h"
#include "plimsoll/result.h"

namespace plimsoll::wasm {

// A descriptor of the file, ready to be executed. `path` empty: the embedded copy, in a sealed
// memfd, so that nobody can change it between here and its execution. Errors: kNotReady, with what
// to do.
[[nodiscard]] Result<UniqueFd> open_worker_elf(const std::string& path);

// The SHA-256 of the embedded copy, 64 lower-case hex digits, as the build computed it: engine,
// prelude, snapshot and jail in one content address.
[[nodiscard]] std::string_view worker_sha256() noexcept;

}  // namespace plimsoll::wasm
