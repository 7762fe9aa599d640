#include "client/small_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/errno_text.h"
#include "base/unique_fd.h"

namespace plimsoll::client {
namespace {

constexpr std::size_t kPieceBytes = 16'384;
constexpr unsigned kNotOfASecret = S_IWGRP | S_IRWXO;

std::unexpected<Error> invalid(std::string message) {
  return std::unexpected(Error{.code = ErrorCode::kInvalidConfig,
                               .message = std::move(message),
                               .not_dispatched = NotDispatchedReason::kEnvironment});
}

}  // namespace

Result<std::string> read_small_file(const std::string& path, std::size_t max_bytes, FileKind kind) {
  if (path.find('\0') != std::string::npos) return invalid("has a NUL in its name");
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!fd) return invalid("cannot be read: " + errno_text(errno));
  struct stat status{};
  if (::fstat(fd.get(), &status) != 0) return invalid("cannot be examined: " + errno_text(errno));
  if (!S_ISREG(status.st_mode)) return invalid("is no regular file");
  if (kind == FileKind::kSecret && (status.st_mode & kNotOfASecret) != 0) {
    return invalid(fmt::format(
        "may be read by others or written by its group (mode {:04o}); chmod g-w,o-rwx is needed",
        status.st_mode & 07777U));
  }
  std::string bytes;
  for (;;) {
    const std::size_t used = bytes.size();
    bytes.resize(used + std::min(kPieceBytes, max_bytes + 1 - used));
    const ssize_t got = ::read(fd.get(), bytes.data() + used, bytes.size() - used);
    if (got < 0 && errno != EINTR) return invalid("cannot be read: " + errno_text(errno));
    bytes.resize(used + (got > 0 ? static_cast<std::size_t>(got) : 0));
    if (bytes.size() > max_bytes) return invalid(fmt::format("has more than {} bytes", max_bytes));
    if (got == 0) return bytes;
  }
}

}  // namespace plimsoll::client
