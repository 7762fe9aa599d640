// The description that a gateway shows the model: as many methods as fit, whole, and of the others
// how many there are and of what.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "specgen/brief_type.h"
#include "specgen/emitters.h"
#include "specgen/names.h"
#include "specgen/signature.h"
#include "specgen/text.h"

namespace plimsoll::specgen {
namespace {

constexpr std::size_t kTitleBytes = 100;
constexpr std::size_t kAboutBytes = 300;
constexpr std::size_t kSummaryBytes = 160;
constexpr std::size_t kGroupBytes = 40;
constexpr std::size_t kTailBytes = 400;

std::string head(const Api& api, const EmitOptions& options) {
  const std::string title = cut_at_word(plain_line(api.title), kTitleBytes);
  const std::string about = cut_at_sentence(plain_line(api.description), kAboutBytes);
  std::string text = fmt::format("The global '{}' is a client of {}.", options.global,
                                 title.empty() ? "an HTTP API" : "the API '" + title + "'");
  if (!about.empty()) text += " " + about;
  text += fmt::format(
      "\nEach method returns a promise: of the parsed JSON, of text when the answer is no JSON, of "
      "null when it is empty. It rejects with an Error that has 'status' and 'body'; 'policy' is "
      "true when the call is not permitted, which no retry changes. Up to 16 calls are under way "
      "at "
      "once; use Promise.all. Arguments are those of the path, then the body, then the query.\n");
  return text;
}

std::string arguments(const Operation& operation, Refs& refs) {
  std::string text;
  for (const Argument& one : arguments_of(operation)) {
    if (!text.empty()) text += ", ";
    text += one.name + (one.optional ? "?: " : ": ");
    if (one.kind == ArgumentKind::kPath) text += brief_type(one.parameter->schema, refs, 0);
    if (one.kind == ArgumentKind::kBody) text += brief_type(operation.body->schema, refs, 2);
    if (one.kind == ArgumentKind::kQuery) {
      std::string fields;
      for (const Parameter& parameter : operation.query) {
        if (!fields.empty()) fields += ", ";
        fields +=
            is_identifier(parameter.name) ? parameter.name : "'" + plain_line(parameter.name) + "'";
        fields += parameter.required ? ": " : "?: ";
        fields += brief_type(parameter.schema, refs, 0);
      }
      text += "{" + fields + "}";
    }
  }
  return text;
}

std::string result(const Operation& operation, Refs& refs) {
  const Answers& answers = operation.answers;
  if (!answers.schemas.empty()) return brief_type(answers.schemas.front(), refs, 1);
  return answers.text ? "string" : "null";
}

std::string entry(const Operation& operation, const EmitOptions& options, Refs& refs) {
  std::string words = cut_at_sentence(plain_line(operation.summary), kSummaryBytes);
  if (words.empty()) words = cut_at_sentence(plain_line(operation.description), kSummaryBytes);
  std::string text = fmt::format("{}.{}({}): {}\n  {} {}", options.global, operation.name,
                                 arguments(operation, refs), result(operation, refs),
                                 operation.method, plain_line(operation.path));
  if (!words.empty()) text += ": " + words;
  if (operation.deprecated) text += " (deprecated)";
  return text + "\n";
}

// "And 12 more methods: orders 8, users 3, other 1. Object.keys(host) has them all."
std::string tail(const std::vector<const Operation*>& left, const EmitOptions& options) {
  std::map<std::string, std::size_t> counts;
  for (const Operation* one : left) {
    std::string group = cut_at_word(plain_line(one->group), kGroupBytes);
    ++counts[group.empty() ? "other" : std::move(group)];
  }
  std::vector<std::pair<std::string, std::size_t>> groups(counts.begin(), counts.end());
  std::ranges::sort(groups, [](const auto& one, const auto& other) {
    return one.second != other.second ? one.second > other.second : one.first < other.first;
  });
  std::string list;
  std::size_t named = 0;
  for (const auto& [group, count] : groups) {
    const std::string one = fmt::format("{}{} {}", list.empty() ? "" : ", ", group, count);
    if (list.size() + one.size() > kTailBytes - 200) break;
    list += one;
    named += count;
  }
  if (named != left.size()) list += fmt::format(", and {} of other kinds", left.size() - named);
  return fmt::format("And {} more method{}: {}. Object.keys({}) has the names of all.\n",
                     left.size(), left.size() == 1 ? "" : "s", list, options.global);
}

}  // namespace

void emit_description(const Api& api, Refs& refs, const EmitOptions& options, std::ostream& out) {
  std::string text = head(api, options);
  std::vector<const Operation*> left;
  std::vector<std::string> entries;
  std::size_t bytes = text.size();
  for (const Operation& operation : api.operations) {
    if (!operation.selected) continue;
    // Once one does not fit, the others are left as well: what is shown is a beginning.
    if (!left.empty()) {
      left.push_back(&operation);
      continue;
    }
    entries.push_back(entry(operation, options, refs));
    bytes += entries.back().size();
    if (bytes > options.max_description) left.push_back(&operation);
  }
  if (!left.empty()) {
    std::vector<const Operation*> shown;
    for (const Operation& operation : api.operations) {
      if (operation.selected && shown.size() + 1 < entries.size()) shown.push_back(&operation);
    }
    bytes -= entries.back().size();
    entries.pop_back();
    while (!entries.empty() && bytes + kTailBytes > options.max_description) {
      bytes -= entries.back().size();
      entries.pop_back();
      left.insert(left.begin(), shown.back());
      shown.pop_back();
    }
  }
  for (const std::string& one : entries) text += one;
  if (!left.empty()) text += tail(left, options);
  out << text;
}

}  // namespace plimsoll::specgen
