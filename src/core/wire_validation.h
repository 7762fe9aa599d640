// Whether what a caller asks for has the shape that the contract demands. Pure: no provider, no
// clock, no file is looked at. Every mistake is named at once.
//
// Paths are the part of a request that reaches a file system. A path that leaves the project's
// folder, or two that name one file, are refused here, before any provider sees them.
#pragma once

#include "core/mistakes.h"
#include "core/run_payload.h"
#include "plimsoll/result.h"

namespace plimsoll {

// Each adds what is wrong, in the order of the fields. Values of the caller's are quoted only where
// their character set makes that safe; otherwise they are named by their index.
void check_javascript_run(const JavaScriptRun& run, Mistakes& mistakes);
void check_project_run(const ProjectRun& run, Mistakes& mistakes);
void check_software_rule(const SoftwareRule& rule, Mistakes& mistakes);

// The floor's name, the timeout's sign, the software rule and the payload. The protocol number
// comes before all of this and has an error of its own; ceilings of timeouts are the provider's. A
// module is bounded by the body's size only; a cell is refused, since a single run has no session.
// Errors: kInvalidRequest, not dispatched (kRequest).
[[nodiscard]] Result<void> check_asked_run(const AskedRun& asked);

}  // namespace plimsoll
