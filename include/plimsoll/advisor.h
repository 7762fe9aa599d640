// Finds waste in what a run asked of its API. Pure functions; safe for concurrent use; no network,
// no model.
#pragma once

#include <string>
#include <vector>

#include "plimsoll/advice.h"
#include "plimsoll/call_trace.h"
#include "plimsoll/grant.h"

namespace plimsoll::advisor {

// Everything that is found, whatever grant.config().advice says: fan-outs (5 or more successful
// calls of one route with a wildcard) and repeated reads (3 or more successful GETs of one route
// without wildcards and query, all answers of one size). A row whose route the grant does not have
// is not looked at.
[[nodiscard]] std::vector<AdviceFinding> advise(const CallTrace& trace, const Grant& grant);

// Of these what the code itself can mend: what Outcome::advice holds when the grant says
// Advice::kCaller.
[[nodiscard]] std::vector<AdviceFinding> for_caller(const std::vector<AdviceFinding>& findings);

// A text to send to whoever owns the API, ready to paste: what was measured, and the question for
// the smallest change, or for a plain "none is warranted". Empty unless the remedy is kAskApiOwner.
[[nodiscard]] std::string prompt(const AdviceFinding& finding);

}  // namespace plimsoll::advisor
