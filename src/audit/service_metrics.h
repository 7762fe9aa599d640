// A table of the service's metrics: every name that /metrics shows. docs and dashboards use these.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "audit/audit_line.h"
#include "audit/metric.h"
#include "audit/process_sample.h"
#include "base/clock.h"
#include "core/pool_state.h"

namespace plimsoll {

// What the program is; the labels of plimsoll_build_info.
struct BuildInfo {
  std::string_view version;
  std::string_view compiler;
};

// What is read when somebody scrapes, and kept nowhere else.
struct ScrapedState {
  std::uint32_t runs_in_flight = 0;
  std::uint32_t runs_waiting = 0;
  std::size_t callers_remembered = 0;
  std::uint64_t audit_lines_dropped = 0;
  std::vector<PoolState> pools{};
  ProcessSample process;
};

// Safe for concurrent use. No label holds a caller, a trace id or anything that a guest says.
class ServiceMetrics {
 public:
  ServiceMetrics(const BuildInfo& build, const Clock& clock);

  // Counts the run or the refusal that `line` tells: one call for each audit line.
  void count(const AuditLine& line);

  // The whole page: text/plain; version=0.0.4.
  [[nodiscard]] std::string render(const ScrapedState& state);
  [[nodiscard]] std::vector<const MetricFamily*> families() const;

  Family<Counter> runs{{"plimsoll_runs_total",
                        "Runs that were dispatched, by how they ended.",
                        {"provider", "kind", "outcome"}}};
  Family<Counter> refusals{
      {"plimsoll_refusals_total", "Runs that were refused before dispatch.", {"reason"}}};
  Family<Gauge> in_flight{{"plimsoll_runs_in_flight", "Runs that hold a slot.", {}}};
  Family<Gauge> waiting{{"plimsoll_runs_waiting", "Runs that wait for a slot.", {}}};
  Family<Histogram> duration{{"plimsoll_run_duration_seconds",
                              "From a request's arrival to its answer, of dispatched runs.",
                              {"provider", "kind"}}};
  Family<Counter> host_calls{{"plimsoll_host_calls_total",
                              "Calls from guests to the host.",
                              {"profile", "result"}}};  // made, denied, shed, dropped
  Family<Counter> breaker_openings{{"plimsoll_breaker_openings_total",
                                    "Times that a profile's circuit breaker opened.",
                                    {"profile"}}};
  Family<Counter> advice{{"plimsoll_advice_total",
                          "Findings of the advisor.",
                          {"profile", "pattern", "severity", "remedy"}}};
  Family<Gauge> pool_size{{"plimsoll_pool_size",
                           "Workers, containers or virtual machines, by state.",
                           {"pool", "state"}}};  // ready, kept, busy
  Family<ReadCounter> pool_restarts{
      {"plimsoll_pool_restarts_total",
       "Workers, containers or virtual machines that were ended and replaced.",
       {"pool", "reason"}}};
  Family<Gauge> callers{
      {"plimsoll_callers_remembered", "Callers whose rate or runs are kept track of.", {}}};
  Family<ReadCounter> audit_dropped{{"plimsoll_audit_lines_dropped_total",
                                     "Audit lines of refusals that could not be written.",
                                     {}}};
  Family<Gauge> build_info{
      {"plimsoll_build_info", "Always 1; what runs here.", {"version", "compiler"}}};
  Family<ReadCounter> cpu{{"process_cpu_seconds_total", "CPU time of the daemon itself.", {}}};
  Family<Gauge> virtual_memory{{"process_virtual_memory_bytes", "Its address space.", {}}};
  Family<Gauge> resident_memory{{"process_resident_memory_bytes", "Its resident memory.", {}}};
  Family<Gauge> open_fds{{"process_open_fds", "Its open file descriptors.", {}}};
  Family<Gauge> max_fds{{"process_max_fds", "As many may be open.", {}}};
  Family<Gauge> start_time{{"process_start_time_seconds", "When it started, in Unix time.", {}}};
};

}  // namespace plimsoll
