#include "plimsoll/secret.h"

#include <string.h>

#include <algorithm>
#include <utility>

namespace plimsoll {

Secret::Secret(std::string_view text)
    : bytes_(std::make_unique_for_overwrite<char[]>(text.size())), size_(text.size()) {
  std::ranges::copy(text, bytes_.get());
}

Secret::Secret(Secret&& other) noexcept
    : bytes_(std::move(other.bytes_)), size_(std::exchange(other.size_, 0)) {}

Secret& Secret::operator=(Secret&& other) noexcept {
  if (this == &other) return *this;
  wipe();
  bytes_ = std::move(other.bytes_);
  size_ = std::exchange(other.size_, 0);
  return *this;
}

Secret::~Secret() { wipe(); }

void Secret::wipe() noexcept {
  // Not memset(): the compiler may leave out what nobody reads.
  if (bytes_) ::explicit_bzero(bytes_.get(), size_);
  size_ = 0;
}

}  // namespace plimsoll
