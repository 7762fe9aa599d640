// The process that holds the prepared slot and forks workers from it. Single-threaded; it serves
// the library over one socket, and ends when that ends, taking every worker along.
#pragma once

#include <cstddef>

namespace plimsoll::worker {

// Jails itself, reports, serves. Returns the exit status of the process.
[[nodiscard]] int run_zygote(std::size_t memory_bytes) noexcept;

}  // namespace plimsoll::worker
