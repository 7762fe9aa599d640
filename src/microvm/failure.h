// A step that the VMM could not take.
#pragma once

#include <cerrno>
#include <expected>

namespace plimsoll::microvm {

struct Failure {
  const char* step = "";  // static text
  int error = 0;          // an errno, or 0
};

template <class T>
using Try = std::expected<T, Failure>;

// The step failed with the errno of now.
[[nodiscard]] inline std::unexpected<Failure> failed(const char* step) noexcept {
  return std::unexpected(Failure{.step = step, .error = errno});
}
// The step failed for a reason of its own.
[[nodiscard]] inline std::unexpected<Failure> refused(const char* step) noexcept {
  return std::unexpected(Failure{.step = step, .error = EINVAL});
}

}  // namespace plimsoll::microvm
