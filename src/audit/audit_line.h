// One line of the audit stream: what a run was, in numbers and names; never what it held. There is
// no field for code, output, a path or a token: every field is a number, a flag, one of ours by an
// enum, or text of a type that a free text does not fit into. The exceptions are the caller's id
// and the routes of a grant, which the operator wrote; they are escaped, so that they forge
// nothing.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/wire_names.h"
#include "plimsoll/advice.h"
#include "plimsoll/isolation.h"
#include "plimsoll/result.h"

namespace plimsoll {

// A SHA-256: 64 lower-case hex digits, or nothing.
class AuditDigest {
 public:
  AuditDigest() = default;
  [[nodiscard]] static std::optional<AuditDigest> parse(std::string_view hex);

  [[nodiscard]] const std::string& text() const noexcept { return text_; }

 private:
  std::string text_;
};

enum class AuditKind : std::uint8_t { kUnknown, kJavascript, kProject, kModule, kCell };
enum class AuditOutcome : std::uint8_t { kOk, kRefused, kFailed, kCanceled };

// Where a refusal happened: the steps of the pipeline in their order.
enum class AuditRefusal : std::uint8_t {
  kNone,
  kUnauthenticated,
  kScope,
  kDecode,
  kProtocol,
  kInvalidRequest,
  kGrantProfile,
  kUnsupported,
  kSoftwareRule,
  kIsolation,
  kRate,
  kConcurrency,
  kNotReady,
  kDraining,
  kAuditStalled,
};

// "unknown", "javascript", ...; "ok", "refused", ...; "none", "unauthenticated", ...
[[nodiscard]] std::string_view to_string(AuditKind kind) noexcept;
[[nodiscard]] std::string_view to_string(AuditOutcome outcome) noexcept;
[[nodiscard]] std::string_view to_string(AuditRefusal refusal) noexcept;

// What was asked, in numbers.
struct AuditRequest {
  AuditKind kind = AuditKind::kUnknown;
  std::uint64_t code_bytes = 0;  // of a snippet or a cell
  std::uint64_t file_count = 0;
  std::uint64_t file_bytes = 0;  // content only
  std::uint64_t step_count = 0;
  std::uint64_t artifact_count = 0;  // asked for
  std::uint64_t row_count = 0;       // of a module run
  WireName profile;                  // of grants
  Isolation floor = Isolation::kNone;
};

// What the advisor found. `sought` is false when the grant says that nothing is looked for, or when
// there was none.
struct AuditAdvice {
  bool sought = false;
  AdviceRetention retention = AdviceRetention::kNone;
  std::vector<AdviceFinding> findings{};  // all of them, for metrics; the retention says what of
                                          // them is on the line
};

// What the guest did, when it ran.
struct AuditResult {
  std::int32_t exit_code = 0;
  bool timed_out = false;
  bool stdout_truncated = false;
  bool stderr_truncated = false;
  bool artifacts_truncated = false;
  AuditDigest record_sha256;
  AuditAdvice advice{};
};

// Calls from the guest to the API that its run was granted. Numbers only: there is no field that
// could hold a path, a query, a body or a credential.
struct AuditCalls {
  std::uint64_t made = 0;     // permitted and answered
  std::uint64_t denied = 0;   // not on the allow list
  std::uint64_t shed = 0;     // kept back: a pause of the API's, the budget, too many at once
  std::uint64_t dropped = 0;  // of those made: beyond what a trace keeps
  std::uint64_t breaker_openings = 0;  // for metrics; not on the line
};

// One run, or one refusal of one.
struct AuditLine {
  std::chrono::system_clock::time_point time;  // the end of the run, or of the refusal
  std::string caller;                          // its id; empty: nobody was authenticated
  TraceId trace_id;
  bool trace_id_rejected = false;  // there was one that is no TraceId: dropped whole
  AuditRequest request;
  WireName provider;
  Isolation tier = Isolation::kUnknown;  // by the evidence of this run, or taken for it
  AuditOutcome outcome = AuditOutcome::kFailed;
  AuditRefusal refusal = AuditRefusal::kNone;
  std::chrono::microseconds duration{0};  // from the request's arrival to its answer
  AuditCalls calls;                       // however the run ended
  std::optional<AuditResult> result;      // of what was dispatched and ended
};

// No line is longer, its newline included: what POSIX promises that a pipe takes whole (PIPE_BUF).
inline constexpr std::size_t kMaxAuditLineBytes = 4096;
// As much of a caller's id is written.
inline constexpr std::size_t kMaxAuditCallerBytes = 256;

// One JSON object and a newline; ASCII only. Every field is always there; without a result its
// fields are null, and those of advice also where nothing of it is kept. Findings for which the
// line has no room are counted in "advice_dropped"; those with the most extra calls come first.
[[nodiscard]] std::string to_json_line(const AuditLine& line);

// "2026-11-29T19:08:54.123Z".
[[nodiscard]] std::string to_rfc3339(std::chrono::system_clock::time_point time);

}  // namespace plimsoll
