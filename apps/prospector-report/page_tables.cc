#include "page_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "charts.h"
#include "page.h"
#include "words.h"

namespace plimsoll::prospector {
namespace {

using kainjow::mustache::data;

struct NamedShare {
  std::string name;
  const Share* share;
};

// Those with the most extra calls first; equal ones in the order of their names.
std::vector<NamedShare> ranked(const std::map<std::string, Share>& table) {
  std::vector<NamedShare> list;
  list.reserve(table.size());
  for (const auto& [name, share] : table) {
    list.push_back({name.empty() ? "(nobody: refused before)" : visible(name, 2048), &share});
  }
  std::ranges::sort(list, [](const NamedShare& a, const NamedShare& b) {
    const std::uint64_t extra_a = a.share->all().extra_calls;
    const std::uint64_t extra_b = b.share->all().extra_calls;
    return std::tie(extra_b, a.name) < std::tie(extra_a, b.name);
  });
  return list;
}

std::vector<NamedShare> by_day(const std::map<std::chrono::sys_days, Share>& days) {
  std::vector<NamedShare> list;
  list.reserve(days.size());
  for (const auto& [day, share] : days) list.push_back({day_words(day), &share});
  std::ranges::reverse(list);  // the latest first
  return list;
}

std::uint64_t extra_of(const Share& share, FindingClass kind) {
  return share.by_class.at(static_cast<std::size_t>(kind)).extra_calls;
}

std::string bar_words(const NamedShare& one) {
  return fmt::format("{}: {}; {} the code can avoid, {} with one line, {} without a known route",
                     one.name, counted(one.share->all().extra_calls, "extra call", "extra calls"),
                     thousands(extra_of(*one.share, FindingClass::kCode)),
                     thousands(extra_of(*one.share, FindingClass::kOperator)),
                     thousands(extra_of(*one.share, FindingClass::kUnknown)));
}

data chart_data(const std::string& caption, const std::vector<NamedShare>& list) {
  data bars{data::type::list};
  const std::uint64_t most = list.empty() ? 0 : list.front().share->all().extra_calls;
  for (std::size_t i = 0; i < std::min(list.size(), kMaxBarsShown); ++i) {
    const std::uint64_t extra = list[i].share->all().extra_calls;
    if (extra == 0) break;
    data bar;
    bar.set("name", list[i].name);
    bar.set("words", bar_words(list[i]));
    bar.set("number", thousands(extra));
    data parts{data::type::list};
    for (const Bar& part : line_of(*list[i].share, most)) {
      data one;
      one.set("kind", std::string(to_string(part.kind)));
      one.set("x", fmt::format("{:.1f}", part.x));
      one.set("w", fmt::format("{:.1f}", part.w));
      parts << one;
    }
    bar.set("parts", parts);
    bars << bar;
  }
  data chart;
  chart.set("caption", caption);
  chart.set("bars", bars);
  return chart;
}

void set_number(data& row, const std::string& name, std::uint64_t number) {
  row.set(name, thousands(number));
  row.set(name + "_v", std::to_string(number));
}

data table_row(const NamedShare& one) {
  const Cost all = one.share->all();
  data row;
  row.set("name", one.name);
  set_number(row, "runs", one.share->runs);
  set_number(row, "calls", one.share->host_calls);
  set_number(row, "findings", all.findings);
  set_number(row, "extra", all.extra_calls);
  set_number(row, "code", extra_of(*one.share, FindingClass::kCode));
  set_number(row, "operator", extra_of(*one.share, FindingClass::kOperator));
  set_number(row, "unknown", extra_of(*one.share, FindingClass::kUnknown));
  row.set("latency", duration_words(all.added_latency_ms));
  row.set("latency_v", std::to_string(all.added_latency_ms));
  row.set("bytes", size_words(all.bytes_moved));
  row.set("bytes_v", std::to_string(all.bytes_moved));
  return row;
}

struct TableWords {
  std::string id;
  std::string title;
  std::string first;
  std::string runs;
  bool has_calls = true;
};

data table_data(const TableWords& words, const std::vector<NamedShare>& list, const Share& others) {
  data rows{data::type::list};
  for (std::size_t i = 0; i < std::min(list.size(), kMaxRowsShown); ++i) rows << table_row(list[i]);
  if (others.runs != 0) rows << table_row({"(all others)", &others});
  data table;
  table.set("id", words.id);
  table.set("title", words.title);
  table.set("first", words.first);
  table.set("runs_head", words.runs);
  table.set("has_calls", words.has_calls);
  table.set("rows", rows);
  if (list.size() > kMaxRowsShown) {
    table.set("more", fmt::format("And {} more.", thousands(list.size() - kMaxRowsShown)));
  }
  return table;
}

}  // namespace

data charts_data(const Tally& tally) {
  data charts{data::type::list};
  charts << chart_data("By profile", ranked(tally.profiles));
  charts << chart_data("By route", ranked(tally.routes));
  charts << chart_data("By caller", ranked(tally.callers));
  return charts;
}

data tables_data(const Tally& tally) {
  data tables{data::type::list};
  tables << table_data({"by-profile", "By profile", "Profile", "Runs"}, ranked(tally.profiles),
                       tally.other_profiles);
  tables << table_data({"by-route", "By route", "Route", "Runs with a finding", false},
                       ranked(tally.routes), tally.other_routes);
  tables << table_data({"by-caller", "By caller", "Caller", "Runs"}, ranked(tally.callers),
                       tally.other_callers);
  tables << table_data({"by-day", "By day", "Day", "Runs"}, by_day(tally.days), tally.other_days);
  return tables;
}

}  // namespace plimsoll::prospector
