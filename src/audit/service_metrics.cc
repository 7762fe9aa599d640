#include "audit/service_metrics.h"

namespace plimsoll {
namespace {

std::string_view or_none(const std::string& name) {
  return name.empty() ? std::string_view("none") : std::string_view(name);
}

}  // namespace

ServiceMetrics::ServiceMetrics(const BuildInfo& build, const Clock& clock) {
  build_info.with({build.version, build.compiler}).set(1);
  start_time.with({}).set(
      std::chrono::duration<double>(clock.wall_now().time_since_epoch()).count());
}

void ServiceMetrics::count(const AuditLine& line) {
  // Whoever left while it waited was not dispatched either.
  if (line.outcome == AuditOutcome::kRefused || line.refusal != AuditRefusal::kNone) {
    refusals.with({to_string(line.refusal)}).add();
    return;
  }
  const std::string_view provider = or_none(line.provider.text());
  const std::string_view kind = to_string(line.request.kind);
  runs.with({provider, kind, to_string(line.outcome)}).add();
  duration.with({provider, kind}).observe(std::chrono::duration<double>(line.duration).count());
  // The name of a profile that ran is one of the operator's, so that their number is bounded.
  const std::string_view profile = line.request.profile.text();
  if (profile.empty()) return;
  host_calls.with({profile, "made"}).add(line.calls.made);
  host_calls.with({profile, "denied"}).add(line.calls.denied);
  host_calls.with({profile, "shed"}).add(line.calls.shed);
  host_calls.with({profile, "dropped"}).add(line.calls.dropped);
  breaker_openings.with({profile}).add(line.calls.breaker_openings);
  if (!line.result) return;
  for (const AdviceFinding& finding : line.result->advice.findings) {
    advice
        .with({profile, to_string(finding.pattern), to_string(finding.severity),
               to_string(finding.remedy)})
        .add();
  }
}

std::string ServiceMetrics::render(const ScrapedState& state) {
  in_flight.with({}).set(state.runs_in_flight);
  waiting.with({}).set(state.runs_waiting);
  callers.with({}).set(static_cast<double>(state.callers_remembered));
  audit_dropped.with({}).set(static_cast<double>(state.audit_lines_dropped));
  for (const PoolState& pool : state.pools) {
    pool_size.with({pool.pool, "ready"}).set(pool.ready);
    pool_size.with({pool.pool, "kept"}).set(pool.kept);
    pool_size.with({pool.pool, "busy"}).set(pool.busy);
    for (const PoolEnds& ends : pool.ends) {
      pool_restarts.with({pool.pool, ends.reason}).set(static_cast<double>(ends.count));
    }
  }
  cpu.with({}).set(state.process.cpu_seconds);
  virtual_memory.with({}).set(static_cast<double>(state.process.virtual_bytes));
  resident_memory.with({}).set(static_cast<double>(state.process.resident_bytes));
  open_fds.with({}).set(static_cast<double>(state.process.open_fds));
  max_fds.with({}).set(static_cast<double>(state.process.max_fds));
  std::string page;
  for (const MetricFamily* family : families()) family->render(page);
  return page;
}

std::vector<const MetricFamily*> ServiceMetrics::families() const {
  return {&runs,       &refusals,      &in_flight,        &waiting,
          &duration,   &host_calls,    &breaker_openings, &advice,
          &pool_size,  &pool_restarts, &callers,          &audit_dropped,
          &build_info, &cpu,           &virtual_memory,   &resident_memory,
          &open_fds,   &max_fds,       &start_time};
}

}  // namespace plimsoll
