// What the commands do.
#pragma once

#include <string>
#include <string_view>

#include "base/entropy.h"
#include "options.h"
#include "plimsoll/result.h"

namespace plimsoll::clients {

// Carries out any command but help and version. What it has to say goes to standard error, the
// answer (a token, a list) to standard output. Errors are for people.
[[nodiscard]] Result<void> run_command(const Options& options, Entropy& entropy);

// "plimsoll-clients: <text>" on standard error.
void say(std::string_view text);

// 32 random bytes as 64 hex digits.
[[nodiscard]] Result<std::string> new_token(Entropy& entropy);

// What stands on standard input, without the end of its line, if that is a token.
[[nodiscard]] Result<std::string> token_of_input(std::string_view input);

}  // namespace plimsoll::clients
