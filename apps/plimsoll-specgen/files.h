// The files that plimsoll-specgen reads and writes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "plimsoll/result.h"

namespace plimsoll::specgen_app {

// The whole of a file, or of standard input for "-". Errors: it cannot be read, or has more than
// `most` bytes, of which no more are read.
[[nodiscard]] Result<std::string> read_input(const std::string& path, std::size_t most);

// Makes the folder and those above it, if they are missing.
[[nodiscard]] Result<void> make_folder(const std::string& path);

// Writes a file of the folder whole or not at all: beside it, then in its place.
[[nodiscard]] Result<void> write_file(const std::string& folder, std::string_view name,
                                      std::string_view bytes);

}  // namespace plimsoll::specgen_app
