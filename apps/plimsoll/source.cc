#include "source.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>

#include "exit_codes.h"
#include "output.h"
#include "plimsoll/request.h"

namespace plimsoll::cli {
namespace {

std::unexpected<SourceError> unreadable(const std::string& name, int error) {
  return std::unexpected(
      SourceError{.exit_code = kExitNoInput,
                  .message = fmt::format("{} cannot be read: {}", name, describe_errno(error))});
}

std::expected<std::string, SourceError> read_bounded(int fd, const std::string& name) {
  std::string bytes(kMaxCodeBytes + 1, '\0');
  std::size_t size = 0;
  while (size < bytes.size()) {
    const ssize_t got = ::read(fd, bytes.data() + size, bytes.size() - size);
    if (got == 0) break;
    if (got > 0) {
      size += static_cast<std::size_t>(got);
    } else if (errno != EINTR) {
      return unreadable(name, errno);
    }
  }
  if (size > kMaxCodeBytes) {
    return std::unexpected(SourceError{
        .exit_code = kExitInvalidRequest,
        .message = fmt::format("{} has more than {} bytes, the most that is accepted; nothing ran",
                               name, kMaxCodeBytes)});
  }
  bytes.resize(size);
  return bytes;
}

}  // namespace

std::expected<std::string, SourceError> read_source(const std::string& path) {
  if (path == "-") return read_bounded(STDIN_FILENO, "standard input");
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
  if (fd < 0) return unreadable(path, errno);
  auto source = read_bounded(fd, path);
  ::close(fd);
  return source;
}

}  // namespace plimsoll::cli
