// The command line of prospector-report.
#pragma once

#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::prospector {

enum class Command { kHelp, kVersion, kReport };

struct Options {
  Command command = Command::kHelp;
  std::vector<std::string> inputs{};  // "-": standard input
  std::string output{};               // "-": standard output
  std::string title = "Efficiency report";
};

inline constexpr std::string_view kHelp =
    R"(Usage: prospector-report [FLAGS] -o REPORT.html AUDIT.jsonl...

Reads the audit lines of plimsolld, and writes what the efficiency advisor found as one
HTML page that needs nothing else: no network, no script to be read. Sends nothing.

  -o FILE         the page; '-' is standard output
  -title TEXT     its heading (default "Efficiency report")
  --help          this text
  --version       the version

Files may be compressed with gzip, whatever their names; '-' is standard input, and so is
no file at all. Lines that cannot be read are counted, and shown on the page. On a
terminal standard error shows how far it is.
Which routes are shown depends on the profiles' advice_retention: "detailed".
A flag has one dash or two.
Exit codes: 0 done, 1 a file cannot be opened or written, 2 usage.
)";

// Errors are for people, without a full stop.
[[nodiscard]] std::expected<Options, std::string> parse_options(
    std::span<const std::string_view> args);

}  // namespace plimsoll::prospector
