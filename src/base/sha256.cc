#include "base/sha256.h"

#include <string.h>  // explicit_bzero is not in <cstring>

#include <algorithm>
#include <bit>

namespace plimsoll {
namespace {

// FIPS 180-4, 4.2.2.
constexpr std::array<std::uint32_t, 64> kRound = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

std::uint32_t big_endian(const std::uint8_t* bytes) {
  return std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16 |
         std::uint32_t{bytes[2]} << 8 | std::uint32_t{bytes[3]};
}

std::array<std::uint32_t, 64> schedule(std::span<const std::uint8_t, 64> block) {
  std::array<std::uint32_t, 64> words{};
  for (std::size_t t = 0; t < 16; ++t) words[t] = big_endian(&block[4 * t]);
  for (std::size_t t = 16; t < 64; ++t) {
    const std::uint32_t a = words[t - 15];
    const std::uint32_t b = words[t - 2];
    words[t] = words[t - 16] + words[t - 7] + (std::rotr(a, 7) ^ std::rotr(a, 18) ^ a >> 3) +
               (std::rotr(b, 17) ^ std::rotr(b, 19) ^ b >> 10);
  }
  return words;
}

}  // namespace

Sha256::~Sha256() { ::explicit_bzero(block_.data(), block_.size()); }

// FIPS 180-4, 6.2.2; state[0] to state[7] are its a to h.
void Sha256::compress(std::span<const std::uint8_t, 64> block) {
  const auto words = schedule(block);
  auto s = state_;
  for (std::size_t t = 0; t < 64; ++t) {
    const std::uint32_t sum1 = std::rotr(s[4], 6) ^ std::rotr(s[4], 11) ^ std::rotr(s[4], 25);
    const std::uint32_t choose = (s[4] & s[5]) ^ (~s[4] & s[6]);
    const std::uint32_t first = s[7] + sum1 + choose + kRound[t] + words[t];
    const std::uint32_t sum0 = std::rotr(s[0], 2) ^ std::rotr(s[0], 13) ^ std::rotr(s[0], 22);
    const std::uint32_t majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
    s = {first + sum0 + majority, s[0], s[1], s[2], s[3] + first, s[4], s[5], s[6]};
  }
  for (std::size_t i = 0; i < state_.size(); ++i) state_[i] += s[i];
}

void Sha256::update(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t filled = size_ % block_.size();
    const std::size_t taken = std::min(bytes.size(), block_.size() - filled);
    std::ranges::copy(bytes.substr(0, taken), block_.begin() + static_cast<std::ptrdiff_t>(filled));
    size_ += taken;
    bytes.remove_prefix(taken);
    if (filled + taken == block_.size()) compress(block_);
  }
}

Sha256Digest Sha256::finish() {
  const std::uint64_t bits = size_ * 8;
  update("\x80");
  while (size_ % block_.size() != 56) update(std::string_view("\0", 1));
  std::string length(8, '\0');
  for (unsigned i = 0; i < 8; ++i) {
    length[i] = static_cast<char>(static_cast<unsigned char>(bits >> (56 - 8 * i)));
  }
  update(length);
  Sha256Digest digest{};
  for (std::size_t i = 0; i < digest.size(); ++i) {
    digest[i] = static_cast<std::uint8_t>(state_[i / 4] >> (24 - 8 * (i % 4)));
  }
  return digest;
}

Sha256Digest sha256(std::string_view bytes) {
  Sha256 hash;
  hash.update(bytes);
  return hash.finish();
}

std::string to_hex(const Sha256Digest& digest) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const std::uint8_t byte : digest) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

}  // namespace plimsoll
