// What a profile permits, in words: for whoever has to say yes to it.
#pragma once

#include <string>

#include "grants/grant_profile.h"

namespace plimsoll {

// Some lines, each with its newline. Printable: what is not ASCII is escaped.
[[nodiscard]] std::string in_words(const GrantProfile& profile);

}  // namespace plimsoll
