// The seam for randomness that an attacker must not guess.
#pragma once

#include <cstddef>
#include <span>

#include "plimsoll/result.h"

namespace plimsoll {

// Implementations are safe for concurrent use.
class Entropy {
 public:
  virtual ~Entropy() = default;
  // Fills all of `bytes`, or fails with kInfrastructure; then their content is unspecified and must
  // not be used.
  [[nodiscard]] virtual Result<void> fill(std::span<std::byte> bytes) = 0;

 protected:
  Entropy() = default;
  Entropy(const Entropy&) = default;
  Entropy& operator=(const Entropy&) = default;
};

// The kernel's generator, getrandom(2); waits until it is seeded.
class SystemEntropy final : public Entropy {
 public:
  [[nodiscard]] Result<void> fill(std::span<std::byte> bytes) override;
};

}  // namespace plimsoll
