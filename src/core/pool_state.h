// What a provider keeps ready, for the operator's metrics.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace plimsoll {

// How often a worker (a container, a virtual machine) was ended and not used again, and why. The
// reasons are a fixed set of static strings.
struct PoolEnds {
  std::string_view reason;
  std::uint64_t count = 0;
};

struct PoolState {
  std::string_view pool;      // "worker"; static storage
  std::uint32_t ready = 0;    // nobody has used them yet
  std::uint32_t kept = 0;     // idle, for the caller that they have served
  std::uint32_t busy = 0;     // with a run
  std::uint32_t waiting = 0;  // runs that wait for one
  std::vector<PoolEnds> ends{};
};

}  // namespace plimsoll
