// From what the provider says to what the caller gets: answer and record, or failure. Pure.
#pragma once

#include <string>

#include "base/clock.h"
#include "core/project_answer.h"
#include "core/provider_info.h"
#include "plimsoll/outcome.h"
#include "service/run_call.h"

namespace plimsoll {

struct RecordFacts {
  std::string policy{};
  Clock::Wall started;
  Clock::Wall ended;
};

// The answer to `asked`, with its record: its provider, isolation, environment and software
// identity are the answer's own.
[[nodiscard]] RunAnswer make_answer(const AskedRun& asked, Outcome outcome,
                                    const ProviderInfo& info, const RecordFacts& facts);

[[nodiscard]] RunAnswer make_answer(const AskedRun& asked, ProjectAnswer ended,
                                    const ProviderInfo& info, const RecordFacts& facts);

// What a provider's error is to the caller.
[[nodiscard]] RunFailure failure_of(const Error& error, const RunCall& call, Clock::Monotonic now);

}  // namespace plimsoll
