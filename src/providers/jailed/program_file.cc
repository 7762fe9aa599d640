#include "providers/jailed/program_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <span>
#include <system_error>
#include <thread>

#include "base/errno_text.h"
#include "providers/jailed/failure.h"

namespace plimsoll::jailed {

namespace {

#ifndef MFD_EXEC
#define MFD_EXEC 0x0010U  // since Linux 6.3
#endif

constexpr std::size_t kBlock = 4'096;

bool all_zero(std::span<const std::uint8_t> block) noexcept {
  return block.front() == 0 && std::memcmp(block.data(), block.data() + 1, block.size() - 1) == 0;
}

// Copies what lies from `at` to `to`, but not the blocks of zeros, which a new memfd has anyway.
// The error, 0 for none.
int copy_part(int fd, std::span<const std::uint8_t> bytes, std::size_t at,
              std::size_t to) noexcept {
  while (at < to) {
    std::size_t end = at;
    while (end < to) {
      const std::size_t size = std::min(kBlock, to - end);
      if (all_zero(bytes.subspan(end, size))) break;
      end += size;
    }
    while (at < end) {
      const ssize_t wrote = ::pwrite(fd, bytes.data() + at, end - at, static_cast<off_t>(at));
      if (wrote <= 0) return wrote == 0 ? EIO : errno;
      at += static_cast<std::size_t>(wrote);
    }
    at = end + kBlock;  // the block of zeros, or beyond the end
  }
  return 0;
}

// Taking thousands of pages from the system is a quarter of a start, so two threads do it: one has
// the code, the other most of the snapshot, which lies behind it.
int copy_into(int fd, std::span<const std::uint8_t> bytes) {
  if (::ftruncate(fd, static_cast<off_t>(bytes.size())) != 0) return errno;
  const std::size_t middle = bytes.size() / 3 * 2 / kBlock * kBlock;
  int error_behind = 0;
  const auto copy_behind = [&] { error_behind = copy_part(fd, bytes, middle, bytes.size()); };
  std::thread other;
  try {
    other = std::thread(copy_behind);
  } catch (const std::system_error&) {
    copy_behind();  // no thread is to be had
  }
  const int error = copy_part(fd, bytes, 0, middle);
  if (other.joinable()) other.join();
  return error != 0 ? error : error_behind;
}

Result<UniqueFd> embedded(const WorkerProgram& program) {
  if (program.elf.empty()) {
    return not_ready(fmt::format("this library has no {}: it is for x86-64 only", program.name));
  }
  const std::string name(program.name);
  UniqueFd file(::memfd_create(name.c_str(), MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_EXEC));
  if (!file && errno == EINVAL) {
    file = UniqueFd(::memfd_create(name.c_str(), MFD_CLOEXEC | MFD_ALLOW_SEALING));
  }
  if (!file) {
    return not_ready(fmt::format("no memfd for {0}: {1}; name an installed {0} instead ({2})",
                                 program.name, errno_text(errno), program.path_field));
  }
  if (const int error = copy_into(file.get(), program.elf)) {
    return not_ready(fmt::format("{} could not be copied: {}", program.name, errno_text(error)));
  }
  constexpr int kSeals = F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
  if (::fcntl(file.get(), F_ADD_SEALS, kSeals) != 0) {
    return not_ready(fmt::format("{} could not be sealed: {}", program.name, errno_text(errno)));
  }
  return file;
}

}  // namespace

Result<UniqueFd> open_program(const WorkerProgram& program, const std::string& path) {
  if (path.empty()) return embedded(program);
  UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file) return file;
  return not_ready(fmt::format("the worker {} cannot be opened: {}", path, errno_text(errno)));
}

}  // namespace plimsoll::jailed
