// Advice as it came over the wire.
#pragma once

#include <google/protobuf/repeated_ptr_field.h>

#include <vector>

#include "plimsoll/advice.h"

namespace plimsoll::v1 {
class AdviceFinding;
}

namespace plimsoll::client {

// No record covers advice, and nothing depends on it: a finding that makes no sense (an unknown
// name, a negative number, more than kMaxAdviceFindings) is left out, and does not cost the answer.
// Its texts are cut and made printable: they are a service's.
[[nodiscard]] std::vector<AdviceFinding> from_wire(
    const google::protobuf::RepeatedPtrField<v1::AdviceFinding>& findings);

}  // namespace plimsoll::client
