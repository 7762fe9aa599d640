#include "core/cleared_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/mistakes.h"
#include "core/wire_validation.h"

namespace plimsoll {
namespace {

// A value outside the enumeration can come in through a cast; it is no floor either.
bool is_floor(Isolation tier) noexcept {
  return tier > Isolation::kUnknown && tier <= Isolation::kVm;
}

void check_code(const RunRequest& request, Mistakes& mistakes) {
  if (request.code.empty()) {
    mistakes.add(fmt::format("code is empty; 1 to {} bytes are accepted", kMaxCodeBytes));
  } else if (request.code.size() > kMaxCodeBytes) {
    mistakes.add(
        fmt::format("code has {} bytes; 1 to {} are accepted", request.code.size(), kMaxCodeBytes));
  }
}

void check_timeout(const RunRequest& request, Millis most, Mistakes& mistakes) {
  if (request.timeout >= Millis{0} && request.timeout <= most) return;
  mistakes.add(
      fmt::format("timeout is {} ms; 1 to {} ms are accepted, or 0 for the default of {} ms",
                  request.timeout.count(), most.count(), std::min(kDefaultTimeout, most).count()));
}

void check_caller(const RunRequest& request, Mistakes& mistakes) {
  if (request.caller.size() <= kMaxCallerBytes) return;
  mistakes.add(fmt::format("caller has {} bytes; at most {} are accepted", request.caller.size(),
                           kMaxCallerBytes));
}

// What a snippet and a project have in common.
void check_rest(const RunRequest& request, Millis most, Mistakes& mistakes) {
  check_timeout(request, most, mistakes);
  if (!is_floor(request.minimum_isolation)) {
    mistakes.add("minimum_isolation is unknown; none, process, container, kernel, vm are accepted");
  }
  check_caller(request, mistakes);
}

// The error of the mistakes, or that of the floor.
Result<void> clear(const RunRequest& request, const Mistakes& mistakes,
                   const IsolationEvidence& current) {
  if (!mistakes.none()) {
    return std::unexpected(
        mistakes.to_error(ErrorCode::kInvalidRequest, NotDispatchedReason::kRequest));
  }
  return check_floor(request.minimum_isolation, current);
}

// A provider whose ceiling is below the common default runs for its ceiling.
Millis timeout_of(const RunRequest& request, Millis most) {
  return request.timeout == Millis{0} ? std::min(kDefaultTimeout, most) : request.timeout;
}

}  // namespace

Result<ClearedRun> clear_run(const RunRequest& request, const ProviderLimits& limits,
                             const IsolationEvidence& current) {
  Mistakes mistakes;
  check_code(request, mistakes);
  check_rest(request, limits.max_timeout, mistakes);
  if (auto cleared = clear(request, mistakes, current); !cleared) {
    return std::unexpected(std::move(cleared).error());
  }
  return ClearedRun(request, nullptr, timeout_of(request, limits.max_timeout),
                    request.minimum_isolation);
}

Result<ClearedRun> clear_project(const RunRequest& request, const ProjectRun& project,
                                 const ProviderLimits& limits, const IsolationEvidence& current) {
  Mistakes mistakes;
  if (!request.code.empty()) mistakes.add("code is not empty; a project has files instead");
  check_project_run(project, mistakes);
  check_rest(request, limits.max_project_timeout, mistakes);
  if (auto cleared = clear(request, mistakes, current); !cleared) {
    return std::unexpected(std::move(cleared).error());
  }
  return ClearedRun(request, &project, timeout_of(request, limits.max_project_timeout),
                    request.minimum_isolation);
}

Result<void> check_floor(Isolation floor, const IsolationEvidence& evidence) {
  if (is_floor(floor) && is_floor(evidence.tier) && meets(evidence.tier, floor)) return {};
  return std::unexpected(Error{
      .code = ErrorCode::kIsolation,
      .message = fmt::format("the boundary is of tier {}, and the floor that was asked for is {}",
                             to_string(evidence.tier), to_string(floor)),
      .not_dispatched = NotDispatchedReason::kIsolation});
}

}  // namespace plimsoll
