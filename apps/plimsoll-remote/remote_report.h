// The JSON and text forms of what a service answered.
#pragma once

#include <string>

#include "plimsoll/client.h"

namespace plimsoll::cli {

// What `plimsoll run --json` prints of a local run, and behind it
//   "environment","software_identity","record":{"version","request_sha256","result_sha256",
//    "provider","isolation","environment","policy","software_identity","software_rule_id",
//    "started_unix_ms","ended_unix_ms","record_sha256"}
[[nodiscard]] std::string to_json(const RemoteOutcome& remote);

// One object and a line feed:
//   {"sandbox","isolation","protocol","policy","javascript","project","module","supports":{...},
//    "resources":{"memory_mb","cpus","pids","disk_mb"},"evidence"}
// The three kinds are null, or {"identity","max_timeout_ms","software_identity","languages"}.
[[nodiscard]] std::string to_json(const Description& description);

// Lines for people. Whatever a service says in it is printable ASCII.
[[nodiscard]] std::string to_text(const Description& description);

}  // namespace plimsoll::cli
