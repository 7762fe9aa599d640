#include "files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

#include "../plimsoll/output.h"
#include "base/errno_text.h"
#include "base/unique_fd.h"

namespace plimsoll::specgen_app {
namespace {

std::unexpected<Error> error(std::string message) {
  return std::unexpected(Error{.code = ErrorCode::kInvalidRequest, .message = std::move(message)});
}

}  // namespace

Result<std::string> read_input(const std::string& path, std::size_t most) {
  const std::string name = path == "-" ? "standard input" : path;
  UniqueFd file;
  int fd = STDIN_FILENO;
  if (path != "-") {
    file = UniqueFd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    fd = file.get();
    if (fd < 0) return error(name + ": " + errno_text(errno));
  }
  std::string bytes;
  std::array<char, 65'536> buffer{};
  while (true) {
    const ssize_t got = ::read(fd, buffer.data(), buffer.size());
    if (got == 0) return bytes;
    if (got < 0 && errno != EINTR) return error(name + ": " + errno_text(errno));
    if (got > 0) bytes.append(buffer.data(), static_cast<std::size_t>(got));
    if (bytes.size() > most) {
      return error(name + ": has more than " + std::to_string(most) + " bytes");
    }
  }
}

Result<void> make_folder(const std::string& path) {
  std::error_code failed;
  std::filesystem::create_directories(path, failed);
  if (failed) return error(path + ": " + failed.message());
  return {};
}

Result<void> write_file(const std::string& folder, std::string_view name, std::string_view bytes) {
  const std::string path = folder + "/" + std::string(name);
  const std::string fresh = folder + "/." + std::string(name) + ".new";
  const UniqueFd file(::open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC,
                             S_IRUSR | S_IWUSR | S_IRGRP | S_IROTH));
  if (file.get() < 0) return error(fresh + ": " + errno_text(errno));
  if (const auto written = cli::write_all(file.get(), bytes); !written) {
    ::unlink(fresh.c_str());
    return error(fresh + ": " + errno_text(written.error()));
  }
  if (::rename(fresh.c_str(), path.c_str()) != 0) return error(path + ": " + errno_text(errno));
  return {};
}

}  // namespace plimsoll::specgen_app
