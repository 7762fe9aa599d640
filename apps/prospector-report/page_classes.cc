#include "page_classes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "charts.h"
#include "page.h"
#include "plimsoll/advisor.h"
#include "words.h"

namespace plimsoll::prospector {
namespace {

using kainjow::mustache::data;
using Entry = std::pair<const GroupKey*, const FindingGroup*>;

struct ClassWords {
  FindingClass kind;
  std::string_view title;
  std::string_view lead;
  std::string_view what;
};

constexpr std::array kWords = {
    ClassWords{
        FindingClass::kCode, "The code can avoid these",
        "What would do instead is granted already. Whoever wrote the code, or the agent that "
        "did, can be told.",
        "Instead"},
    ClassWords{
        FindingClass::kOperator, "One line away",
        "The catalog of the profile names a route that may return the items together, and the "
        "profile does not grant it. The line goes into the profile’s “allow”.",
        "Line to add"},
    ClassWords{
        FindingClass::kUnknown, "No route is known",
        "Neither granted nor in the catalog. Whoever owns the API can be asked; the answer may "
        "be that nothing is warranted. Writes are counted, and never sent elsewhere.",
        "Next step"},
};

std::string remedy_words(const AdviceFinding& finding) {
  switch (finding.remedy) {
    case AdviceRemedy::kUseGrantedRoute:
      return "One call of a granted route, if it returns the same items:";
    case AdviceRemedy::kReuseAnswer:
      return "Keep the first answer, if it does not change during a run.";
    case AdviceRemedy::kGrantRoute:
      return "If it returns the same items:";
    case AdviceRemedy::kAskApiOwner:
      return "Ask whoever owns the API:";
    case AdviceRemedy::kNone:
      break;
  }
  return "It writes: look whether each call is needed.";
}

std::string line_of(const AdviceFinding& finding) {
  if (finding.remedy == AdviceRemedy::kUseGrantedRoute) {
    return finding.suggested_method + ' ' + finding.suggested_route;
  }
  return finding.remedy == AdviceRemedy::kGrantRoute ? '"' + finding.grant_route + '"' : "";
}

void add_cost(const Cost& cost, data& row) {
  row.set("findings", thousands(cost.findings));
  row.set("findings_v", std::to_string(cost.findings));
  row.set("extra", thousands(cost.extra_calls));
  row.set("extra_v", std::to_string(cost.extra_calls));
  row.set("latency", duration_words(cost.added_latency_ms));
  row.set("latency_v", std::to_string(cost.added_latency_ms));
  row.set("bytes", size_words(cost.bytes_moved));
  row.set("bytes_v", std::to_string(cost.bytes_moved));
}

data row_of(const Entry& entry, std::string_view id, data& prompts) {
  const FindingGroup& group = *entry.second;
  const AdviceFinding& largest = group.largest;
  data row;
  row.set("call", visible(largest.method + ' ' + largest.route, 2048));
  row.set("pattern", largest.pattern == AdvicePattern::kFanOut ? "item by item" : "read again");
  row.set("profile", visible(std::get<0>(*entry.first)));
  row.set("severity", std::string(plimsoll::to_string(group.worst)));
  row.set("severity_rank", std::to_string(static_cast<int>(group.worst)));
  add_cost(group.cost, row);
  row.set("remedy", remedy_words(largest));
  if (const std::string line = line_of(largest); !line.empty()) {
    row.set("line", visible(line, 2048));
    row.set("line_id", fmt::format("line-{}", id));
  }
  // Of the largest run: a question about one run is answered sooner than one about sums.
  if (const std::string prompt = advisor::prompt(largest); !prompt.empty()) {
    row.set("prompt_id", fmt::format("prompt-{}", id));
    data text;
    text.set("call", visible(largest.method + ' ' + largest.route, 2048));
    text.set("profile", visible(std::get<0>(*entry.first)));
    text.set("prompt_id", fmt::format("prompt-{}", id));
    text.set("prompt", prompt);
    prompts << text;
  }
  return row;
}

data class_data(const ClassWords& words, const Tally& tally) {
  std::vector<Entry> entries;
  for (const auto& [key, group] : tally.groups) {
    if (class_of(group.largest.remedy) == words.kind) entries.emplace_back(&key, &group);
  }
  std::ranges::sort(entries, [](const Entry& a, const Entry& b) {
    return std::tie(b.second->cost.extra_calls, *a.first) <
           std::tie(a.second->cost.extra_calls, *b.first);
  });
  data rows{data::type::list};
  data prompts{data::type::list};
  for (std::size_t i = 0; i < std::min(entries.size(), kMaxRowsShown); ++i) {
    rows << row_of(entries[i], fmt::format("{}-{}", to_string(words.kind), i), prompts);
  }
  data one;
  one.set("kind", std::string(to_string(words.kind)));
  one.set("id", fmt::format("class-{}", to_string(words.kind)));
  one.set("title", std::string(words.title));
  one.set("lead", std::string(entries.empty() ? "None was found." : words.lead));
  one.set("what", std::string(words.what));
  one.set("count", thousands(entries.size()));
  one.set("has_rows", !entries.empty());
  one.set("rows", rows);
  one.set("has_prompts", prompts.is_non_empty_list());
  one.set("prompts", prompts);
  if (entries.size() > kMaxRowsShown) {
    one.set("more", fmt::format("And {} more, each with fewer extra calls.",
                                thousands(entries.size() - kMaxRowsShown)));
  }
  return one;
}

}  // namespace

data classes_data(const Tally& tally) {
  data classes{data::type::list};
  for (const ClassWords& words : kWords) classes << class_data(words, tally);
  return classes;
}

}  // namespace plimsoll::prospector
