// Hostile traces and hostile targets: what the advisor says, the audit line, the metrics page and
// the prompt are made of the grant's own routes and of numbers. Each line of the input is one call;
// its text stands behind a marker in everything that a guest can write, and the outputs are
// searched for it.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "audit/audit_line.h"
#include "audit/service_metrics.h"
#include "broker/frozen_grant.h"
#include "broker/trace_recorder.h"
#include "plimsoll/advisor.h"
#include "require.h"

namespace {

using plimsoll::fuzz::require;

constexpr std::string_view kMarker = "gu3st";

const plimsoll::Grant& grant() {
  static const plimsoll::Grant made = *plimsoll::Grant::build(
      {.base_url = "https://api.example.com",
       .allow = {"GET /v1/items/*", "GET /v1/items?page", "PUT /v1/items/*", "GET /v1/rates",
                 "GET /v1/*/lines/*", "GET /*", "DELETE /v1/shops/*/items/*"},
       .catalog = {"GET /v1/*/lines?limit", "PUT /v1/items"}});
  return made;
}

bool is_clean(std::string_view text) {
  return text.find(kMarker) == std::string_view::npos &&
         std::ranges::all_of(text, [](char c) { return c == '\n' || (c >= 0x20 && c < 0x7F); });
}

// The first byte says what kind of call it is, the second how it was answered.
void add_call(std::string_view call, plimsoll::TraceRecorder& honest, plimsoll::CallTrace& forged) {
  const unsigned kind = call.empty() ? 0 : static_cast<unsigned char>(call[0]);
  const unsigned how = call.size() < 2 ? 0 : static_cast<unsigned char>(call[1]);
  const std::string own =
      std::string(kMarker) + std::string(call.substr(std::min<std::size_t>(2, call.size())));
  const auto& routes = grant().frozen().allow.routes();
  const plimsoll::Route& route = routes[kind % routes.size()];
  const plimsoll::TraceRecorder::Answer answer = {
      .status = how % 7 == 0 ? 0 : 100 + how * 3,
      .delivered = how % 5 != 0,
      .request_bytes = kind,
      .response_bytes = how % 2,
      .latency = std::chrono::microseconds(how % 3 == 0 ? std::int64_t{1} << 62 : how)};
  // What the guest asks for, past the broker's own check.
  std::string target;
  for (const std::string& segment : route.segments()) {
    target += '/' + (segment == "*" ? own : segment);
  }
  if (const auto* match = grant().frozen().allow.match(route.method(), target)) {
    honest.add(*match, answer);
  }
  // What no broker writes down.
  forged.rows.push_back({.method = kind % 3 == 0 ? own : std::string(route.method()),
                         .route = kind % 4 == 0 ? target : route.route_template(),
                         .status = answer.status,
                         .delivered = answer.delivered,
                         .request_bytes = answer.request_bytes,
                         .response_bytes = answer.response_bytes,
                         .latency = answer.latency});
}

// The metrics page costs more than all the rest.
enum class Page : std::uint8_t { kNone, kRendered };

void check(const plimsoll::CallTrace& trace, Page with_page) {
  plimsoll::AuditLine line;
  line.request.profile = *plimsoll::WireName::parse("shop");
  line.outcome = plimsoll::AuditOutcome::kOk;
  line.result.emplace();
  line.result->advice = {.sought = true,
                         .retention = plimsoll::AdviceRetention::kDetailed,
                         .findings = plimsoll::advisor::advise(trace, grant())};
  require(line.result->advice.findings.size() <= plimsoll::kMaxAdviceFindings, "bounded");
  for (const plimsoll::AdviceFinding& one : line.result->advice.findings) {
    require(one.extra_calls > 0 && one.added_latency_ms >= 0 && one.bytes_moved >= 0, "numbers");
    require(is_clean(one.method + one.route + one.detail + one.suggested_method +
                     one.suggested_route + one.grant_route),
            "a finding holds nothing of the guest's");
    require(is_clean(plimsoll::advisor::prompt(one)), "nor does its prompt");
  }
  const std::string text = plimsoll::to_json_line(line);
  require(is_clean(text) && text.size() <= plimsoll::kMaxAuditLineBytes, "nor does the audit line");
  if (with_page == Page::kNone) return;
  const plimsoll::SystemClock clock;
  plimsoll::ServiceMetrics metrics({.version = "0", .compiler = "0"}, clock);
  metrics.count(line);
  require(is_clean(metrics.render({})), "nor does the metrics page");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view input(reinterpret_cast<const char*>(data), size);
  plimsoll::TraceRecorder honest;
  plimsoll::CallTrace forged = {.dropped = size % 2};
  while (!input.empty() && forged.rows.size() < 1000) {
    const auto end = std::min(input.find('\n'), input.size());
    add_call(input.substr(0, end), honest, forged);
    input.remove_prefix(std::min(end + 1, input.size()));
  }
  const Page page = size % 16 == 0 ? Page::kRendered : Page::kNone;
  check(honest.trace(), page);
  check(forged, page);
  return 0;
}
