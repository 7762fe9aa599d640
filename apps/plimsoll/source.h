// Where the snippet comes from.
#pragma once

#include <expected>
#include <string>

namespace plimsoll::cli {

struct SourceError {
  int exit_code = 0;
  std::string message;
};

// The bytes of a file, or of standard input for "-"; at most kMaxCodeBytes, and no more than one
// byte beyond them is read. Errors: kExitNoInput when it cannot be read, kExitInvalidRequest when
// it is larger.
[[nodiscard]] std::expected<std::string, SourceError> read_source(const std::string& path);

}  // namespace plimsoll::cli
