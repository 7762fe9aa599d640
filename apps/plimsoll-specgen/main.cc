// plimsoll-specgen: from an OpenAPI document to a grant, its client and their description.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../plimsoll/output.h"
#include "../plimsoll/version.h"
#include "base/errno_text.h"
#include "files.h"
#include "options.h"

namespace plimsoll::specgen_app {
namespace {

using specgen::Artifact;
using specgen::Diagnostics;
using specgen::Generator;

constexpr int kExitDone = 0;
constexpr int kExitCouldNot = 1;
constexpr int kExitUsage = 2;

constexpr std::array kAll = {Artifact::kAllow,  Artifact::kPreamble, Artifact::kDescription,
                             Artifact::kGrants, Artifact::kCatalog,  Artifact::kHealth,
                             Artifact::kTypes};

void say(std::string_view text) {
  [[maybe_unused]] const auto written =
      cli::write_all(STDERR_FILENO, fmt::format("plimsoll-specgen: {}\n", text));
}

int failed(const Error& error) {
  say(error.message);
  return kExitCouldNot;
}

int print(std::string_view text) {
  const auto written = cli::write_all(STDOUT_FILENO, text);
  if (!written) say("standard output cannot be written: " + errno_text(written.error()));
  return written ? kExitDone : kExitCouldNot;
}

void tell(const Diagnostics& diagnostics, const Options& options) {
  const std::string name = options.input == "-" ? "standard input" : options.input;
  std::string text;
  for (const auto& one : diagnostics.all()) {
    text += fmt::format("plimsoll-specgen: {}: {}\n", name, to_text(one));
  }
  [[maybe_unused]] const auto written = cli::write_all(STDERR_FILENO, text);
  if (diagnostics.dropped() != 0) {
    say(fmt::format("{}: and {} messages more", name, diagnostics.dropped()));
  }
}

void tell_counts(const specgen::Api& api) {
  std::string reasons;
  for (std::size_t i = 0; i < specgen::kSkipReasons; ++i) {
    if (api.skipped.at(i) == 0) continue;
    reasons += fmt::format("{}{} {}", reasons.empty() ? " (" : ", ",
                           to_string(static_cast<specgen::SkipReason>(i)), api.skipped.at(i));
  }
  if (!reasons.empty()) reasons += ')';
  const auto selected = static_cast<std::size_t>(
      std::ranges::count_if(api.operations, &specgen::Operation::selected));
  std::string left_out;
  if (selected != api.operations.size()) {
    left_out =
        fmt::format(", {} left out by -include and -exclude", api.operations.size() - selected);
  }
  say(fmt::format("operations: {} in all, {} generated, {} skipped{}{}",
                  api.operations.size() + api.skipped_in_all(), selected, api.skipped_in_all(),
                  reasons, left_out));
  if (selected == api.operations.size() && selected != 0) {
    say("the allow list is every operation of the document; trim it to what the code needs "
        "(-include, -exclude), and keep the whole list as the profile's catalog");
  }
}

int write_all_files(Generator& generator, const Options& options) {
  if (auto made = make_folder(options.outdir); !made) return failed(made.error());
  for (const Artifact artifact : kAll) {
    std::ostringstream out;
    generator.emit(artifact, out);
    const auto written = write_file(options.outdir, file_name(artifact), out.view());
    if (!written) return failed(written.error());
  }
  return kExitDone;
}

int generate(const Options& options) {
  const auto bytes = read_input(options.input, options.generate.limits.max_bytes);
  if (!bytes) return failed(bytes.error());
  Diagnostics diagnostics;
  auto generator = Generator::read(*bytes, options.generate, diagnostics);
  tell(diagnostics, options);
  if (!generator) return kExitCouldNot;
  tell_counts(generator->api());
  if (options.warnings == Warnings::kErrors && diagnostics.warnings() != 0) {
    say("nothing is written: with -strict warnings are errors");
    return kExitCouldNot;
  }
  if (!options.artifact) return write_all_files(*generator, options);
  std::ostringstream out;
  generator->emit(*options.artifact, out);
  return print(out.view());
}

int run(const std::vector<std::string_view>& args) {
  const auto options = parse_options(args);
  if (!options) {
    say(options.error() + "; see plimsoll-specgen --help");
    return kExitUsage;
  }
  if (options->command == Command::kHelp) return print(kHelp);
  if (options->command == Command::kVersion) {
    return print("plimsoll-specgen " + std::string(cli::kVersion) + "\n");
  }
  return generate(*options);
}

}  // namespace
}  // namespace plimsoll::specgen_app

int main(int argc, char** argv) {
  plimsoll::cli::prepare_standard_streams();
  const std::vector<std::string_view> args(argv + (argc > 0 ? 1 : 0), argv + argc);
  return plimsoll::specgen_app::run(args);
}
