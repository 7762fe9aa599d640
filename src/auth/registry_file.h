// Reads the caller registry from where it lies, and refuses a file that somebody else may change.
#pragma once

#include <string>

#include "auth/caller_registry.h"
#include "base/unique_fd.h"
#include "plimsoll/result.h"

namespace plimsoll {

// A registry file that is open for reading and passed the checks.
struct OpenRegistry {
  UniqueFd fd;
  unsigned mode = 0;  // permission bits
  unsigned owner = 0;
  unsigned group = 0;
  unsigned long links = 0;
};

// Opens `name` relative to the folder `folder_fd` (or AT_FDCWD). Follows no symbolic link in the
// last part of the name, does not block on a FIFO. Errors (kInvalidConfig): it cannot be opened, is
// a link or no regular file, or group or others may write to it. Whether it exists is in the errno,
// which is stored in `*error` when that is not null.
[[nodiscard]] Result<OpenRegistry> open_registry(int folder_fd, const std::string& name,
                                                 int* error = nullptr);

// The file's bytes, at most kMaxRegistryBytes. Errors: kInvalidConfig.
[[nodiscard]] Result<std::string> read_registry_bytes(const OpenRegistry& file);

// All of it for the daemon: opens, reads and parses `path`. A file without bytes or without callers
// is an error: nobody could call. Every message starts with the path.
[[nodiscard]] Result<CallerRegistry> load_registry(const std::string& path);

}  // namespace plimsoll
