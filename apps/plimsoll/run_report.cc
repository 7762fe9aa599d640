#include "run_report.h"

#include <string_view>

#include "text.h"

namespace plimsoll::cli {
namespace {

enum class Stream { kWhole, kTruncated };

Json stream_json(std::string_view bytes, Stream kept) {
  Json json = {{"base64", to_base64(bytes)}};
  if (is_utf8(bytes)) json["utf8"] = bytes;
  json["truncated"] = kept == Stream::kTruncated;
  return json;
}

Stream kept(bool truncated) { return truncated ? Stream::kTruncated : Stream::kWhole; }

}  // namespace

std::string to_json(const Outcome& outcome) { return to_line(outcome_json(outcome)); }

Json outcome_json(const Outcome& outcome) {
  return {
      {"provider", outcome.provider},
      {"isolation", to_string(outcome.evidence.tier)},
      {"exit_code", outcome.exit_code},
      {"timed_out", outcome.timed_out},
      {"termination",
       {{"cause", to_string(outcome.termination.cause)}, {"detail", outcome.termination.detail}}},
      {"duration_us", outcome.duration.count()},
      {"stdout", stream_json(outcome.stdout_bytes, kept(outcome.stdout_truncated))},
      {"stderr", stream_json(outcome.stderr_bytes, kept(outcome.stderr_truncated))},
      {"evidence", evidence_json(outcome.evidence)},
  };
}

std::string to_json(const Error& error) {
  Json reason = nullptr;
  if (error.not_dispatched) reason = to_string(*error.not_dispatched);
  return to_line({{"error",
                   {{"code", to_string(error.code)},
                    {"message", error.message},
                    {"not_dispatched", std::move(reason)}}}});
}

}  // namespace plimsoll::cli
