// Evidence as it came over the wire.
#pragma once

#include <expected>
#include <string>

#include "plimsoll/evidence.h"

namespace plimsoll::v1 {
class IsolationEvidence;
}

namespace plimsoll::client {

inline constexpr int kMaxFacts = 256;
inline constexpr std::size_t kMaxFactBytes = 4096;  // of a name, of a value

// A tier that has no name here is kUnknown, which meets no floor. The error says what makes no
// sense: too many facts or too long ones, bytes that are not printable ASCII, an unknown basis.
[[nodiscard]] std::expected<IsolationEvidence, std::string> from_wire(
    const v1::IsolationEvidence& message);

}  // namespace plimsoll::client
