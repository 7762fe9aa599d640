// What a provider answers to a project.
#pragma once

#include <chrono>
#include <string>

#include "core/run_result.h"
#include "plimsoll/call_trace.h"
#include "plimsoll/evidence.h"

namespace plimsoll {

struct ProjectAnswer {
  ProjectResult result{};
  std::chrono::microseconds duration{0};  // from the dispatch to the guest's last word
  std::string provider{};
  IsolationEvidence evidence{};  // the boundary that this very run executed behind
};

}  // namespace plimsoll
