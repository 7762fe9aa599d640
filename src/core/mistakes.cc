#include "core/mistakes.h"

#include <cassert>

namespace plimsoll {

void Mistakes::add(std::string_view mistake) {
  if (!text_.empty()) text_ += "; ";
  text_ += mistake;
}

Error Mistakes::to_error(ErrorCode code, NotDispatchedReason reason) const {
  assert(!none());
  return Error{.code = code, .message = text_, .not_dispatched = reason};
}

}  // namespace plimsoll
