#include "specgen/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_set>

#include "base/sha256.h"

namespace plimsoll::specgen {
namespace {

constexpr std::string_view kReserved[] = {
    "Infinity",   "NaN",       "arguments", "async",    "await",      "break",   "case",
    "catch",      "class",     "const",     "continue", "debugger",   "default", "delete",
    "do",         "else",      "enum",      "eval",     "export",     "extends", "false",
    "finally",    "for",       "function",  "if",       "implements", "import",  "in",
    "instanceof", "interface", "let",       "new",      "null",       "package", "private",
    "protected",  "public",    "return",    "static",   "super",      "switch",  "this",
    "throw",      "true",      "try",       "typeof",   "undefined",  "var",     "void",
    "while",      "with",      "yield",
};

constexpr std::string_view kTaken[] = {
    "__defineGetter__",
    "__defineSetter__",
    "__lookupGetter__",
    "__lookupSetter__",
    "__proto__",
    "call",
    "constructor",
    "del",
    "get",
    "hasOwnProperty",
    "isPrototypeOf",
    "patch",
    "post",
    "propertyIsEnumerable",
    "prototype",
    "put",
    "raw",
    "then",
    "toJSON",
    "toLocaleString",
    "toString",
    "valueOf",
};

// What stands beside the arguments in the client's code and in its types.
constexpr std::string_view kInTheCode[] = {"body", "query"};

constexpr std::size_t kSuffixDigits = 8;

bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
bool is_letter(char c) noexcept { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

char upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string capitalized(std::string text) {
  if (!text.empty()) text.front() = upper(text.front());
  return text;
}

std::string suffix_of(const Operation& operation) {
  return to_hex(sha256(operation.method + " " + operation.path));
}

std::string bounded(std::string name, const Operation& operation) {
  if (name.size() <= kMaxMethodNameBytes) return name;
  name.resize(kMaxMethodNameBytes - kSuffixDigits - 1);
  return name + "_" + suffix_of(operation).substr(0, kSuffixDigits);
}

std::string first_choice(const Operation& operation, Diagnostics& diagnostics) {
  std::string name = is_identifier(operation.id) ? operation.id : camel_case(operation.id);
  if (is_refused_name(name)) {
    std::string other = name_of_route(operation.method, operation.path);
    diagnostics.warn(operation.mark,
                     fmt::format("operationId {} would be a method called '{}', which JavaScript "
                                 "or the client has already; it is called '{}'",
                                 quoted(operation.id), name, other));
    name = std::move(other);
  }
  if (name.empty()) name = name_of_route(operation.method, operation.path);
  return bounded(std::move(name), operation);
}

}  // namespace

bool is_identifier(std::string_view text) noexcept {
  const auto inside = [](char c) { return is_letter(c) || is_digit(c) || c == '_' || c == '$'; };
  return !text.empty() && !is_digit(text.front()) && std::ranges::all_of(text, inside);
}

bool is_reserved_word(std::string_view text) noexcept {
  return std::ranges::find(kReserved, text) != std::end(kReserved);
}

bool is_refused_name(std::string_view text) noexcept {
  return is_reserved_word(text) || std::ranges::find(kTaken, text) != std::end(kTaken);
}

std::string camel_case(std::string_view text) {
  std::string name;
  bool word_starts = false;
  for (const char c : text) {
    if (!is_letter(c) && !is_digit(c)) {
      word_starts = true;
      continue;
    }
    if (name.empty() && is_digit(c)) name = "_";
    name += name.empty() ? lower(c) : word_starts ? upper(c) : c;
    word_starts = false;
  }
  return name;
}

std::string name_of_route(std::string_view method, std::string_view path) {
  std::string name;
  for (const char c : method) name += lower(c);
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('/', 1), path.size());
    const std::string_view segment = path.substr(0, end);
    if (segment.find('{') != std::string_view::npos) name += "By";
    name += capitalized(camel_case(segment));
    path.remove_prefix(end);
  }
  // Never only the verb, which the client has by itself.
  if (name.size() == method.size()) name += "Root";
  return name;
}

void name_operations(std::vector<Operation>& operations, Diagnostics& diagnostics) {
  std::map<std::string, std::vector<Operation*>> by_name;
  for (Operation& operation : operations) {
    by_name[first_choice(operation, diagnostics)].push_back(&operation);
  }
  std::unordered_set<std::string> taken;
  for (const auto& [name, sharers] : by_name) taken.insert(name);
  for (auto& [name, sharers] : by_name) {
    const auto spelled_so = [&name](const Operation* one) { return one->id == name; };
    const bool one_keeps_it =
        sharers.size() == 1 || std::ranges::count_if(sharers, spelled_so) == 1;
    for (Operation* operation : sharers) {
      operation->name = name;
      if (one_keeps_it && (sharers.size() == 1 || spelled_so(operation))) continue;
      const std::string digits = suffix_of(*operation);
      std::size_t size = kSuffixDigits;
      do {
        operation->name = name + "_" + digits.substr(0, size++);
      } while (!taken.insert(operation->name).second && size <= digits.size());
      diagnostics.warn(operation->mark,
                       fmt::format("several operations come to the name '{}'; this one is called "
                                   "'{}'",
                                   name, operation->name));
    }
  }
}

void name_arguments(std::vector<Parameter>& parameters) {
  std::unordered_set<std::string> taken;
  for (const std::string_view word : kInTheCode) taken.emplace(word);
  for (Parameter& parameter : parameters) {
    std::string name = is_identifier(parameter.name) ? parameter.name : camel_case(parameter.name);
    // '$' starts the names of the client's own functions.
    std::erase(name, '$');
    if (name.size() > kMaxMethodNameBytes) name.resize(kMaxMethodNameBytes);
    if (!is_identifier(name)) name = "value";
    if (is_reserved_word(name) || name == "__proto__") name += '_';
    std::string free = name;
    for (std::size_t number = 2; !taken.insert(free).second; ++number) {
      free = name + "_" + std::to_string(number);
    }
    parameter.identifier = std::move(free);
  }
}

bool glob_matches(std::string_view pattern, std::string_view text) noexcept {
  // Greedy, with one step back to the last '*'.
  std::size_t p = 0;
  std::size_t t = 0;
  std::size_t star = std::string_view::npos;
  std::size_t resume = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace plimsoll::specgen
