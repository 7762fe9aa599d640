// Reads a file that has to be small, and that must not be a way to be made to wait or to swallow
// gigabytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "plimsoll/result.h"

namespace plimsoll::client {

// kSecret: others must not read it, and its group must not write it.
enum class FileKind : std::uint8_t { kPublic, kSecret };

// All of a regular file, at most `max_bytes`. A FIFO, a device or a folder is refused without being
// read. Errors: kInvalidConfig, not dispatched; the message names neither the path nor any content.
[[nodiscard]] Result<std::string> read_small_file(const std::string& path, std::size_t max_bytes,
                                                  FileKind kind);

}  // namespace plimsoll::client
