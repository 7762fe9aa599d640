// The program behind an engine's runtime, as a file of this host: the thing that the kernel tier is
// measured against.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "plimsoll/result.h"

namespace plimsoll::docker {

// Which file something is, and that it was not changed since: a name can lie, this cannot.
struct FileIdentity {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::int64_t size = 0;
  std::int64_t modified_ns = 0;
  std::int64_t changed_ns = 0;  // of the inode; nobody can set it
  friend bool operator==(const FileIdentity&, const FileIdentity&) = default;
};
[[nodiscard]] FileIdentity identity_of(const struct stat& file) noexcept;

struct RuntimeBinary {
  std::string path{};
  FileIdentity file{};
  std::string sha256{};   // lower-case hex
  std::string version{};  // the first line of what --version prints, printable ASCII
  bool is_gvisor = false;
};

// Finds `path` (or a name, in the usual folders), hashes it and asks it for its version, for at
// most 5 s. Trusts the file as far as the engine does, which executes it as root. Errors:
// kNotReady.
[[nodiscard]] Result<RuntimeBinary> examine_runtime(const std::string& path);

}  // namespace plimsoll::docker
