// Text that must not be shown: a credential on its way from the operator to the one place that
// sends it.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

namespace plimsoll {

// Owns a copy of a secret on the heap, wipes it when it goes, and has no way to be printed,
// compared or formatted: a log line or an error that takes one does not compile. Its own bytes are
// a pointer and a length, so that a dump of the object (as test frameworks make) shows nothing
// either. Moves; a copy is made by name. A value, not for concurrent change.
class Secret {
 public:
  Secret() noexcept = default;
  explicit Secret(std::string_view text);
  Secret(Secret&& other) noexcept;
  Secret& operator=(Secret&& other) noexcept;
  Secret(const Secret&) = delete;
  Secret& operator=(const Secret&) = delete;
  ~Secret();

  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  // The secret itself; every use is where it leaves this type, so search for them. Valid until this
  // moves or goes.
  [[nodiscard]] std::string_view reveal() const noexcept { return {bytes_.get(), size_}; }
  [[nodiscard]] Secret copy() const { return Secret(reveal()); }

 private:
  void wipe() noexcept;

  std::unique_ptr<char[]> bytes_;
  std::size_t size_ = 0;
};

}  // namespace plimsoll
