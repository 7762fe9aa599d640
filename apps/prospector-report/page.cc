#include "page.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>
#include <vector>

#include <kainjow/mustache.hpp>

#include "../plimsoll/text.h"
#include "base/sha256.h"
#include "charts.h"
#include "page_classes.h"
#include "page_tables.h"
#include "words.h"

namespace plimsoll::prospector {
namespace {

using kainjow::mustache::data;

std::string hash_of(std::string_view text) {
  const Sha256Digest digest = sha256(text);
  return fmt::format("'sha256-{}'",
                     cli::to_base64({reinterpret_cast<const char*>(digest.data()), digest.size()}));
}

std::string period_of(const Tally& tally) {
  if (tally.days.empty()) return "No run was read.";
  const auto first = tally.days.begin()->first;
  const auto last = tally.days.rbegin()->first;
  if (first == last) return day_words(first);
  return fmt::format("{} to {}", day_words(first), day_words(last));
}

std::uint64_t extra_of(const Tally& tally, FindingClass kind) {
  std::uint64_t extra =
      tally.other_profiles.by_class.at(static_cast<std::size_t>(kind)).extra_calls;
  for (const auto& [name, share] : tally.profiles) {
    extra += share.by_class.at(static_cast<std::size_t>(kind)).extra_calls;
  }
  return extra;
}

std::string headline_of(const Tally& tally) {
  if (tally.granted_runs == 0)
    return "No run with a grant was read, so that there is nothing to find.";
  const std::string runs = counted(tally.granted_runs, "run with a grant", "runs with a grant");
  if (tally.total.findings == 0) return fmt::format("In {}, no waste was found.", runs);
  std::string text = fmt::format("In {}, {} cost {} beyond one for each question.", runs,
                                 counted(tally.total.findings, "finding", "findings"),
                                 counted(tally.total.extra_calls, "call", "calls"));
  if (tally.detailed.findings == 0) {
    return text +
           " The lines hold sums only: with advice_retention \"detailed\" they say which "
           "routes these are.";
  }
  text += fmt::format(
      " The code can avoid {} of them with what it was granted; {} need one more line in a "
      "profile; for {} no route is known.",
      thousands(extra_of(tally, FindingClass::kCode)),
      thousands(extra_of(tally, FindingClass::kOperator)),
      thousands(extra_of(tally, FindingClass::kUnknown)));
  if (tally.not_detailed != 0) {
    text += fmt::format(" Of {} only a sum is known.",
                        counted(tally.not_detailed, "finding", "findings"));
  }
  return text;
}

data card(const std::string& label, const std::string& value, const std::string& note) {
  data one;
  one.set("label", label);
  one.set("value", value);
  one.set("note", note);
  return one;
}

data cards_of(const Tally& tally) {
  data cards{data::type::list};
  const auto count = [&](EntryOutcome outcome) {
    return thousands(tally.outcomes.at(static_cast<std::size_t>(outcome)));
  };
  cards << card("Runs", thousands(tally.runs),
                fmt::format("{} refused, {} failed, {} canceled", count(EntryOutcome::kRefused),
                            count(EntryOutcome::kFailed), count(EntryOutcome::kCanceled)));
  cards << card("With a grant", thousands(tally.granted_runs),
                counted(tally.host_calls, "API call", "API calls"));
  cards << card("Findings", thousands(tally.total.findings),
                "in " + counted(tally.advised_runs, "run", "runs"));
  cards << card("Extra calls", thousands(tally.total.extra_calls), "beyond one for each finding");
  cards << card("Round trips", duration_words(tally.total.added_latency_ms),
                "of the extra calls, added up");
  cards << card("Bytes", size_words(tally.total.bytes_moved), "bodies of all these calls");
  return cards;
}

data bar_data(const Bar& bar) {
  data one;
  one.set("kind", std::string(to_string(bar.kind)));
  one.set("x", fmt::format("{:.1f}", bar.x));
  one.set("y", fmt::format("{:.1f}", bar.y));
  one.set("w", fmt::format("{:.1f}", bar.w));
  one.set("h", fmt::format("{:.1f}", bar.h));
  return one;
}

void add_day_chart(const Tally& tally, data& page) {
  const DayChart chart = day_chart(tally.days);
  data bars{data::type::list};
  for (const Bar& bar : chart.bars) bars << bar_data(bar);
  page.set("day_bars", bars);
  page.set("day_top", thousands(chart.top));
  page.set("day_from", day_words(tally.days.begin()->first));
  page.set("day_to", day_words(tally.days.rbegin()->first));
  page.set("day_words",
           fmt::format("Extra calls of {}, {} on the highest. The table by day has each.",
                       counted(tally.days.size(), "day", "days"), thousands(chart.top)));
}

std::string why(BadLine bad) {
  switch (bad) {
    case BadLine::kNotJson:
      return "no JSON object in UTF-8";
    case BadLine::kTooLong:
      return "longer than an audit line can be";
    case BadLine::kBadField:
      return "a field with what no audit line has";
    case BadLine::kNotAudit:
      break;
  }
  return "not of the audit stream";
}

void add_input(const Tally& tally, data& page) {
  const std::uint64_t foreign = tally.bad.at(static_cast<std::size_t>(BadLine::kNotAudit));
  page.set("input_words",
           fmt::format("{}: {} and {} of other streams.", counted(tally.lines, "line", "lines"),
                       counted(tally.runs, "audit line", "audit lines"), thousands(foreign)));
  if (tally.unreadable() == 0 && tally.broken_input_count == 0) return;
  page.set("has_bad", true);
  std::vector<std::string> words;
  if (tally.unreadable() != 0) {
    words.push_back(counted(tally.unreadable(), "line was", "lines were") + " unreadable.");
  }
  if (tally.broken_input_count != 0) {
    words.push_back(counted(tally.broken_input_count, "input", "inputs") + " ended too early.");
  }
  page.set("bad_words", fmt::format("{}", fmt::join(words, " ")));
  data list{data::type::list};
  for (const BadLine kind : {BadLine::kNotJson, BadLine::kTooLong, BadLine::kBadField}) {
    const std::uint64_t count = tally.bad.at(static_cast<std::size_t>(kind));
    if (count != 0) list << data(fmt::format("{}: {}", thousands(count), why(kind)));
  }
  for (const BadExample& example : tally.examples) {
    list << data(fmt::format("for one, line {} of {}: {}", thousands(example.line),
                             visible(example.input), why(example.why)));
  }
  for (const std::string& input : tally.broken_inputs) {
    list << data(fmt::format("{} could not be read to its end", visible(input)));
  }
  page.set("bad", list);
}

}  // namespace

std::string render(const Tally& tally, std::string_view title) {
  const PageParts parts = page_parts();
  data page;
  page.set("title", visible(title));
  page.set("style", std::string(parts.style));
  page.set("script", std::string(parts.script));
  page.set("style_hash", hash_of(parts.style));
  page.set("script_hash", hash_of(parts.script));
  page.set("period", period_of(tally));
  page.set("headline", headline_of(tally));
  page.set("cards", cards_of(tally));
  page.set("has_findings", tally.detailed.findings != 0);
  if (tally.detailed.findings != 0) {
    add_day_chart(tally, page);
    page.set("charts", charts_data(tally));
  }
  page.set("classes", classes_data(tally));
  page.set("tables", tables_data(tally));
  add_input(tally, page);
  page.set(
      "footer",
      "Made by prospector-report from audit lines alone: route templates and numbers. It holds "
      "no path, no query, no body and no credential, and loads nothing.");
  kainjow::mustache::mustache page_template{std::string(parts.html)};
  if (!page_template.is_valid()) throw std::logic_error(page_template.error_message());
  kainjow::mustache::context<std::string> context;
  context.push(&page);
  return page_template.render(context);
}

}  // namespace plimsoll::prospector
