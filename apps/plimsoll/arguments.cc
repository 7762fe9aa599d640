#include "arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace plimsoll::cli {
namespace {

const FlagSpec* find_spec(std::span<const FlagSpec> specs, std::string_view name) {
  const auto found = std::ranges::find(specs, name, &FlagSpec::name);
  return found == specs.end() ? nullptr : &*found;
}

// "-", "--" and what has no dash are none.
bool looks_like_flag(std::string_view arg) { return arg.size() >= 2 && arg[0] == '-'; }

struct Spelling {
  std::string_view name;                  // without dashes and value
  std::optional<std::string_view> value;  // after "="
  bool known_shape = true;                // "--e" is none: one letter has one dash
};

Spelling spell(std::string_view arg) {
  const bool two_dashes = arg.starts_with("--");
  std::string_view rest = arg.substr(two_dashes ? 2 : 1);
  Spelling spelling;
  if (const auto equals = rest.find('='); equals != std::string_view::npos) {
    spelling.value = rest.substr(equals + 1);
    rest = rest.substr(0, equals);
  }
  spelling.name = rest;
  spelling.known_shape = rest.size() > 1 || (rest.size() == 1 && !two_dashes);
  return spelling;
}

}  // namespace

std::expected<Arguments, std::string> parse_arguments(std::span<const FlagSpec> specs,
                                                      std::span<const std::string_view> args) {
  Arguments parsed;
  for (std::size_t i = 0; i < args.size(); ++i) {
    const std::string_view arg = args[i];
    if (arg == "--") {
      parsed.operands.insert(parsed.operands.end(), args.begin() + static_cast<long>(i) + 1,
                             args.end());
      break;
    }
    if (!looks_like_flag(arg)) {
      parsed.operands.push_back(arg);
      continue;
    }
    const Spelling spelling = spell(arg);
    const FlagSpec* spec = spelling.known_shape ? find_spec(specs, spelling.name) : nullptr;
    if (spec == nullptr) return std::unexpected(fmt::format("unknown flag {}", arg));
    if (spec->times == Times::kOnce &&
        std::ranges::find(parsed.flags, spec->name, &Flag::name) != parsed.flags.end()) {
      return std::unexpected(fmt::format("{} is given twice", arg));
    }
    Flag flag{.name = spec->name, .value = {}};
    if (spec->takes == Takes::kNothing) {
      if (spelling.value) return std::unexpected(fmt::format("{} takes no value", arg));
    } else if (spelling.value) {
      flag.value = *spelling.value;
    } else {
      if (i + 1 == args.size()) return std::unexpected(fmt::format("{} needs a value", arg));
      flag.value = args[++i];
    }
    parsed.flags.push_back(flag);
  }
  return parsed;
}

}  // namespace plimsoll::cli
