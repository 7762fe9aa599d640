#include "doctor_command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "arguments.h"
#include "docker_config.h"
#include "docker_tiers.h"
#include "doctor_report.h"
#include "exit_codes.h"
#include "output.h"
#include "process_tier.h"
#include "vm_tier.h"

namespace plimsoll::cli {
namespace {

constexpr std::array kFlags = {FlagSpec{"json"}, FlagSpec{"help"}};

// Weakest tier first.
std::vector<TierReport> examine(const Environment& environment) {
  std::vector<TierReport> reports;
  reports.push_back(examine_process_tier());
  std::ranges::move(examine_docker_tiers(docker_config(environment)), std::back_inserter(reports));
  reports.push_back(examine_vm_tier());
  return reports;
}

int print(std::string_view text) {
  return write_all(STDOUT_FILENO, text) ? kExitDone : kExitOutput;
}

}  // namespace

int doctor_command(std::span<const std::string_view> args, const Environment& environment) {
  const auto arguments = parse_arguments(kFlags, args);
  if (!arguments || !arguments->operands.empty()) {
    say((arguments ? "doctor takes no operands" : arguments.error()) +
        "; see plimsoll doctor --help");
    return kExitUsage;
  }
  const auto given = [&](std::string_view name) {
    return std::ranges::find(arguments->flags, name, &Flag::name) != arguments->flags.end();
  };
  if (given("help")) return print(kDoctorHelp);

  const std::vector<TierReport> reports = examine(environment);
  const int printed = print(given("json") ? to_json(reports) : to_text(reports));
  if (printed != kExitDone) return printed;
  return std::ranges::any_of(reports, &TierReport::usable) ? kExitDone : kExitCouldNot;
}

}  // namespace plimsoll::cli
