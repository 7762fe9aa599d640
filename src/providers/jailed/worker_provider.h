// The provider that every kind of jailed process has: a pool of them, one run at a time in each.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "plimsoll/sandbox.h"
#include "providers/jailed/worker_program.h"
#include "providers/provider.h"

namespace plimsoll::jailed {

struct WorkerSettings {
  std::string_view id{};           // the provider's; static storage, as the next two
  std::string_view environment{};  // what snippets run in, before ":sha256:"
  std::string_view pool_name{};    // for the metrics
  Millis max_timeout{0};
  unsigned pool = 0;  // ready processes; 0: one for each processor
  unsigned max_concurrent = 8;
  WorkerReuse reuse = WorkerReuse::kCaller;
  unsigned memory_mb = 64;
  std::size_t output_cap_bytes = 65'536;
  std::string program_path{};  // empty: the embedded copy
};

// Starts nothing yet. `program` outlives it; the settings must have been checked.
[[nodiscard]] std::unique_ptr<Provider> make_worker_provider(const WorkerProgram& program,
                                                             WorkerSettings settings);

}  // namespace plimsoll::jailed
