#include "base/entropy.h"

#include <sys/random.h>

#include <cerrno>

#include "base/errno_text.h"

namespace plimsoll {

Result<void> SystemEntropy::fill(std::span<std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t got = ::getrandom(bytes.data(), bytes.size(), 0);
    if (got > 0) {
      bytes = bytes.subspan(static_cast<std::size_t>(got));
    } else if (errno != EINTR) {
      return std::unexpected(
          Error{.code = ErrorCode::kInfrastructure,
                .message = "the kernel gave no random bytes: " + errno_text(errno)});
    }
  }
  return {};
}

}  // namespace plimsoll
