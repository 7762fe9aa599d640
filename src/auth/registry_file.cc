#include "auth/registry_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/errno_text.h"

namespace plimsoll {
namespace {

constexpr unsigned kOthersMayWrite = S_IWGRP | S_IWOTH;

Error invalid(std::string message) {
  return {.code = ErrorCode::kInvalidConfig,
          .message = std::move(message),
          .not_dispatched = NotDispatchedReason::kEnvironment};
}

// Why it is refused; empty: it is not.
std::string objection(const struct stat& status) {
  if (!S_ISREG(status.st_mode)) return "is no regular file";
  if ((status.st_mode & kOthersMayWrite) != 0) {
    return fmt::format(
        "may be written by its group or by others (mode {:04o}); chmod go-w is needed",
        status.st_mode & 07777U);
  }
  return {};
}

Result<CallerRegistry> load(const std::string& path) {
  const auto file = open_registry(AT_FDCWD, path);
  if (!file) return std::unexpected(file.error());
  const auto bytes = read_registry_bytes(*file);
  if (!bytes) return std::unexpected(bytes.error());
  if (bytes->empty()) return std::unexpected(invalid("is empty"));
  auto registry = CallerRegistry::parse(*bytes);
  if (registry && registry->callers().empty()) {
    return std::unexpected(invalid("has no callers; plimsoll-clients create adds one"));
  }
  return registry;
}

}  // namespace

Result<OpenRegistry> open_registry(int folder_fd, const std::string& name, int* error) {
  OpenRegistry file;
  file.fd.reset(
      ::openat(folder_fd, name.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY));
  const int opened = file.fd ? 0 : errno;
  if (error != nullptr) *error = opened;
  if (opened == ELOOP) return std::unexpected(invalid("is a symbolic link; a file is accepted"));
  if (opened != 0) return std::unexpected(invalid("cannot be read: " + errno_text(opened)));
  struct stat status{};
  if (::fstat(file.fd.get(), &status) != 0) {
    return std::unexpected(invalid("cannot be examined: " + errno_text(errno)));
  }
  if (auto refused = objection(status); !refused.empty()) {
    return std::unexpected(invalid(std::move(refused)));
  }
  file.mode = status.st_mode & 07777U;
  file.owner = status.st_uid;
  file.group = status.st_gid;
  file.links = status.st_nlink;
  return file;
}

Result<std::string> read_registry_bytes(const OpenRegistry& file) {
  std::string bytes;
  char buffer[16'384];
  while (bytes.size() <= kMaxRegistryBytes) {
    const ssize_t got = ::read(file.fd.get(), buffer, sizeof buffer);
    if (got == 0) return bytes;
    if (got > 0) {
      bytes.append(buffer, static_cast<std::size_t>(got));
    } else if (errno != EINTR) {
      return std::unexpected(invalid("cannot be read: " + errno_text(errno)));
    }
  }
  return std::unexpected(invalid(fmt::format("has more than {} bytes", kMaxRegistryBytes)));
}

Result<CallerRegistry> load_registry(const std::string& path) {
  auto registry = load(path);
  if (!registry) registry.error().message = path + ": " + registry.error().message;
  return registry;
}

}  // namespace plimsoll
