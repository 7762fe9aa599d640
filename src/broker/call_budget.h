// How many calls a run may make, and how many at once.
#pragma once

#include <cstdint>
#include <utility>

#include "plimsoll/grant.h"

namespace plimsoll {

// Every call is counted before anything of it is looked at, so that probing for what is permitted
// costs as much as calling it. Not for concurrent use.
class CallBudget {
 public:
  explicit CallBudget(std::uint32_t max_calls) noexcept : left_(max_calls) {}

  // One of the places in the run's calls under way; gives it back when it goes.
  class Place {
   public:
    Place() noexcept = default;
    Place(Place&& other) noexcept : budget_(std::exchange(other.budget_, nullptr)) {}
    Place& operator=(Place&& other) noexcept {
      if (this != &other) {
        leave();
        budget_ = std::exchange(other.budget_, nullptr);
      }
      return *this;
    }
    ~Place() { leave(); }
    explicit operator bool() const noexcept { return budget_ != nullptr; }

   private:
    friend class CallBudget;
    explicit Place(CallBudget* budget) noexcept : budget_(budget) {}
    void leave() noexcept {
      if (budget_ != nullptr) --budget_->under_way_;
      budget_ = nullptr;
    }
    CallBudget* budget_ = nullptr;
  };

  // Counts a call. Empty: the budget is spent, or kMaxCallsInFlight are under way. A place must not
  // outlive the budget.
  [[nodiscard]] Place take() noexcept {
    if (left_ == 0) return {};
    --left_;
    if (under_way_ == kMaxCallsInFlight) return {};
    ++under_way_;
    return Place(this);
  }

 private:
  std::uint32_t left_;
  unsigned under_way_ = 0;
};

}  // namespace plimsoll
