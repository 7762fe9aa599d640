#include "broker/curl_transport.h"

#include <curl/curl.h>
#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>

#include <algorithm>
#include <array>
#include <deque>
#include <optional>
#include <utility>

#include "base/unique_fd.h"
#include "broker/curl_transfer.h"
#include "broker/sigpipe_block.h"

namespace plimsoll {
namespace {

constexpr long kMaxConnections = 32;
constexpr int kTimersAtOnce = 8;  // that are due, of one call

struct FreeMulti {
  void operator()(CURLM* multi) const noexcept { ::curl_multi_cleanup(multi); }
};

// libcurl says which sockets and which timer it waits for; they are in one epoll descriptor, which
// whoever drives this waits for.
class CurlTransport final : public HttpTransport {
 public:
  explicit CurlTransport(TransportOptions options) : settings_(std::move(options)) {}
  ~CurlTransport() override;

  [[nodiscard]] bool open();

  void start(std::uint64_t id, HttpRequest request) override;
  [[nodiscard]] int fd() const noexcept override { return epoll_.get(); }
  [[nodiscard]] std::vector<HttpCompletion> advance() override;

 private:
  struct Waiting {
    std::uint64_t id;
    HttpRequest request;
  };
  enum class Peers : std::uint8_t { kUnknown, kAsked, kKnown, kRefused, kUnreachable };

  static int on_socket(CURL*, curl_socket_t socket, int what, void* self, void* known);
  static int on_timer(CURLM*, long timeout_ms, void* self);

  void start_known(std::uint64_t id, HttpRequest request);
  void resolve();
  void resolved(const Result<std::vector<IpAddress>>& addresses);
  void begin(std::uint64_t id, HttpRequest request);
  void fail(std::uint64_t id, HttpFault fault);
  void act(curl_socket_t socket, int events);
  void run_due_timers();
  void collect();
  void watch(int fd) const;

  CurlSettings settings_;
  UniqueFd epoll_;
  UniqueFd timer_;
  UniqueFd pending_;  // readable while done_ holds something
  std::vector<std::unique_ptr<CurlTransfer>> transfers_;
  std::vector<CurlTransfer*> idle_;
  std::unique_ptr<CURLM, FreeMulti> multi_;  // goes before the handles, which are out of it by then
  Peers peers_ = Peers::kUnknown;
  std::optional<Lookup> lookup_;
  std::deque<Waiting> waiting_;  // for the lookup
  std::vector<HttpCompletion> done_;
  bool timer_is_due_ = false;
};

CurlTransport::~CurlTransport() {
  for (const auto& transfer : transfers_) {
    if (transfer->handle() != nullptr) {
      (void)::curl_multi_remove_handle(multi_.get(), transfer->handle());
    }
  }
}

void CurlTransport::watch(int fd) const {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = fd;
  (void)::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event);
}

bool CurlTransport::open() {
  static const CURLcode kStarted = ::curl_global_init(CURL_GLOBAL_DEFAULT);
  if (kStarted != CURLE_OK) return false;
  epoll_.reset(::epoll_create1(EPOLL_CLOEXEC));
  timer_.reset(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
  pending_.reset(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  multi_.reset(::curl_multi_init());
  if (!epoll_ || !timer_ || !pending_ || !multi_) return false;
  watch(timer_.get());
  watch(pending_.get());
  CURLM* multi = multi_.get();
  return ::curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, &CurlTransport::on_socket) ==
             CURLM_OK &&
         ::curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, static_cast<void*>(this)) == CURLM_OK &&
         ::curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, &CurlTransport::on_timer) == CURLM_OK &&
         ::curl_multi_setopt(multi, CURLMOPT_TIMERDATA, static_cast<void*>(this)) == CURLM_OK &&
         ::curl_multi_setopt(multi, CURLMOPT_PIPELINING, static_cast<long>(CURLPIPE_NOTHING)) ==
             CURLM_OK &&
         ::curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, kMaxConnections) == CURLM_OK;
}

int CurlTransport::on_socket(CURL*, curl_socket_t socket, int what, void* self, void* known) {
  auto& transport = *static_cast<CurlTransport*>(self);
  if (what == CURL_POLL_REMOVE) {
    (void)::epoll_ctl(transport.epoll_.get(), EPOLL_CTL_DEL, socket, nullptr);
    return 0;
  }
  epoll_event event{};
  event.events =
      ((what & CURL_POLL_IN) != 0 ? EPOLLIN : 0U) | ((what & CURL_POLL_OUT) != 0 ? EPOLLOUT : 0U);
  event.data.fd = socket;
  const int operation = known == nullptr ? EPOLL_CTL_ADD : EPOLL_CTL_MOD;
  if (::epoll_ctl(transport.epoll_.get(), operation, socket, &event) != 0) return -1;
  (void)::curl_multi_assign(transport.multi_.get(), socket, self);  // anything but null
  return 0;
}

int CurlTransport::on_timer(CURLM*, long timeout_ms, void* self) {
  auto& transport = *static_cast<CurlTransport*>(self);
  transport.timer_is_due_ = timeout_ms == 0;
  itimerspec when{};
  if (timeout_ms > 0) {
    when.it_value.tv_sec = timeout_ms / 1000;
    when.it_value.tv_nsec = timeout_ms % 1000 * 1'000'000;
  } else if (timeout_ms == 0) {
    when.it_value.tv_nsec = 1;  // zero would disarm it
  }
  (void)::timerfd_settime(transport.timer_.get(), 0, &when, nullptr);
  return 0;
}

