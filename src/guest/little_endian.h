// Unsigned numbers as the frames of the guest channel have them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace plimsoll::guest {

// Writes, reads sizeof(T) bytes at `at`, which the caller has checked to be there.
template <class T>
void put(std::uint8_t* at, T value) noexcept {
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    at[i] = static_cast<std::uint8_t>(value >> (8 * i));
  }
}

template <class T>
[[nodiscard]] T get(const std::uint8_t* at) noexcept {
  T value = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    value = static_cast<T>(value | static_cast<T>(static_cast<T>(at[i]) << (8 * i)));
  }
  return value;
}

}  // namespace plimsoll::guest
