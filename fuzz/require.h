// An invariant of a fuzz target: not an assert(), which says nothing about the input and can be
// off.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace plimsoll::fuzz {

inline void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

}  // namespace plimsoll::fuzz
