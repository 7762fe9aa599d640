#include "client/lane.h"

#include <fmt/format.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <new>
#include <utility>

#include "client/printable.h"

namespace plimsoll::client {
namespace {

// Below the 60 s after which a service closes an idle connection.
constexpr long kMaxIdleSeconds = 45;
constexpr std::size_t kMaxMessageBytes = 256;
constexpr int kPollMs = 60'000;  // libcurl's own timers and the wakeup end a wait before

void append(Slist& list, const std::string& text) {
  curl_slist* longer = ::curl_slist_append(list.get(), text.c_str());
  if (longer == nullptr) throw std::bad_alloc();
  list.release();  // NOLINT(bugprone-unused-return-value): `longer` begins with it
  list.reset(longer);
}

// An option that this libcurl does not know would be a rule that is not kept.
template <class Value>
void set(CURL* easy, CURLoption option, Value value) {
  if (::curl_easy_setopt(easy, option, value) != CURLE_OK) throw std::bad_alloc();
}

bool is_h2c(const CheckedConfig& config) noexcept {
  return config.settings().http_version == HttpVersion::kHttp2 &&
         config.origin().scheme == Scheme::kHttp;
}

bool is_about_trust(CURLcode code) noexcept {
  switch (code) {
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CIPHER:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_INVALIDCERTSTATUS:
      return true;
    default:
      return false;
  }
}

}  // namespace

std::shared_ptr<const LaneSettings> LaneSettings::make(const CheckedConfig& config) {
  LaneSettings made{
      .config = config, .base_url = config.origin().url(), .headers = {}, .pinned_host = {}};
  append(made.headers, "authorization: Bearer " + std::string(config.settings().token.reveal()));
  append(made.headers, "content-type: application/proto");
  append(made.headers, "connect-protocol-version: 1");
  append(made.headers, "user-agent: plimsoll");
  append(made.headers, "accept:");  // what curl would add is left out
  append(made.headers, "expect:");
  if (config.origin().kind == Host::kLocalhost) {
    append(made.pinned_host, fmt::format("localhost:{}:127.0.0.1,::1", config.origin().port));
  }
  return std::make_shared<const LaneSettings>(std::move(made));
}

// What is known of one call while it lasts.
struct Lane::Transfer {
  const HttpCall& call;
  bool loopback_only = false;
  bool kept_connection_only = false;
  HttpReply reply{};
  std::size_t head_bytes = 0;
  bool sent = false;
  bool stale = false;
  bool resent = false;  // libcurl wanted to, and was stopped
  bool not_loopback = false;
  bool too_large = false;
  bool canceled = false;
  std::array<char, CURL_ERROR_SIZE> error{};
};

Lane::Lane(std::shared_ptr<const LaneSettings> settings)
    : settings_(std::move(settings)), multi_(::curl_multi_init()), easy_(::curl_easy_init()) {
  try {
    if (multi_ == nullptr || easy_ == nullptr) throw std::bad_alloc();
    ::curl_multi_setopt(multi_, CURLMOPT_MAXCONNECTS, 1L);
    set_up();
  } catch (const std::bad_alloc&) {
    ::curl_easy_cleanup(easy_);
    ::curl_multi_cleanup(multi_);
    throw;
  }
}

Lane::~Lane() {
  ::curl_easy_cleanup(easy_);
  ::curl_multi_cleanup(multi_);
}

void Lane::set_up() {
  const ClientConfig& config = settings_->config.settings();
  set(easy_, CURLOPT_NOSIGNAL, 1L);
  set(easy_, CURLOPT_PROTOCOLS_STR, "http,https");
  set(easy_, CURLOPT_FOLLOWLOCATION, 0L);
  // An empty proxy is none, and keeps libcurl from asking the environment.
  set(easy_, CURLOPT_PROXY, "");
  set(easy_, CURLOPT_NOPROXY, "*");
  set(easy_, CURLOPT_NETRC, static_cast<long>(CURL_NETRC_IGNORED));
  set(easy_, CURLOPT_HTTP09_ALLOWED, 0L);
  // Inflated piece by piece, each counted by on_body(). What was not asked for stays as it is.
  if (config.answer_encoding == AnswerEncoding::kGzip) set(easy_, CURLOPT_ACCEPT_ENCODING, "gzip");
  // A name that does not resolve must not hold up a call that was given up.
  set(easy_, CURLOPT_QUICK_EXIT, 1L);
  set(easy_, CURLOPT_MAXAGE_CONN, kMaxIdleSeconds);
  set(easy_, CURLOPT_TCP_NODELAY, 1L);
  set(easy_, CURLOPT_HTTP_VERSION,
      config.http_version == HttpVersion::kHttp1 ? static_cast<long>(CURL_HTTP_VERSION_1_1)
      : is_h2c(settings_->config) ? static_cast<long>(CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE)
                                  : static_cast<long>(CURL_HTTP_VERSION_2TLS));
  set(easy_, CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  set(easy_, CURLOPT_SSL_VERIFYPEER, 1L);
  set(easy_, CURLOPT_SSL_VERIFYHOST, 2L);
  if (const std::string& pem = settings_->config.ca_pem(); !pem.empty()) {
    // Instead of the system's, not beside them.
    const curl_blob blob{
        .data = const_cast<char*>(pem.data()), .len = pem.size(), .flags = CURL_BLOB_NOCOPY};
    set(easy_, CURLOPT_CAINFO_BLOB, &blob);
    set(easy_, CURLOPT_CAPATH, static_cast<char*>(nullptr));
  }
  if (settings_->pinned_host) set(easy_, CURLOPT_RESOLVE, settings_->pinned_host.get());
  set(easy_, CURLOPT_POST, 1L);
  set(easy_, CURLOPT_WRITEFUNCTION, &Lane::on_body);
  set(easy_, CURLOPT_HEADERFUNCTION, &Lane::on_header);
  set(easy_, CURLOPT_OPENSOCKETFUNCTION, &Lane::on_socket);
  set(easy_, CURLOPT_PREREQFUNCTION, &Lane::on_request);
}

std::size_t Lane::on_body(char* bytes, std::size_t size, std::size_t count, void* data) {
  auto& transfer = *static_cast<Transfer*>(data);
  std::string& body = transfer.reply.body;
  const std::size_t more = size * count;
  if (more > kMaxAnswerBytes - body.size()) {
    transfer.too_large = true;
    return CURL_WRITEFUNC_ERROR;
  }
  body.append(bytes, more);
  return more;
}

std::size_t Lane::on_header(char* /*bytes*/, std::size_t size, std::size_t count, void* data) {
  auto& transfer = *static_cast<Transfer*>(data);
  transfer.head_bytes += size * count;
  if (transfer.head_bytes > kMaxAnswerHeadBytes) {
    transfer.too_large = true;
    return CURL_WRITEFUNC_ERROR;
  }
  return size * count;
}

// Called when there is no connection to use again.
curl_socket_t Lane::on_socket(void* data, curlsocktype /*purpose*/, curl_sockaddr* address) {
  auto& transfer = *static_cast<Transfer*>(data);
  if (transfer.kept_connection_only) {
    transfer.stale = true;
    return CURL_SOCKET_BAD;
  }
  return ::socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

// Called when the connection stands, before the first byte of the request.
// NOLINTNEXTLINE(readability-non-const-parameter): libcurl's signature.
int Lane::on_request(void* data, char* peer, char* /*own*/, int /*peer_port*/, int /*own_port*/) {
  auto& transfer = *static_cast<Transfer*>(data);
  if (transfer.sent) {
    transfer.resent = true;
    return CURL_PREREQFUNC_ABORT;
  }
  if (transfer.loopback_only && !is_loopback_address(peer)) {
    transfer.not_loopback = true;
    return CURL_PREREQFUNC_ABORT;
  }
  transfer.sent = true;
  return CURL_PREREQFUNC_OK;
}

HttpResult Lane::post(const HttpCall& call) {
  using std::chrono::duration_cast;
  const auto left = duration_cast<Millis>(call.deadline - std::chrono::steady_clock::now());
  if (left < Millis(1)) {
    return std::unexpected(HttpFailure{.fault = HttpFault::kDeadline,
                                       .sent = Sent::kNothing,
                                       .message = "the deadline passed before the call"});
  }
  const ClientConfig& config = settings_->config.settings();
  Transfer transfer{.call = call, .loopback_only = settings_->config.only_to_loopback()};
  if (connected_ && is_h2c(settings_->config)) {
    // libcurl 7.88 starts HTTP/2 once more on a kept connection whose HTTP/2 is by prior knowledge
    // (curl issue 10634). Without that word it uses the connection as it is, but would make a new
    // one for HTTP/1.1: it may not.
    set(easy_, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_2TLS));
    transfer.kept_connection_only = true;
  }
  // The service gives up when this side does. The list goes on with what all calls have in common.
  std::string timeout = fmt::format("connect-timeout-ms: {}", left.count());
  curl_slist headers{.data = timeout.data(), .next = settings_->headers.get()};
  set(easy_, CURLOPT_URL, fmt::format("{}{}", settings_->base_url, call.path).c_str());
  set(easy_, CURLOPT_HTTPHEADER, &headers);
  set(easy_, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(call.body.size()));
  // Never null: libcurl would read the body from standard input.
  set(easy_, CURLOPT_POSTFIELDS, call.body.empty() ? "" : call.body.data());
  set(easy_, CURLOPT_TIMEOUT_MS, static_cast<long>(left.count()));
  set(easy_, CURLOPT_CONNECTTIMEOUT_MS,
      static_cast<long>(std::min(left, config.connect_timeout).count()));
  set(easy_, CURLOPT_ERRORBUFFER, transfer.error.data());
  set(easy_, CURLOPT_WRITEDATA, &transfer);
  set(easy_, CURLOPT_HEADERDATA, &transfer);
  set(easy_, CURLOPT_OPENSOCKETDATA, &transfer);
  set(easy_, CURLOPT_PREREQDATA, &transfer);
  const CURLcode code = drive(transfer);
  // Nothing of this call stays behind in the handle.
  set(easy_, CURLOPT_HTTPHEADER, static_cast<curl_slist*>(nullptr));
  set(easy_, CURLOPT_POSTFIELDS, static_cast<char*>(nullptr));
  HttpResult result = conclude(code, transfer);
  set(easy_, CURLOPT_ERRORBUFFER, static_cast<char*>(nullptr));
  reusable_ = connected_ = result.has_value();
  stale_ = transfer.stale && !transfer.sent && !transfer.canceled;
  return result;
}

CURLcode Lane::drive(Transfer& transfer) {
  if (::curl_multi_add_handle(multi_, easy_) != CURLM_OK) throw std::bad_alloc();
  CURLcode code = CURLE_ABORTED_BY_CALLBACK;
  {
    const std::stop_callback wake(transfer.call.cancel, [this] { ::curl_multi_wakeup(multi_); });
    for (int running = 1;;) {
      if (transfer.call.cancel.stop_requested()) {
        transfer.canceled = true;
        break;
      }
      const bool going = ::curl_multi_perform(multi_, &running) == CURLM_OK;
      if (!going || running == 0) break;
      if (::curl_multi_poll(multi_, nullptr, 0, kPollMs, nullptr) != CURLM_OK) break;
    }
  }
  int left = 0;
  while (const CURLMsg* message = ::curl_multi_info_read(multi_, &left)) {
    if (message->msg == CURLMSG_DONE) {
      code = message->data.result;
      transfer.canceled = false;
    }
  }
  ::curl_multi_remove_handle(multi_, easy_);
  return code;
}

HttpResult Lane::conclude(CURLcode code, Transfer& transfer) const {
  if (code == CURLE_OK) {
    long status = 0;
    const char* content_type = nullptr;
    curl_off_t retry_after = 0;
    ::curl_easy_getinfo(easy_, CURLINFO_RESPONSE_CODE, &status);
    ::curl_easy_getinfo(easy_, CURLINFO_CONTENT_TYPE, &content_type);
    ::curl_easy_getinfo(easy_, CURLINFO_RETRY_AFTER, &retry_after);
    transfer.reply.status = static_cast<unsigned>(status);
    if (content_type != nullptr) transfer.reply.content_type = content_type;
    if (retry_after > 0) transfer.reply.retry_after = std::chrono::seconds(retry_after);
    return std::move(transfer.reply);
  }
  HttpFailure failure;
  failure.sent = transfer.sent ? Sent::kPerhaps : Sent::kNothing;
  const std::string_view said = transfer.error.data();
  failure.message = printable(said.empty() ? ::curl_easy_strerror(code) : said, kMaxMessageBytes);
  if (transfer.canceled) {
    failure.fault = HttpFault::kCanceled;
    failure.message = "canceled";
  } else if (transfer.not_loopback) {
    failure.fault = HttpFault::kUntrusted;
    failure.message = "the peer of the cleartext connection is not this host";
  } else if (transfer.resent) {
    failure.message = "the service closed the connection without an answer";
  } else if (transfer.too_large) {
    failure.fault = HttpFault::kTooLarge;
    failure.message = fmt::format("the answer has more than {} bytes, or its head more than {}",
                                  kMaxAnswerBytes, kMaxAnswerHeadBytes);
  } else if (code == CURLE_OPERATION_TIMEDOUT) {
    const bool late = std::chrono::steady_clock::now() >= transfer.call.deadline - Millis(1);
    failure.fault = transfer.sent || late ? HttpFault::kDeadline : HttpFault::kUnreachable;
  } else if (!transfer.sent) {
    failure.fault = is_about_trust(code) ? HttpFault::kUntrusted : HttpFault::kUnreachable;
  }
  return std::unexpected(std::move(failure));
}

}  // namespace plimsoll::client
