// The command line of plimsoll-clients, parsed.
#pragma once

#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::clients {

enum class Command { kHelp, kVersion, kCreate, kImport, kList, kRotate, kRevoke };
enum class TokenFrom { kGenerated, kStdin };
enum class ListAs { kText, kJson };

struct Options {
  Command command = Command::kHelp;
  std::string file;
  std::string id;
  std::vector<std::string> scopes;
  TokenFrom token = TokenFrom::kGenerated;
  ListAs list = ListAs::kText;
};

inline constexpr std::string_view kHelp =
    R"(Usage: plimsoll-clients COMMAND -file FILE [FLAGS]

Edits a caller registry (PLIMSOLL_CLIENTS_FILE). The file holds SHA-256 fingerprints,
never tokens. Daemons that run keep the registry that they started with: restart them.

  create  -file F -id ID [-scope S]... -token-stdout
          adds a caller with a new token, which is printed alone on standard output;
          makes the file when there is none
  import  -file F -id ID [-scope S]... [-token-stdin]
          adds a caller whose token is read from standard input
  list    -file F [-json]
          the callers and their scopes
  rotate  -file F -id ID -token-stdout|-token-stdin
          gives a caller a new token; the old one is void
  revoke  -file F -id ID
          removes a caller

Without -scope a new caller has the scope code:run. A flag has one dash or two.
A change is made whole or not at all: when a command fails, the file is as it was.

  --help     this text
  --version  the version

Exit codes: 0 done, 1 could not, 2 usage.
)";

// Errors are for people, without a full stop.
[[nodiscard]] std::expected<Options, std::string> parse_options(
    std::span<const std::string_view> args);

}  // namespace plimsoll::clients
