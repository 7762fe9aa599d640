#include "providers/brokered_calls.h"

#include <iterator>
#include <string>
#include <utility>

namespace plimsoll {

// What a frame carries reaches the broker, and what the broker answers fits a frame.
static_assert(guest::kMaxCallTarget == kMaxTargetBytes);
static_assert(guest::kMaxCallBody == kMaxCallBodyBytes);
static_assert(guest::kMaxReplyBody == kMaxReplyBodyBytes);
static_assert(guest::kMaxReplyType == kMaxContentTypeBytes);

void BrokeredCalls::begin(const guest::HostCall& call) {
  const std::uint64_t id = next_++;
  under_way_.emplace(id, call.id);
  BrokerRequest request{.method = std::string(call.method), .target = std::string(call.target)};
  if (call.has_body) request.body = std::string(call.body);
  broker_->submit(id, std::move(request));
}

std::optional<guest::HostAnswer> BrokeredCalls::next_answer() {
  if (ended_.empty()) {
    auto more = broker_->take();
    ended_.insert(ended_.end(), std::make_move_iterator(more.begin()),
                  std::make_move_iterator(more.end()));
  }
  if (ended_.empty()) return std::nullopt;
  BrokerCompletion ended = std::move(ended_.front());
  ended_.pop_front();
  const auto at = under_way_.find(ended.id);
  const std::uint32_t id = at == under_way_.end() ? 0 : at->second;
  if (at != under_way_.end()) under_way_.erase(at);
  return guest::HostAnswer{.id = id,
                           .status = static_cast<std::uint16_t>(ended.reply.status),
                           .refused = ended.reply.source != ReplySource::kApi,
                           .content_type = std::move(ended.reply.content_type),
                           .body = std::move(ended.reply.body)};
}

}  // namespace plimsoll