void CurlTransport::start(std::uint64_t id, HttpRequest request) {
  // A name that did not resolve may the next time; what has addresses keeps them.
  if (peers_ == Peers::kUnknown || peers_ == Peers::kUnreachable) resolve();
  if (peers_ == Peers::kAsked) {
    waiting_.push_back({.id = id, .request = std::move(request)});
  } else {
    start_known(id, std::move(request));
  }
}

void CurlTransport::start_known(std::uint64_t id, HttpRequest request) {
  if (peers_ == Peers::kKnown) {
    begin(id, std::move(request));
  } else {
    fail(id, peers_ == Peers::kRefused ? HttpFault::kPeerRefused : HttpFault::kUnreachable);
  }
}

void CurlTransport::resolve() {
  const Origin& origin = settings_.options.origin;
  if (origin.address()) {
    resolved(std::vector<IpAddress>{*origin.address()});
  } else if (origin.is_loopback()) {
    // RFC 6761, 6.3: "localhost" is loopback, whatever a resolver says.
    resolved(std::vector<IpAddress>{*IpAddress::parse("127.0.0.1"), *IpAddress::parse("::1")});
  } else {
    peers_ = Peers::kAsked;
    lookup_.emplace(settings_.options.resolver, origin.host());
    if (lookup_->fd() < 0) {
      lookup_.reset();
      peers_ = Peers::kUnreachable;
      return;
    }
    watch(lookup_->fd());
  }
}

void CurlTransport::resolved(const Result<std::vector<IpAddress>>& addresses) {
  if (!addresses) {
    peers_ = Peers::kUnreachable;
  } else {
    peers_ = settings_.pin(*addresses) ? Peers::kKnown : Peers::kRefused;
  }
}

void CurlTransport::begin(std::uint64_t id, HttpRequest request) {
  if (idle_.empty()) {
    transfers_.push_back(std::make_unique<CurlTransfer>(settings_));
    idle_.push_back(transfers_.back().get());
  }
  CurlTransfer* transfer = idle_.back();
  idle_.pop_back();
  if (!transfer->prepare(id, std::move(request)) ||
      ::curl_multi_add_handle(multi_.get(), transfer->handle()) != CURLM_OK) {
    idle_.push_back(transfer);
    fail(id, HttpFault::kUnreachable);
    return;
  }
  run_due_timers();
  collect();
}

void CurlTransport::fail(std::uint64_t id, HttpFault fault) {
  done_.push_back({.id = id, .answer = {.fault = fault}});
  (void)::eventfd_write(pending_.get(), 1);
}

void CurlTransport::act(curl_socket_t socket, int events) {
  int running = 0;
  if (settings_.options.origin.scheme() == Scheme::kHttp) {
    (void)::curl_multi_socket_action(multi_.get(), socket, events, &running);
  } else {
    const SigpipeBlock block;
    (void)::curl_multi_socket_action(multi_.get(), socket, events, &running);
  }
}

void CurlTransport::run_due_timers() {
  for (int i = 0; i < kTimersAtOnce && timer_is_due_; ++i) {
    timer_is_due_ = false;
    act(CURL_SOCKET_TIMEOUT, 0);
  }
}

void CurlTransport::collect() {
  int left = 0;
  while (const CURLMsg* message = ::curl_multi_info_read(multi_.get(), &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    CURL* const handle = message->easy_handle;
    const CURLcode code = message->data.result;  // gone with the handle's place in the multi
    CurlTransfer* transfer = CurlTransfer::of(handle);
    (void)::curl_multi_remove_handle(multi_.get(), handle);
    if (transfer == nullptr) continue;
    done_.push_back({.id = transfer->id(), .answer = transfer->finish(code)});
    idle_.push_back(transfer);
    (void)::eventfd_write(pending_.get(), 1);
  }
}

std::vector<HttpCompletion> CurlTransport::advance() {
  std::array<epoll_event, 32> events{};
  const int count = ::epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()), 0);
  for (int i = 0; i < count; ++i) {
    const auto& event = events[static_cast<std::size_t>(i)];
    const int fd = event.data.fd;
    if (fd == pending_.get()) continue;
    if (fd == timer_.get()) {
      std::uint64_t expirations = 0;
      if (::read(timer_.get(), &expirations, sizeof expirations) < 0) continue;  // set anew
      act(CURL_SOCKET_TIMEOUT, 0);
    } else if (lookup_ && fd == lookup_->fd()) {
      resolved(lookup_->take());
      lookup_.reset();
      for (auto& [id, request] : std::exchange(waiting_, {})) start_known(id, std::move(request));
    } else {
      act(fd, ((event.events & EPOLLIN) != 0 ? CURL_CSELECT_IN : 0) |
                  ((event.events & EPOLLOUT) != 0 ? CURL_CSELECT_OUT : 0) |
                  ((event.events & (EPOLLERR | EPOLLHUP)) != 0 ? CURL_CSELECT_ERR : 0));
    }
  }
  run_due_timers();
  collect();
  eventfd_t signalled = 0;
  if (!done_.empty()) (void)::eventfd_read(pending_.get(), &signalled);
  return std::exchange(done_, {});
}

}  // namespace

Result<std::unique_ptr<HttpTransport>> make_curl_transport(TransportOptions options) {
  if (!options.resolver) options.resolver = std::make_shared<SystemResolver>();
  auto transport = std::make_unique<CurlTransport>(std::move(options));
  if (transport->open()) return transport;
  return std::unexpected(Error{.code = ErrorCode::kInfrastructure,
                               .message = "the HTTP client of the broker does not start",
                               .not_dispatched = {}});
}

}  // namespace plimsoll
