#include "commands.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <optional>
#include <utility>

#include "../plimsoll/output.h"
#include "auth/caller_registry.h"
#include "auth/registry_file.h"
#include "base/errno_text.h"
#include "base/json_text.h"
#include "registry_editor.h"

namespace plimsoll::clients {
namespace {

constexpr std::size_t kTokenBytes = 32;
constexpr std::string_view kRestart =
    "running daemons keep the old registry until they are restarted";

std::unexpected<Error> error(std::string message) {
  return std::unexpected(Error{.code = ErrorCode::kInvalidRequest, .message = std::move(message)});
}

Result<std::string> read_input() {
  std::string input;
  char buffer[1024];
  while (input.size() <= kMaxTokenBytes + 2) {
    const ssize_t got = ::read(STDIN_FILENO, buffer, sizeof buffer);
    if (got == 0) break;
    if (got > 0) {
      input.append(buffer, static_cast<std::size_t>(got));
    } else if (errno != EINTR) {
      return error("standard input cannot be read: " + errno_text(errno));
    }
  }
  return input;
}

Result<std::string> take_token(TokenFrom from, Entropy& entropy) {
  if (from == TokenFrom::kGenerated) return new_token(entropy);
  const auto input = read_input();
  if (!input) return input;
  return token_of_input(*input);
}

Result<void> print(std::string_view text) {
  if (const auto written = cli::write_all(STDOUT_FILENO, text); !written) {
    return error("standard output cannot be written: " + errno_text(written.error()));
  }
  return {};
}

// The registry that the command makes of the old one.
Result<CallerRegistry> edited(const CallerRegistry& old, const Options& options,
                              std::string_view token) {
  switch (options.command) {
    case Command::kCreate:
    case Command::kImport:
      return old.with({.id = options.id,
                       .token = TokenFingerprint::of(token),
                       .scopes = options.scopes.empty()
                                     ? std::vector<std::string>{std::string(kScopeCodeRun)}
                                     : options.scopes});
    case Command::kRotate:
      return old.with_token(options.id, TokenFingerprint::of(token));
    default:
      return old.without(options.id);
  }
}

std::string_view done(Command command) {
  switch (command) {
    case Command::kCreate:
      return "created";
    case Command::kImport:
      return "imported";
    case Command::kRotate:
      return "gave a new token to";
    default:
      return "revoked";
  }
}

Result<void> change(const Options& options, Entropy& entropy) {
  std::string token;
  if (options.command != Command::kRevoke) {
    // Before the lock: standard input may be slow.
    auto taken = take_token(options.token, entropy);
    if (!taken) return std::unexpected(taken.error());
    token = std::move(*taken);
  }
  auto editor = RegistryEditor::open(options.file);
  if (!editor) return std::unexpected(editor.error());
  const bool may_be_missing =
      options.command == Command::kCreate || options.command == Command::kImport;
  if (!editor->exists() && !may_be_missing) {
    return error(options.file + ": there is no such file");
  }
  const auto changed = edited(editor->registry(), options, token);
  if (!changed) return std::unexpected(changed.error());
  // The token is printed before the file takes its place: if it cannot be, nobody is locked out.
  const bool prints = options.command != Command::kRevoke && options.token == TokenFrom::kGenerated;
  auto committed = editor->commit(
      *changed, [&]() -> Result<void> { return prints ? print(token + "\n") : Result<void>(); });
  if (!committed) {
    if (prints) say("a token that was printed may be void");
    return committed;
  }
  say(fmt::format("{} {}; {}", done(options.command), json_string(options.id), kRestart));
  return {};
}

// As it is when nothing in it can be mistaken on a terminal; else as a JSON string.
std::string shown_id(const std::string& id) {
  const std::string quoted = json_string(id);
  const bool plain = quoted.size() == id.size() + 2 && id.find(' ') == std::string::npos;
  return plain ? id : quoted;
}

Result<void> list(const Options& options) {
  const auto file = open_registry(AT_FDCWD, options.file);
  if (!file) return error(options.file + ": " + file.error().message);
  const auto bytes = read_registry_bytes(*file);
  if (!bytes) return error(options.file + ": " + bytes.error().message);
  const auto registry = CallerRegistry::parse(*bytes);
  if (!registry) return error(options.file + ": " + registry.error().message);
  std::string text;
  for (const RegisteredCaller& caller : registry->callers()) {
    std::string scopes;
    for (const std::string& scope : caller.scopes) {
      if (!scopes.empty()) scopes += options.list == ListAs::kJson ? "," : " ";
      scopes += options.list == ListAs::kJson ? json_string(scope) : scope;
    }
    if (options.list == ListAs::kJson) {
      if (!text.empty()) text += ',';
      text += fmt::format(R"({{"id":{},"scopes":[{}]}})", json_string(caller.id), scopes);
    } else {
      text += fmt::format("{}\t{}\n", shown_id(caller.id), scopes);
    }
  }
  if (options.list == ListAs::kJson) text = fmt::format("{{\"clients\":[{}]}}\n", text);
  return print(text);
}

}  // namespace

void say(std::string_view text) {
  [[maybe_unused]] const auto written =
      cli::write_all(STDERR_FILENO, fmt::format("plimsoll-clients: {}\n", text));
}

Result<std::string> new_token(Entropy& entropy) {
  std::array<std::byte, kTokenBytes> bytes{};
  if (auto filled = entropy.fill(bytes); !filled) return std::unexpected(filled.error());
  std::string token;
  for (const std::byte byte : bytes)
    token += fmt::format("{:02x}", std::to_integer<unsigned>(byte));
  return token;
}

Result<std::string> token_of_input(std::string_view input) {
  if (input.ends_with('\n')) input.remove_suffix(1);
  if (input.ends_with('\r')) input.remove_suffix(1);
  if (!is_token(input)) {
    return error(
        fmt::format("standard input holds no token; one line of 1 to {} visible ASCII "
                    "characters is accepted",
                    kMaxTokenBytes));
  }
  return std::string(input);
}

Result<void> run_command(const Options& options, Entropy& entropy) {
  return options.command == Command::kList ? list(options) : change(options, entropy);
}

}  // namespace plimsoll::clients
