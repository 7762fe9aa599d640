#include "doctor_report.h"

#include <fmt/format.h>

#include <iterator>

#include "evidence_json.h"

namespace plimsoll::cli {
namespace {

std::string_view verdict(const TierReport& report) {
  if (report.usable()) return "usable";
  if (report.in_this_build == InThisBuild::kYes) return "not usable on this host";
  return report.host_has_it() ? "the host has what it needs; not in this build"
                              : "not in this build";
}

std::vector<std::string_view> usable_tiers(std::span<const TierReport> reports) {
  std::vector<std::string_view> names;
  for (const TierReport& report : reports) {
    if (report.usable()) names.push_back(to_string(report.tier));
  }
  return names;
}

}  // namespace

std::string to_text(std::span<const TierReport> reports) {
  std::string text;
  const auto out = std::back_inserter(text);
  for (const TierReport& report : reports) {
    fmt::format_to(out, "{}: {}\n  {}\n", to_string(report.tier), verdict(report), report.what);
    for (const HostCheck& check : report.checks) {
      fmt::format_to(out, "  {:<8} {:<17} {}\n", to_string(check.finding), check.name,
                     check.detail);
      if (!check.remedy.empty()) fmt::format_to(out, "{:>29}do: {}\n", "", check.remedy);
    }
    for (const EvidenceFact& fact : report.evidence.facts) {
      fmt::format_to(out, "  {:<8} {:<17} {} ({})\n", "fact", fact.name, fact.value,
                     to_string(fact.basis));
    }
    text += '\n';
  }
  const auto usable = usable_tiers(reports);
  fmt::format_to(
      out, "This build can use here: {}.\n",
      usable.empty() ? std::string("no tier") : fmt::format("{}", fmt::join(usable, ", ")));
  return text;
}

std::string to_json(std::span<const TierReport> reports) {
  Json tiers = Json::array();
  for (const TierReport& report : reports) {
    Json checks = Json::array();
    for (const HostCheck& check : report.checks) {
      checks.push_back({{"name", check.name},
                        {"finding", to_string(check.finding)},
                        {"detail", check.detail},
                        {"remedy", check.remedy}});
    }
    Json tier = {{"tier", to_string(report.tier)},
                 {"what", report.what},
                 {"in_this_build", report.in_this_build == InThisBuild::kYes},
                 {"host_has_it", report.host_has_it()},
                 {"usable", report.usable()},
                 {"checks", std::move(checks)}};
    if (report.evidence.tier != Isolation::kUnknown) {
      tier["evidence"] = evidence_json(report.evidence);
    }
    tiers.push_back(std::move(tier));
  }
  return to_line({{"usable", usable_tiers(reports)}, {"tiers", std::move(tiers)}});
}

}  // namespace plimsoll::cli
