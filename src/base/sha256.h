// SHA-256 (FIPS 180-4).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace plimsoll {

using Sha256Digest = std::array<std::uint8_t, 32>;

// Takes its input in pieces. finish() is called once, last. Not for concurrent use. What was hashed
// is wiped from the object when it is destroyed.
class Sha256 {
 public:
  Sha256() = default;
  Sha256(const Sha256&) = default;
  Sha256& operator=(const Sha256&) = default;
  ~Sha256();

  void update(std::string_view bytes);
  [[nodiscard]] Sha256Digest finish();

 private:
  void compress(std::span<const std::uint8_t, 64> block);

  std::array<std::uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<std::uint8_t, 64> block_{};
  std::uint64_t size_ = 0;  // bytes so far
};

[[nodiscard]] Sha256Digest sha256(std::string_view bytes);

// 64 lower-case hex digits.
[[nodiscard]] std::string to_hex(const Sha256Digest& digest);

}  // namespace plimsoll
