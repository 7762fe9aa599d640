// A file of a test's, gone with it. For tests only.
#pragma once

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>

#include "base/unique_fd.h"

namespace plimsoll::client {

class TemporaryFile {
 public:
  explicit TemporaryFile(std::string_view content, mode_t mode = 0600) {
    const UniqueFd fd(::mkstemp(path_.data()));
    if (!fd || ::fchmod(fd.get(), mode) != 0 ||
        ::write(fd.get(), content.data(), content.size()) != static_cast<ssize_t>(content.size())) {
      throw std::runtime_error("no temporary file");
    }
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() { ::unlink(path_.c_str()); }

  [[nodiscard]] const std::string& path() const noexcept { return path_; }

 private:
  std::string path_ = "/tmp/plimsoll-client-test-XXXXXX";
};

}  // namespace plimsoll::client
