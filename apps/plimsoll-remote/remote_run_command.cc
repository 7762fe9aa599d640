#include "remote_run_command.h"

#include <unistd.h>

#include <string>
#include <utility>

#include "../plimsoll/exit_codes.h"
#include "../plimsoll/output.h"
#include "../plimsoll/run_options.h"
#include "../plimsoll/run_output.h"
#include "../plimsoll/source.h"
#include "connect.h"
#include "remote_report.h"

namespace plimsoll::cli {

int remote_run_command(std::span<const std::string_view> args, const Environment& environment) {
  auto options = parse_run_options(args, environment);
  if (!options) {
    say(options.error().message + "; see plimsoll run --help");
    return options.error().exit_code;
  }
  if (options->help) return write_stream(STDOUT_FILENO, kRunHelp);
  if (!options->remote) {
    say("--remote URL is needed; plimsoll run runs code here");
    return kExitUsage;
  }
  if (!options->source_path.empty()) {
    auto source = read_source(options->source_path);
    if (!source) {
      say(source.error().message);
      return source.error().exit_code;
    }
    options->request.code = *std::move(source);
  }
  auto client = make_client(*options->remote);
  if (!client) return show_error(client.error(), options->format);
  const auto answer =
      client->run_javascript(options->request, {.grant_profile = options->remote->grant_profile});
  if (!answer) return show_error(answer.error(), options->format);
  const std::string json = options->format == RunFormat::kJson ? to_json(*answer) : std::string();
  return show_outcome(answer->outcome, options->format, json);
}

}  // namespace plimsoll::cli
