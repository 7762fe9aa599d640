// How much of all request bodies may be in memory at once.
#pragma once

#include <atomic>
#include <cstddef>
#include <utility>

#include "rpc/options.h"

namespace plimsoll::rpc {

// Thread-safe; outlives its permits. Two bounds: bytes of all bodies that are being read, and the
// number of large bodies that are being read or decoded.
class BodyBudget {
 public:
  explicit BodyBudget(const Limits& limits) noexcept
      : max_bytes_(limits.buffered_bytes),
        max_large_(limits.bodies),
        large_from_(limits.small_body_bytes) {}

  // What one body holds; gives it back when it goes.
  class Permit {
   public:
    Permit() noexcept = default;
    explicit Permit(BodyBudget& budget) noexcept : budget_(&budget) {}
    Permit(Permit&& other) noexcept
        : budget_(std::exchange(other.budget_, nullptr)),
          bytes_(std::exchange(other.bytes_, 0)),
          large_(std::exchange(other.large_, false)) {}
    Permit& operator=(Permit&& other) noexcept {
      if (this == &other) return *this;
      release();
      budget_ = std::exchange(other.budget_, nullptr);
      bytes_ = std::exchange(other.bytes_, 0);
      large_ = std::exchange(other.large_, false);
      return *this;
    }
    ~Permit() { release(); }

    // Room for `more` bytes. False: there is none now; what is held stays held.
    [[nodiscard]] bool grow(std::size_t more) noexcept {
      if (!large_ && bytes_ + more > budget_->large_from_) {
        if (!take(budget_->large_, 1, budget_->max_large_)) return false;
        large_ = true;
      }
      if (!take(budget_->bytes_, more, budget_->max_bytes_)) return false;
      bytes_ += more;
      return true;
    }
    void release() noexcept {
      if (budget_ == nullptr) return;
      budget_->bytes_.fetch_sub(bytes_, std::memory_order_relaxed);
      if (large_) budget_->large_.fetch_sub(1, std::memory_order_relaxed);
      budget_ = nullptr;
      bytes_ = 0;
      large_ = false;
    }

   private:
    static bool take(std::atomic<std::size_t>& total, std::size_t more, std::size_t max) noexcept {
      if (total.fetch_add(more, std::memory_order_relaxed) + more <= max) return true;
      total.fetch_sub(more, std::memory_order_relaxed);
      return false;
    }

    BodyBudget* budget_ = nullptr;
    std::size_t bytes_ = 0;
    bool large_ = false;
  };

 private:
  const std::size_t max_bytes_;
  const std::size_t max_large_;
  const std::size_t large_from_;
  std::atomic<std::size_t> bytes_{0};
  std::atomic<std::size_t> large_{0};
};

}  // namespace plimsoll::rpc
