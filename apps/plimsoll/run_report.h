// The JSON forms of a run's end, as `plimsoll run --json` prints them.
#pragma once

#include <string>

#include "evidence_json.h"
#include "plimsoll/outcome.h"
#include "plimsoll/result.h"

namespace plimsoll::cli {

// One object and a line feed:
//   {"provider","isolation","exit_code","timed_out","termination":{"cause","detail"},
//    "duration_us","stdout":{"base64","utf8","truncated"},"stderr":{...},
//    "evidence":{"tier","facts":[{"name","value","basis","observed_unix_ms"}]}}
// "utf8" is there only when the bytes are well-formed UTF-8.
[[nodiscard]] std::string to_json(const Outcome& outcome);

// The same without the line feed, for one that has more in it.
[[nodiscard]] Json outcome_json(const Outcome& outcome);

// {"error":{"code","message","not_dispatched"}}; "not_dispatched" is null when the code may have
// run.
[[nodiscard]] std::string to_json(const Error& error);

}  // namespace plimsoll::cli
