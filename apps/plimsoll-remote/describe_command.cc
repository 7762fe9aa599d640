#include "describe_command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <string>
#include <vector>

#include "../plimsoll/exit_codes.h"
#include "../plimsoll/output.h"
#include "../plimsoll/remote_options.h"
#include "../plimsoll/run_output.h"
#include "connect.h"
#include "remote_report.h"

namespace plimsoll::cli {
namespace {

constexpr std::array kFlags = {
    FlagSpec{"json"}, FlagSpec{"help"}, kRemoteFlags[0], kRemoteFlags[1],
    kRemoteFlags[2],  kRemoteFlags[3],  kRemoteFlags[4],
};

int refuse_usage(std::string_view mistakes) {
  say(fmt::format("{}; see plimsoll describe --help", mistakes));
  return kExitUsage;
}

}  // namespace

int describe_command(std::span<const std::string_view> args, const Environment& environment) {
  const auto arguments = parse_arguments(kFlags, args);
  if (!arguments) return refuse_usage(arguments.error());
  RunFormat format = RunFormat::kBytes;
  RemoteCollector collector;
  for (const Flag& flag : arguments->flags) {
    if (flag.name == "help") return write_stream(STDOUT_FILENO, kDescribeHelp);
    if (flag.name == "json") format = RunFormat::kJson;
    static_cast<void>(collector.take(flag));
  }
  std::vector<std::string> mistakes;
  const auto remote = collector.finish(environment, mistakes);
  if (!arguments->operands.empty()) mistakes.emplace_back("describe takes no operands");
  if (!remote && mistakes.empty()) mistakes.emplace_back("--remote URL is needed");
  if (!mistakes.empty()) return refuse_usage(fmt::format("{}", fmt::join(mistakes, "; ")));

  auto client = make_client(*remote);
  if (!client) return show_error(client.error(), format);
  const auto description = client->describe();
  if (!description) return show_error(description.error(), format);
  return write_stream(STDOUT_FILENO,
                      format == RunFormat::kJson ? to_json(*description) : to_text(*description));
}

}  // namespace plimsoll::cli
