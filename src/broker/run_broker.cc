#include "broker/run_broker.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <map>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/unique_fd.h"
#include "broker/breaker.h"
#include "broker/call_budget.h"
#include "broker/header_policy.h"
#include "broker/retry_after.h"
#include "broker/trace_recorder.h"

namespace plimsoll {
namespace {

using std::chrono::milliseconds;

constexpr std::string_view kBudgetText =
    "refused by the sandbox: the call budget of this run is spent, or too many calls are under way "
    "at once; this is policy";
constexpr std::string_view kDeniedText =
    "forbidden by sandbox capability allowlist: this is policy, and retrying will not help";
constexpr std::string_view kShedText =
    "shedding: the API asked for a pause, so the sandbox sends it nothing for a while; retry later";
constexpr std::string_view kBodyText =
    "refused by the sandbox: the body of a call is limited to 1 MiB";
constexpr std::string_view kEchoText =
    "withheld by the sandbox: the answer of the API held its credential";

BrokerReply own_reply(unsigned status, ReplySource source, std::string_view text) {
  return {
      .status = status, .content_type = "text/plain", .body = std::string(text), .source = source};
}

// What a guest is told of a fault: enough to act on, nothing of where the API is.
BrokerReply fault_reply(HttpFault fault) {
  switch (fault) {
    case HttpFault::kTimedOut:
      return own_reply(504, ReplySource::kFailed, "the API did not answer in time");
    case HttpFault::kTooLarge:
      return own_reply(502, ReplySource::kFailed, "the answer of the API is larger than 4 MiB");
    case HttpFault::kPeerRefused:
      return own_reply(502, ReplySource::kFailed,
                       "the API has an address that this sandbox may not talk to");
    case HttpFault::kUnreachable:
      return own_reply(502, ReplySource::kFailed, "the API cannot be reached");
    case HttpFault::kBroken:
    case HttpFault::kNone:
      break;
  }
  return own_reply(502, ReplySource::kFailed, "the answer of the API is broken");
}

class RunBroker final : public Broker {
 public:
  RunBroker(const Grant& grant, const BrokerContext& context, const Clock& clock, Secret credential,
            std::unique_ptr<HttpTransport> transport)
      : grant_(grant),
        deadline_(context.deadline),
        clock_(&clock),
        credential_(std::move(credential)),
        budget_(grant.config().max_calls),
        breaker_(grant.frozen().health_check ? HealthCheck::kThere : HealthCheck::kNone),
        transport_(std::move(transport)) {}

  [[nodiscard]] bool open();

  void submit(std::uint64_t id, BrokerRequest request) override;
  [[nodiscard]] int fd() const noexcept override { return epoll_.get(); }
  [[nodiscard]] std::vector<BrokerCompletion> take() override;
  void close() override;
  [[nodiscard]] const CallTrace& trace() const noexcept override { return recorder_.trace(); }

 private:
  struct Call {
    std::uint64_t id = 0;  // the guest's
    const Route* route = nullptr;
    BrokerRequest request{};  // moved from once it is sent
    std::size_t request_bytes = 0;
    Clock::Monotonic begun{};
    Breaker::Ticket ticket{};
    CallBudget::Place place{};
  };

  void admit(Call call);
  void send(Call call);
  void probe(Call call);
  void answered(const Call& call, HttpAnswer answer);
  void probed(Call call, const HttpAnswer& answer);
  void shed(std::uint64_t id);
  // Says what came of a permitted call.
  void conclude(const Call& call, BrokerReply reply);
  // Ends a call that has no row in the trace, or has it by now.
  void complete(std::uint64_t id, BrokerReply reply);
  [[nodiscard]] milliseconds pause(const HttpAnswer& answer) const;
  [[nodiscard]] milliseconds time_left(milliseconds most) const;

