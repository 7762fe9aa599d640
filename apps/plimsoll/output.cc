#include "output.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <string>

namespace plimsoll::cli {

std::expected<void, int> write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EAGAIN) {
      pollfd wait{.fd = fd, .events = POLLOUT, .revents = 0};
      if (::poll(&wait, 1, -1) < 0 && errno != EINTR) return std::unexpected(errno);
    } else if (errno != EINTR) {
      return std::unexpected(errno);
    }
  }
  return {};
}

std::string describe_errno(int error) {
  const char* description = ::strerrordesc_np(error);
  return description != nullptr ? description : "error " + std::to_string(error);
}

void say(std::string_view text) {
  std::string line = "plimsoll: ";
  line += text;
  line += '\n';
  [[maybe_unused]] const auto written = write_all(STDERR_FILENO, line);
}

void prepare_standard_streams() {
  if (std::signal(SIGPIPE, SIG_IGN) == SIG_ERR) ::_exit(1);
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
    if (::fcntl(fd, F_GETFD) >= 0 || errno != EBADF) continue;
    // The lowest free number is `fd`, for those below it are taken. Opened the wrong way round.
    const int flags = fd == STDIN_FILENO ? O_WRONLY : O_RDONLY;
    if (::open("/dev/null", flags) != fd) ::_exit(1);
  }
}

}  // namespace plimsoll::cli
