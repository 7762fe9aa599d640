// What the audit line says of a call. Pure.
#pragma once

#include "audit/audit_line.h"
#include "auth/authenticator.h"
#include "service/run_call.h"

namespace plimsoll {

// Who asks and for how much.
[[nodiscard]] AuditLine begin_line(const Authenticated& caller, const RunCall& call);

// What came of it.
void tell_failure(AuditLine& line, const RunFailure& failure);
void tell_answer(AuditLine& line, const RunAnswer& answer);

// What the guest asked of the API that it was granted, however the run ended.
void tell_calls(AuditLine& line, const CallTrace& calls);

}  // namespace plimsoll