  Grant grant_;
  Clock::Monotonic deadline_;
  const Clock* clock_;
  Secret credential_;
  CallBudget budget_;  // before the calls, whose places are its
  Breaker breaker_;
  TraceRecorder recorder_;
  std::unique_ptr<HttpTransport> transport_;
  std::unordered_map<std::uint64_t, Call> under_way_;  // by the transport's id
  std::optional<std::pair<std::uint64_t, Call>> probing_;
  std::uint64_t next_id_ = 0;
  std::vector<BrokerCompletion> done_;
  UniqueFd epoll_;
  UniqueFd pending_;  // readable while done_ holds something
};

bool RunBroker::open() {
  epoll_.reset(::epoll_create1(EPOLL_CLOEXEC));
  pending_.reset(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!epoll_ || !pending_) return false;
  for (const int fd : {transport_->fd(), pending_.get()}) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = fd;
    if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) != 0) return false;
  }
  return true;
}

void RunBroker::submit(std::uint64_t id, BrokerRequest request) {
  Call call{.id = id, .begun = clock_->now()};
  // 1. The budget, before anything is looked at.
  call.place = budget_.take();
  if (!call.place) {
    recorder_.count_over_budget();
    complete(id, own_reply(429, ReplySource::kRefused, kBudgetText));
    return;
  }
  // 2. The allow list.
  call.route = grant_.frozen().allow.match(request.method, request.target);
  if (call.route == nullptr) {
    recorder_.count_denied();
    complete(id, own_reply(403, ReplySource::kRefused, kDeniedText));
    return;
  }
  call.request_bytes = request.body ? request.body->size() : 0;
  call.request = std::move(request);
  admit(std::move(call));
}

// 3. The pause that the API asked for.
void RunBroker::admit(Call call) {
  call.ticket = breaker_.admit(clock_->now());
  switch (call.ticket.verdict) {
    case Breaker::Verdict::kPass:
      send(std::move(call));
      return;
    case Breaker::Verdict::kProbe:
      probe(std::move(call));
      return;
    case Breaker::Verdict::kShed:
      shed(call.id);
  }
}

void RunBroker::send(Call call) {
  // 4. The body.
  if (call.request_bytes > kMaxCallBodyBytes) {
    breaker_.unanswered(call.ticket);
    conclude(call, own_reply(413, ReplySource::kRefused, kBodyText));
    return;
  }
  const milliseconds timeout = time_left(kCallTimeout);
  if (timeout <= milliseconds(0)) {
    breaker_.unanswered(call.ticket);
    conclude(call, fault_reply(HttpFault::kTimedOut));
    return;
  }
  // 5. The request: the target that was approved, byte for byte.
  HttpRequest request{.method = std::string(call.route->method()),
                      .target = std::move(call.request.target),
                      .body = std::move(call.request.body),
                      .timeout = timeout};
  const std::uint64_t id = next_id_++;
  under_way_.emplace(id, std::move(call));
  transport_->start(id, std::move(request));
}

// With the run's credential, neither traced nor charged: it is the broker's own question.
void RunBroker::probe(Call call) {
  const Route& route = *grant_.frozen().health_check;
  const std::uint64_t id = next_id_++;
  probing_.emplace(id, std::move(call));
  transport_->start(id, {.method = std::string(route.method()),
                         .target = route.path(),
                         .timeout = std::max(milliseconds(1), time_left(kProbeTimeout))});
}

// 6. The answer.
void RunBroker::answered(const Call& call, HttpAnswer answer) {
  if (answer.status == 0) {
    breaker_.unanswered(call.ticket);
  } else {
    breaker_.answered(call.ticket, clock_->now(), answer.status, pause(answer));
    recorder_.set_breaker_openings(breaker_.openings());
  }
  if (answer.fault != HttpFault::kNone) {
    conclude(call, fault_reply(answer.fault));
    return;
  }
  BrokerReply reply{.status = answer.status,
                    .content_type = delivered_content_type(answer.content_type),
                    .body = std::move(answer.body),
                    .source = ReplySource::kApi};
  if (reply.body.size() > kMaxReplyBodyBytes) {
    reply = fault_reply(HttpFault::kTooLarge);
  } else if (echoes(reply.body, credential_) || echoes(reply.content_type, credential_)) {
    recorder_.count_credential_echo();
    reply = own_reply(502, ReplySource::kFailed, kEchoText);
  }
  conclude(call, std::move(reply));
}

