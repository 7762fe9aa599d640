#include "providers/docker/runtime_binary.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <string_view>
#include <vector>

#include "base/errno_text.h"
#include "base/sha256.h"
#include "base/unique_fd.h"
#include "providers/docker/failure.h"

namespace plimsoll::docker {

namespace {

constexpr std::chrono::seconds kVersionTimeout{5};
constexpr std::size_t kMaxVersionBytes = 4'096;

std::int64_t nanoseconds(const timespec& time) noexcept {
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

std::string find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return name;
  constexpr std::string_view kFolders[] = {"/usr/local/sbin", "/usr/local/bin", "/usr/sbin",
                                           "/usr/bin",        "/sbin",          "/bin"};
  for (const std::string_view folder : kFolders) {
    std::string path = fmt::format("{}/{}", folder, name);
    if (::access(path.c_str(), X_OK) == 0) return path;
  }
  return name;
}

Result<std::string> hash_of(int fd, const std::string& path) {
  Sha256 hash;
  std::vector<char> buffer(std::size_t{1} << 20);
  for (;;) {
    const ssize_t got = ::read(fd, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return not_ready(fmt::format("{} is not readable: {}", path, errno_text(errno)));
    if (got == 0) return to_hex(hash.finish());
    hash.update({buffer.data(), static_cast<std::size_t>(got)});
  }
}

// Ends with the child's output, its bound, or the time.
std::string read_some(int fd) {
  std::string text;
  std::array<char, 1'024> buffer{};
  const auto until = std::chrono::steady_clock::now() + kVersionTimeout;
  while (text.size() < kMaxVersionBytes) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
    pollfd ready{.fd = fd, .events = POLLIN, .revents = 0};
    if (left.count() <= 0 || ::poll(&ready, 1, static_cast<int>(left.count())) == 0) break;
    const ssize_t got = ::read(fd, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
  return text;
}

// The first line that `path --version` prints; empty: none.
std::string version_of(const std::string& path) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return {};
  const UniqueFd output(ends[0]);
  UniqueFd input(ends[1]);
  posix_spawn_file_actions_t actions;
  if (::posix_spawn_file_actions_init(&actions) != 0) return {};
  std::string program = path;
  std::string argument = "--version";
  std::array<char*, 3> arguments = {program.data(), argument.data(), nullptr};
  std::array<char*, 1> environment = {nullptr};
  pid_t child = -1;
  const bool started =
      ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0) == 0 &&
      ::posix_spawn_file_actions_adddup2(&actions, input.get(), STDOUT_FILENO) == 0 &&
      ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0) == 0 &&
      ::posix_spawn(&child, path.c_str(), &actions, nullptr, arguments.data(),
                    environment.data()) == 0;
  ::posix_spawn_file_actions_destroy(&actions);
  if (!started) return {};
  input.reset();
  std::string text = read_some(output.get());
  ::kill(child, SIGKILL);  // it is ours, and not reaped yet
  while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  text.resize(std::min({text.find('\n'), text.size(), std::size_t{128}}));
  std::ranges::replace_if(text, [](char c) { return c < ' ' || c > '~'; }, '?');
  return text;
}

}  // namespace

FileIdentity identity_of(const struct stat& file) noexcept {
  return {.device = file.st_dev,
          .inode = file.st_ino,
          .size = file.st_size,
          .modified_ns = nanoseconds(file.st_mtim),
          .changed_ns = nanoseconds(file.st_ctim)};
}

Result<RuntimeBinary> examine_runtime(const std::string& path) {
  RuntimeBinary binary{.path = find_program(path)};
  const UniqueFd file(::open(binary.path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status{};
  if (!file || ::fstat(file.get(), &status) != 0) {
    return not_ready(
        fmt::format("the runtime {} is not readable: {}", binary.path, errno_text(errno)));
  }
  if (!S_ISREG(status.st_mode)) {
    return not_ready(fmt::format("the runtime {} is not a file", binary.path));
  }
  binary.file = identity_of(status);
  auto hash = hash_of(file.get(), binary.path);
  if (!hash) return std::unexpected(std::move(hash).error());
  binary.sha256 = *std::move(hash);
  binary.version = version_of(binary.path);
  binary.is_gvisor = binary.version.starts_with("runsc version ");
  return binary;
}

}  // namespace plimsoll::docker
