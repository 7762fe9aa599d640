// What a caller has to give stands before what it may give.
#pragma once

#include <iterator>
#include <utility>
#include <vector>

namespace plimsoll::specgen {

// Moves those whose `required` is true to the front; both groups keep their order. Not
// std::stable_partition: libstdc++ 12's takes its buffer by a deprecated way, which clang refuses.
template <typename T>
void put_required_first(std::vector<T>& all) {
  std::vector<T> others;
  std::vector<T> first;
  for (T& one : all) (one.required ? first : others).push_back(std::move(one));
  first.insert(first.end(), std::make_move_iterator(others.begin()),
               std::make_move_iterator(others.end()));
  all = std::move(first);
}

}  // namespace plimsoll::specgen
