// What the host knows about the boundary that a run executes behind, and how it knows it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "plimsoll/isolation.h"

namespace plimsoll {

// How a fact is known. The numbers are those of the wire contract.
enum class EvidenceBasis : std::uint8_t {
  kStated = 1,      // a provider says so; this host cannot look
  kConfigured = 2,  // this host asked for it, and did not look whether it came to be
  kMeasured = 3,    // this host read it from the kernel
};

// "stated", "configured", "measured".
[[nodiscard]] std::string_view to_string(EvidenceBasis basis) noexcept;

// One fact. Names and values are short ASCII made by the host; nothing that a guest says is a fact.
struct EvidenceFact {
  std::string name;
  std::string value;
  EvidenceBasis basis = EvidenceBasis::kStated;
  std::int64_t observed_unix_ms = 0;  // when it was observed; milliseconds since 1970 UTC
};

// The tier and the facts that it rests on. A tier is never better than its weakest necessary fact.
struct IsolationEvidence {
  Isolation tier = Isolation::kUnknown;
  std::vector<EvidenceFact> facts;
};

}  // namespace plimsoll
