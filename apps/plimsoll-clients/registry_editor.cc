#include "registry_editor.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <thread>
#include <utility>

#include "../plimsoll/output.h"
#include "base/errno_text.h"

namespace plimsoll::clients {
namespace {

constexpr std::chrono::seconds kLockPatience{30};
constexpr std::chrono::milliseconds kLockPause{10};
constexpr mode_t kNewFileMode = 0600;

std::unexpected<Error> error_at(const std::string& path, std::string_view what) {
  return std::unexpected(
      Error{.code = ErrorCode::kInvalidConfig, .message = fmt::format("{}: {}", path, what)});
}

}  // namespace

std::unexpected<Error> RegistryEditor::failed(std::string_view what, int error) const {
  return error_at(path_, fmt::format("{}: {}", what, errno_text(error)));
}

Result<RegistryEditor> RegistryEditor::open(const std::string& path) {
  const auto slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  RegistryEditor editor(path, slash == std::string::npos ? path : path.substr(slash + 1));
  if (editor.name_.empty() || editor.name_ == "." || editor.name_ == "..") {
    return error_at(path, "is no name of a file");
  }
  editor.folder_.reset(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!editor.folder_) return editor.failed("its folder cannot be opened", errno);
  if (auto locked = editor.lock(); !locked) return std::unexpected(locked.error());
  if (auto read = editor.read(); !read) return std::unexpected(read.error());
  return editor;
}

Result<void> RegistryEditor::lock() {
  const auto give_up = std::chrono::steady_clock::now() + kLockPatience;
  while (::flock(folder_.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EINTR) continue;
    if (errno != EWOULDBLOCK) return failed("its folder cannot be locked", errno);
    if (std::chrono::steady_clock::now() > give_up) {
      return error_at(path_, "another process holds the lock of its folder");
    }
    std::this_thread::sleep_for(kLockPause);
  }
  return {};
}

Result<void> RegistryEditor::read() {
  int error = 0;
  auto file = open_registry(folder_.get(), name_, &error);
  if (!file && error == ENOENT) return {};
  if (!file) return error_at(path_, file.error().message);
  if (file->links != 1)
    return error_at(path_, "has other names too (hard links), and is not edited");
  const auto bytes = read_registry_bytes(*file);
  if (!bytes) return error_at(path_, bytes.error().message);
  auto registry = CallerRegistry::parse(*bytes);
  if (!registry) return error_at(path_, registry.error().message);
  old_ = std::move(*file);
  registry_ = std::move(*registry);
  return {};
}

Result<void> RegistryEditor::write_new(const std::string& bytes) {
  const std::string name = new_name();
  // Left by a process that died; nobody else may hold it, for we hold the lock.
  if (::unlinkat(folder_.get(), name.c_str(), 0) != 0 && errno != ENOENT) {
    return failed(name + " cannot be removed", errno);
  }
  UniqueFd file(::openat(folder_.get(), name.c_str(),
                         O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, kNewFileMode));
  if (!file) return failed(name + " cannot be made", errno);
  if (old_) {
    struct stat status{};
    if (::fstat(file.get(), &status) != 0) return failed(name + " cannot be examined", errno);
    const bool same_owner = status.st_uid == old_->owner && status.st_gid == old_->group;
    if (!same_owner && ::fchown(file.get(), old_->owner, old_->group) != 0) {
      return failed("the new file cannot be given the owner of the old", errno);
    }
  }
  if (::fchmod(file.get(), old_ ? old_->mode : kNewFileMode) != 0) {
    return failed("the new file cannot be given its mode", errno);
  }
  if (const auto written = cli::write_all(file.get(), bytes); !written) {
    return failed(name + " cannot be written", written.error());
  }
  if (::fsync(file.get()) != 0) return failed(name + " cannot be synced", errno);
  return {};
}

Result<void> RegistryEditor::commit(const CallerRegistry& changed,
                                    const std::function<Result<void>()>& before) {
  auto ready = write_new(changed.to_json());
  if (ready) ready = before();
  if (ready && ::renameat(folder_.get(), new_name().c_str(), folder_.get(), name_.c_str()) != 0) {
    ready = failed("the new file cannot take its place", errno);
  }
  if (!ready) {
    ::unlinkat(folder_.get(), new_name().c_str(), 0);
    return ready;
  }
  if (::fsync(folder_.get()) != 0) {
    return failed(
        "is changed, and may not survive a power failure, for its folder cannot be synced", errno);
  }
  return {};
}

}  // namespace plimsoll::clients
