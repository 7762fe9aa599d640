#include "core/cleared_run.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/mistakes.h"

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

void check_timeout(const RunRequest& request, const ProviderLimits& limits, Mistakes& mistakes) {
  if (request.timeout >= Millis{0} && request.timeout <= limits.max_timeout) return;
  mistakes.add(
      fmt::format("timeout is {} ms; 1 to {} ms are accepted, or 0 for the default of {} ms",
                  request.timeout.count(), limits.max_timeout.count(),
                  std::min(kDefaultTimeout, limits.max_timeout).count()));
}

void check_caller(const RunRequest& request, Mistakes& mistakes) {
  if (request.caller.size() <= kMaxCallerBytes) return;
  mistakes.add(fmt::format("caller has {} bytes; at most {} are accepted", request.caller.size(),
                           kMaxCallerBytes));
}

}  // namespace

Result<ClearedRun> clear_run(const RunRequest& request, const ProviderLimits& limits,
                             const IsolationEvidence& current) {
  Mistakes mistakes;
  check_code(request, mistakes);
  check_timeout(request, limits, mistakes);
  if (!is_floor(request.minimum_isolation)) {
    mistakes.add("minimum_isolation is unknown; none, process, container, kernel, vm are accepted");
  }
  check_caller(request, mistakes);
  if (!mistakes.none()) {
    return std::unexpected(
        mistakes.to_error(ErrorCode::kInvalidRequest, NotDispatchedReason::kRequest));
  }

  auto floor = check_floor(request.minimum_isolation, current);
  if (!floor) return std::unexpected(std::move(floor).error());

  // A provider whose ceiling is below the common default runs for its ceiling.
  const Millis timeout = request.timeout == Millis{0}
                             ? std::min(kDefaultTimeout, limits.max_timeout)
                             : request.timeout;
  return ClearedRun(request, timeout, request.minimum_isolation);
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
