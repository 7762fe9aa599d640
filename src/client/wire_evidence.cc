#include "client/wire_evidence.h"

#include <plimsoll/v1/evidence.pb.h>

#include <algorithm>
#include <string_view>

namespace plimsoll::client {
namespace {

bool is_sane(std::string_view text) noexcept {
  return text.size() <= kMaxFactBytes &&
         std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; });
}

}  // namespace

std::expected<IsolationEvidence, std::string> from_wire(const v1::IsolationEvidence& message) {
  if (message.facts_size() > kMaxFacts) return std::unexpected("its evidence has too many facts");
  IsolationEvidence evidence;
  evidence.tier = parse_isolation(message.tier()).value_or(Isolation::kUnknown);
  evidence.facts.reserve(static_cast<std::size_t>(message.facts_size()));
  for (const v1::EvidenceFact& fact : message.facts()) {
    if (!is_sane(fact.name()) || !is_sane(fact.value())) {
      return std::unexpected("its evidence has a fact that is no short ASCII");
    }
    const int basis = fact.basis();
    if (basis < v1::EVIDENCE_BASIS_STATED || basis > v1::EVIDENCE_BASIS_MEASURED) {
      return std::unexpected("its evidence has a fact without a basis");
    }
    evidence.facts.push_back({.name = fact.name(),
                              .value = fact.value(),
                              .basis = static_cast<EvidenceBasis>(basis),
                              .observed_unix_ms = fact.observed_unix_ms()});
  }
  return evidence;
}

}  // namespace plimsoll::client
