#include "grants/operator_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include "base/errno_text.h"
#include "base/unique_fd.h"

namespace plimsoll {
namespace {

std::string objection(const struct stat& status, FileReaders readers) {
  const unsigned mode = status.st_mode & 07777U;
  if (!S_ISREG(status.st_mode)) return "is no regular file";
  if ((mode & (S_IWGRP | S_IWOTH)) != 0) {
    return fmt::format("may be written by its group or by others (mode {:04o})", mode);
  }
  if (readers == FileReaders::kOwnerAndGroup && (mode & S_IRWXO) != 0) {
    return fmt::format("is open to others (mode {:04o}); chmod o-rwx is needed", mode);
  }
  return {};
}

}  // namespace

std::expected<Secret, std::string> read_operator_file(const std::string& path,
                                                      std::size_t max_bytes, FileReaders readers) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat status{};
  if (!fd || ::fstat(fd.get(), &status) != 0) {
    return std::unexpected("cannot be read: " + errno_text(errno));
  }
  if (auto refused = objection(status, readers); !refused.empty()) return std::unexpected(refused);
  // One byte more than is accepted; allocated once, so that there is one place to wipe.
  std::string bytes(std::min<std::size_t>(max_bytes, static_cast<std::size_t>(status.st_size)) + 1,
                    '\0');
  std::size_t size = 0;
  std::expected<Secret, std::string> result;
  while (size < bytes.size()) {
    const ssize_t got = ::read(fd.get(), bytes.data() + size, bytes.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      if (got < 0) result = std::unexpected("cannot be read: " + errno_text(errno));
      break;
    }
    size += static_cast<std::size_t>(got);
  }
  if (size > max_bytes) {
    result = std::unexpected(fmt::format("has more than {} bytes", max_bytes));
  } else if (size == bytes.size()) {
    result = std::unexpected(std::string("changes while it is read"));
  } else if (result) {
    result = Secret(std::string_view(bytes).substr(0, size));
  }
  ::explicit_bzero(bytes.data(), bytes.size());
  return result;
}

std::expected<std::string, std::string> path_inside(const std::string& folder,
                                                    const std::string& name) {
  std::error_code error;
  const auto root = std::filesystem::canonical(folder, error);
  const auto path = error ? root : std::filesystem::canonical(root / name, error);
  if (error) return std::unexpected("cannot be read: " + error.message());
  const auto relative = path.lexically_relative(root);
  if (relative.empty() || *relative.begin() == ".." || relative == ".") {
    return std::unexpected(std::string("leads out of the folder of the profiles file"));
  }
  return path.string();
}

}  // namespace plimsoll
