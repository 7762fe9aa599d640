// Collects everything that is wrong with an input, so that one answer names all of it.
#pragma once

#include <string>
#include <string_view>

#include "plimsoll/result.h"

namespace plimsoll {

// One sentence per mistake, joined with "; ". Not for concurrent use.
class Mistakes {
 public:
  // `mistake` says what is wrong, where, and what is accepted; no full stop.
  void add(std::string_view mistake);

  [[nodiscard]] bool none() const noexcept { return text_.empty(); }

  // The error that names them all, marked as not dispatched. Call it only when there are some.
  [[nodiscard]] Error to_error(ErrorCode code, NotDispatchedReason reason) const;

 private:
  std::string text_;
};

}  // namespace plimsoll
