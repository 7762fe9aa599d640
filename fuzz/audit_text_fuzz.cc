// A caller's id of any bytes, and any would-be names: an audit line, a log line and a metric stay
// one line, and the audit line stays within a pipe's atomic write.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "audit/audit_line.h"
#include "audit/metric.h"
#include "audit/structured_log.h"
#include "base/json_tree.h"
#include "require.h"

namespace {

using plimsoll::fuzz::require;

constexpr plimsoll::JsonLimits kLimits{.max_bytes = 65'536, .max_depth = 2, .max_values = 64};

void check_line(std::string_view line) {
  require(line.ends_with('\n'), "has its end");
  line.remove_suffix(1);
  require(std::ranges::all_of(line, [](char c) { return c >= 0x20 && c < 0x7F; }), "visible ASCII");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  plimsoll::AuditLine audit;
  audit.caller = text;
  if (const auto id = plimsoll::TraceId::parse(text)) audit.trace_id = *id;
  if (const auto name = plimsoll::WireName::parse(text)) audit.provider = *name;
  const std::string line = plimsoll::to_json_line(audit);
  check_line(line);
  require(line.size() <= plimsoll::kMaxAuditLineBytes, "one write to a pipe");
  const auto json = plimsoll::parse_json(line, kLimits);
  require(json && json->members.size() == 36, "the fields that a line has");
  for (const auto format : {plimsoll::LogFormat::kJson, plimsoll::LogFormat::kText}) {
    check_line(plimsoll::format_log_line(format, {}, plimsoll::LogLevel::kInfo, "event",
                                         {{"value", text}}));
  }
  std::string label;
  plimsoll::append_label_value(label, text);
  require(label.find('\n') == std::string::npos, "a label is on one line");
  return 0;
}
