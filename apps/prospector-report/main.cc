// prospector-report: from the audit stream to a page about what its runs cost an API too much.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <string_view>
#include <vector>

#include "../plimsoll-specgen/files.h"
#include "../plimsoll/output.h"
#include "../plimsoll/version.h"
#include "audit_input.h"
#include "base/errno_text.h"
#include "base/unique_fd.h"
#include "options.h"
#include "page.h"
#include "progress.h"
#include "words.h"

namespace plimsoll::prospector {
namespace {

constexpr int kExitDone = 0;
constexpr int kExitCouldNot = 1;
constexpr int kExitUsage = 2;

void say(std::string_view text) {
  [[maybe_unused]] const auto written =
      cli::write_all(STDERR_FILENO, fmt::format("prospector-report: {}\n", text));
}

int print(std::string_view text) {
  const auto written = cli::write_all(STDOUT_FILENO, text);
  if (!written) say("standard output cannot be written: " + errno_text(written.error()));
  return written ? kExitDone : kExitCouldNot;
}

void read_all(AuditInput& input, const std::string& name, Tally& tally, Progress& progress) {
  EntryReader reader;
  for (std::uint64_t number = 1;; ++number) {
    const InputLine line = input.next();
    if (line.kind == LineKind::kEnd) return;
    if (line.kind == LineKind::kBroken) return tally.add_broken_input(name);
    if (line.kind == LineKind::kTooLong) {
      tally.add_bad(BadLine::kTooLong, name, number);
    } else if (const auto entry = reader.read(line.text)) {
      tally.add(*entry);
    } else {
      tally.add_bad(entry.error(), name, number);
    }
    progress.tell(tally.lines, input.bytes_read());
  }
}

// False: it cannot be opened.
bool read_input(const std::string& path, Tally& tally, Progress& progress) {
  UniqueFd file;
  int fd = STDIN_FILENO;
  if (path != "-") {
    file = UniqueFd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    fd = file.get();
    if (fd < 0) {
      say(path + ": " + errno_text(errno));
      return false;
    }
  }
  AuditInput input(fd);
  read_all(input, path == "-" ? "standard input" : path, tally, progress);
  return true;
}

bool write_page(const std::string& path, const std::string& page) {
  if (path == "-") return print(page) == kExitDone;
  const auto slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  const auto written = specgen_app::write_file(
      folder, slash == std::string::npos ? path : path.substr(slash + 1), page);
  if (!written) say(written.error().message);
  return written.has_value();
}

int report(const Options& options) {
  Tally tally;
  {
    Progress progress;
    for (const std::string& input : options.inputs) {
      if (!read_input(input, tally, progress)) return kExitCouldNot;
    }
  }
  if (!write_page(options.output, render(tally, options.title))) return kExitCouldNot;
  say(fmt::format("{}, {} unreadable; {}", counted(tally.lines, "line", "lines"),
                  thousands(tally.unreadable()),
                  counted(tally.total.findings, "finding", "findings")));
  for (const std::string& input : tally.broken_inputs) {
    say(visible(input) + " could not be read to its end; what came before is in the report");
  }
  return kExitDone;
}

int run(const std::vector<std::string_view>& args) {
  const auto options = parse_options(args);
  if (!options) {
    say(options.error() + "; see prospector-report --help");
    return kExitUsage;
  }
  if (options->command == Command::kHelp) return print(kHelp);
  if (options->command == Command::kVersion) {
    return print("prospector-report " + std::string(cli::kVersion) + "\n");
  }
  return report(*options);
}

}  // namespace
}  // namespace plimsoll::prospector

int main(int argc, char** argv) {
  plimsoll::cli::prepare_standard_streams();
  const std::vector<std::string_view> args(argv + (argc > 0 ? 1 : 0), argv + argc);
  return plimsoll::prospector::run(args);
}
