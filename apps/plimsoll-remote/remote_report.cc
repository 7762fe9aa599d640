#include "remote_report.h"

#include <fmt/format.h>

#include <optional>
#include <vector>

#include "../plimsoll/evidence_json.h"
#include "../plimsoll/run_report.h"

namespace plimsoll::cli {
namespace {

// No escape sequence of a service's reaches the terminal.
std::string shown(std::string text) {
  for (char& c : text) {
    if (c < ' ' || c > '~') c = '?';
  }
  return text;
}

Json record_json(const RunRecord& record) {
  return {{"version", record.version},
          {"request_sha256", record.request_sha256},
          {"result_sha256", record.result_sha256},
          {"provider", record.provider},
          {"isolation", record.isolation},
          {"environment", record.environment},
          {"policy", record.policy},
          {"software_identity", record.software_identity},
          {"software_rule_id", record.software_rule_id},
          {"started_unix_ms", record.started_unix_ms},
          {"ended_unix_ms", record.ended_unix_ms},
          {"record_sha256", record.record_sha256}};
}

Json advice_json(const std::vector<AdviceFinding>& advice) {
  Json json = Json::array();
  for (const AdviceFinding& finding : advice) {
    json.push_back({{"pattern", to_string(finding.pattern)},
                    {"severity", to_string(finding.severity)},
                    {"remedy", to_string(finding.remedy)},
                    {"method", finding.method},
                    {"route", finding.route},
                    {"detail", finding.detail},
                    {"suggested_method", finding.suggested_method},
                    {"suggested_route", finding.suggested_route},
                    {"extra_calls", finding.extra_calls},
                    {"added_latency_ms", finding.added_latency_ms},
                    {"bytes_moved", finding.bytes_moved}});
  }
  return json;
}

Json environment_json(const std::optional<PayloadEnvironment>& environment) {
  if (!environment) return nullptr;
  return {{"identity", environment->identity},
          {"max_timeout_ms", environment->max_timeout.count()},
          {"software_identity", environment->software_identity},
          {"languages", environment->languages}};
}

void append_environment(std::string& text, std::string_view kind,
                        const std::optional<PayloadEnvironment>& environment) {
  if (!environment) return;
  text += fmt::format("{:<12} up to {} s, in {}\n", kind,
                      static_cast<double>(environment->max_timeout.count()) / 1000,
                      shown(environment->identity));
}

}  // namespace

std::string to_json(const RemoteOutcome& remote) {
  Json json = outcome_json(remote.outcome);
  json["environment"] = remote.environment;
  json["software_identity"] = remote.software_identity;
  json["record"] = record_json(remote.record);
  json["advice"] = advice_json(remote.outcome.advice);
  return to_line(json);
}

std::string to_json(const Description& description) {
  return to_line({
      {"sandbox", description.sandbox},
      {"isolation", to_string(description.evidence.tier)},
      {"protocol", description.protocol},
      {"policy", description.policy},
      {"javascript", environment_json(description.javascript)},
      {"project", environment_json(description.project)},
      {"module", environment_json(description.module)},
      {"supports",
       {{"project", description.supports_project},
        {"module", description.supports_module},
        {"javascript_grants", description.supports_javascript_grants},
        {"project_grants", description.supports_project_grants},
        {"sessions", description.supports_sessions}}},
      {"resources",
       {{"memory_mb", description.resources.memory_mb},
        {"cpus", description.resources.cpus},
        {"pids", description.resources.pids},
        {"disk_mb", description.resources.disk_mb}}},
      {"evidence", evidence_json(description.evidence)},
  });
}

std::string to_text(const Description& description) {
  std::string text =
      fmt::format("sandbox      {}\nisolation    {}\nprotocol     {}\n", shown(description.sandbox),
                  to_string(description.evidence.tier), description.protocol);
  if (!description.policy.empty()) {
    text += fmt::format("policy       {}\n", shown(description.policy));
  }
  append_environment(text, "javascript", description.javascript);
  append_environment(text, "project", description.project);
  append_environment(text, "module", description.module);
  if (description.resources.memory_mb != 0) {
    text += fmt::format("memory       {} MiB\n", description.resources.memory_mb);
  }
  for (const EvidenceFact& fact : description.evidence.facts) {
    text +=
        fmt::format("{:<12} {}: {}\n", to_string(fact.basis), shown(fact.name), shown(fact.value));
  }
  return text;
}

}  // namespace plimsoll::cli
