// Reads a file of the operator's at start: bounded, and only when nobody else could have written
// it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>

#include "plimsoll/secret.h"

namespace plimsoll {

// Whom a file may be open to besides its owner.
enum class FileReaders : std::uint8_t {
  kAnybody,        // others may read it, nobody else may write it
  kOwnerAndGroup,  // a key: others have no access, the group may read
};

// All bytes of a regular file. Follows links, for that is how secrets and configuration are
// mounted; what is checked is the file that was opened. Errors: for people, without the file's
// name, its content and a full stop.
[[nodiscard]] std::expected<Secret, std::string> read_operator_file(const std::string& path,
                                                                    std::size_t max_bytes,
                                                                    FileReaders readers);

// `name` below `folder`, with all links resolved. Errors: it leads out of the folder, it is not
// there.
[[nodiscard]] std::expected<std::string, std::string> path_inside(const std::string& folder,
                                                                  const std::string& name);

}  // namespace plimsoll