void RunBroker::probed(Call call, const HttpAnswer& answer) {
  const unsigned status = answer.fault == HttpFault::kNone ? answer.status : 0;
  breaker_.probed(clock_->now(), status, pause(answer));
  recorder_.set_breaker_openings(breaker_.openings());
  if (status >= 200 && status < 300) {
    admit(std::move(call));
  } else {
    shed(call.id);  // a slow probe is not followed by another of the same call
  }
}

void RunBroker::shed(std::uint64_t id) {
  recorder_.count_shed();
  complete(id, own_reply(503, ReplySource::kRefused, kShedText));
}

void RunBroker::conclude(const Call& call, BrokerReply reply) {
  const bool delivered = reply.source == ReplySource::kApi;
  recorder_.add(*call.route, {.status = reply.status,
                              .delivered = delivered,
                              .request_bytes = call.request_bytes,
                              .response_bytes = delivered ? reply.body.size() : 0,
                              .latency = std::chrono::duration_cast<std::chrono::microseconds>(
                                  clock_->now() - call.begun)});
  complete(call.id, std::move(reply));
}

void RunBroker::complete(std::uint64_t id, BrokerReply reply) {
  if (done_.empty()) (void)::eventfd_write(pending_.get(), 1);
  done_.push_back({.id = id, .reply = std::move(reply)});
}

milliseconds RunBroker::pause(const HttpAnswer& answer) const {
  return pause_of(answer.retry_after, clock_->wall_now());
}

milliseconds RunBroker::time_left(milliseconds most) const {
  return std::min(most, std::chrono::floor<milliseconds>(deadline_ - clock_->now()));
}

std::vector<BrokerCompletion> RunBroker::take() {
  if (transport_ == nullptr) return {};
  for (HttpCompletion& completion : transport_->advance()) {
    if (probing_ && probing_->first == completion.id) {
      Call call = std::move(probing_->second);
      probing_.reset();
      probed(std::move(call), completion.answer);
    } else if (auto call = under_way_.extract(completion.id)) {
      answered(call.mapped(), std::move(completion.answer));
    }
  }
  eventfd_t signalled = 0;
  if (!done_.empty()) (void)::eventfd_read(pending_.get(), &signalled);
  return std::exchange(done_, {});
}

// A guest that ends before its answers hides no call.
void RunBroker::close() {
  const std::map<std::uint64_t, Call> in_order(std::make_move_iterator(under_way_.begin()),
                                               std::make_move_iterator(under_way_.end()));
  for (const auto& [id, call] : in_order) {
    recorder_.add(*call.route, {.request_bytes = call.request_bytes,
                                .latency = std::chrono::duration_cast<std::chrono::microseconds>(
                                    clock_->now() - call.begun)});
  }
  if (probing_) recorder_.count_shed();
  under_way_.clear();
  probing_.reset();
  done_.clear();
  transport_.reset();
}

}  // namespace

Result<std::unique_ptr<Broker>> make_run_broker(const Grant& grant, const BrokerContext& context,
                                                const Clock& clock, Secret credential,
                                                std::unique_ptr<HttpTransport> transport) {
  auto broker = std::make_unique<RunBroker>(grant, context, clock, std::move(credential),
                                            std::move(transport));
  if (broker->open()) return broker;
  return std::unexpected(Error{.code = ErrorCode::kInfrastructure,
                               .message = "the broker has no descriptors",
                               .not_dispatched = NotDispatchedReason::kEnvironment});
}

}  // namespace plimsoll
