#include "client/wire_advice.h"

#include <plimsoll/v1/result.pb.h>

#include <optional>
#include <string_view>

#include "client/printable.h"

namespace plimsoll::client {
namespace {

constexpr std::size_t kMaxMethodBytes = 16;
constexpr std::size_t kMaxTemplateBytes = 2048;
constexpr std::size_t kMaxSentenceBytes = 8192;

// The one of the enumerators up to `last` whose name this is.
template <class Enum>
std::optional<Enum> named(std::string_view name, Enum last) {
  for (int i = 0; i <= static_cast<int>(last); ++i) {
    if (to_string(static_cast<Enum>(i)) == name) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

std::optional<AdviceFinding> from_wire(const v1::AdviceFinding& message) {
  const auto pattern = named(message.pattern(), AdvicePattern::kRepeatedRead);
  const auto severity = named(message.severity(), AdviceSeverity::kHigh);
  const auto remedy = named(message.remedy(), AdviceRemedy::kNone);
  if (!pattern || !severity || !remedy) return std::nullopt;
  if (message.extra_calls() < 0 || message.added_latency_ms() < 0 || message.bytes_moved() < 0) {
    return std::nullopt;
  }
  return AdviceFinding{.pattern = *pattern,
                       .severity = *severity,
                       .remedy = *remedy,
                       .method = printable(message.method(), kMaxMethodBytes),
                       .route = printable(message.route(), kMaxTemplateBytes),
                       .detail = printable(message.detail(), kMaxSentenceBytes),
                       .suggested_method = printable(message.suggested_method(), kMaxMethodBytes),
                       .suggested_route = printable(message.suggested_route(), kMaxTemplateBytes),
                       .extra_calls = message.extra_calls(),
                       .added_latency_ms = message.added_latency_ms(),
                       .bytes_moved = message.bytes_moved()};
}

}  // namespace

std::vector<AdviceFinding> from_wire(
    const google::protobuf::RepeatedPtrField<v1::AdviceFinding>& findings) {
  std::vector<AdviceFinding> advice;
  for (const v1::AdviceFinding& message : findings) {
    if (advice.size() == kMaxAdviceFindings) break;
    if (auto finding = from_wire(message)) advice.push_back(*std::move(finding));
  }
  return advice;
}

}  // namespace plimsoll::client
