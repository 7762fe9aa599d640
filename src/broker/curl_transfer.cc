#include "broker/curl_transfer.h"

#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <new>
#include <span>
#include <utility>

namespace plimsoll {
namespace {

constexpr long kConnectTimeoutMs = 10'000;

CurlFields to_list(std::span<const Secret> lines, std::span<const char* const> removed) {
  CurlFields list;
  const auto append = [&](const char* line) {
    curl_slist* longer = ::curl_slist_append(list.get(), line);
    if (longer == nullptr) return;  // the caller compares what it needs; see below
    // The new list is the old one, grown.
    [[maybe_unused]] const curl_slist* const grown = list.release();
    list.reset(longer);
  };
  for (const Secret& line : lines) {
    std::string text(line.reveal());  // libcurl takes a C string and copies it
    append(text.c_str());
    ::explicit_bzero(text.data(), text.size());
  }
  for (const char* line : removed) append(line);
  return list;
}

// Not repeated by libcurl, which would send a request again when a kept connection turns out to be
// closed: an order must not be placed twice.
bool is_idempotent(std::string_view method) noexcept {
  return method != "POST" && method != "PATCH";
}

std::size_t length(const curl_slist* list) noexcept {
  std::size_t count = 0;
  for (; list != nullptr; list = list->next) ++count;
  return count;
}

}  // namespace

void FreeFields::operator()(curl_slist* list) const noexcept {
  for (curl_slist* one = list; one != nullptr; one = one->next) {
    if (one->data != nullptr) ::explicit_bzero(one->data, ::strlen(one->data));
  }
  ::curl_slist_free_all(list);
}

CurlSettings::CurlSettings(TransportOptions from) : options(std::move(from)) {
  // A name and nothing behind it: libcurl would add these by itself.
  static constexpr const char* kWithBody[] = {"Accept-Encoding:", "Expect:"};
  static constexpr const char* kWithoutBody[] = {"Accept-Encoding:", "Expect:", "Content-Type:"};
  url = options.origin.to_text() + "/";
  const auto with = request_fields(BodyPart::kPresent, options.credential);
  const auto without = request_fields(BodyPart::kAbsent, options.credential);
  fields_with_body = to_list(with, kWithBody);
  fields_without_body = to_list(without, kWithoutBody);
  if (length(fields_with_body.get()) != with.size() + std::size(kWithBody) ||
      length(fields_without_body.get()) != without.size() + std::size(kWithoutBody)) {
    throw std::bad_alloc();
  }
}

bool CurlSettings::pin(std::vector<IpAddress> addresses) {
  const auto refused = [&](const IpAddress& one) { return !may_connect(options.peers, one); };
  if (addresses.empty() || std::ranges::any_of(addresses, refused)) return false;
  if (!options.origin.address()) {
    std::string entry = options.origin.host() + ":" + std::to_string(options.origin.port()) + ":";
    for (const IpAddress& one : addresses) {
      if (&one != addresses.data()) entry += ',';
      if (!one.is_v4()) entry += '[';
      entry += one.to_text();
      if (!one.is_v4()) entry += ']';
    }
    pinned.reset(::curl_slist_append(nullptr, entry.c_str()));
    if (!pinned) throw std::bad_alloc();
  }
  peers = std::move(addresses);
  return true;
}

CurlTransfer::CurlTransfer(const CurlSettings& settings)
    : settings_(&settings), handle_(::curl_easy_init()) {
  if (handle_) set_constants();
}

template <class Value>
void CurlTransfer::set(CURLoption option, Value value) {
  failed_to_set_ = ::curl_easy_setopt(handle_.get(), option, value) != CURLE_OK || failed_to_set_;
}

void CurlTransfer::set_constants() {
  set(CURLOPT_PRIVATE, static_cast<void*>(this));
  set(CURLOPT_URL, settings_->url.c_str());
  set(CURLOPT_PATH_AS_IS, 1L);
  set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  set(CURLOPT_PROTOCOLS_STR, "http,https");
  set(CURLOPT_FOLLOWLOCATION, 0L);
  set(CURLOPT_PROXY, "");  // also when the environment names one
  set(CURLOPT_NOPROXY, "*");
  set(CURLOPT_NETRC, static_cast<long>(CURL_NETRC_IGNORED));
  set(CURLOPT_UNRESTRICTED_AUTH, 0L);
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_HTTP09_ALLOWED, 0L);
  set(CURLOPT_SSL_VERIFYPEER, 1L);
  set(CURLOPT_SSL_VERIFYHOST, 2L);
  set(CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  if (!settings_->options.ca_file.empty()) {
    set(CURLOPT_CAINFO, settings_->options.ca_file.c_str());
  }
  set(CURLOPT_CONNECTTIMEOUT_MS, kConnectTimeoutMs);
  // What comes encoded is decoded, a buffer at a time; nothing asks for it.
  set(CURLOPT_ACCEPT_ENCODING, "gzip, deflate");
  set(CURLOPT_HEADERFUNCTION, &CurlTransfer::on_header);
  set(CURLOPT_HEADERDATA, static_cast<void*>(this));
  set(CURLOPT_WRITEFUNCTION, &CurlTransfer::on_body);
  set(CURLOPT_WRITEDATA, static_cast<void*>(this));
  set(CURLOPT_READFUNCTION, &CurlTransfer::on_send);
  set(CURLOPT_READDATA, static_cast<void*>(this));
  set(CURLOPT_XFERINFOFUNCTION, &CurlTransfer::on_progress);
  set(CURLOPT_XFERINFODATA, static_cast<void*>(this));
  set(CURLOPT_NOPROGRESS, 0L);
  set(CURLOPT_OPENSOCKETFUNCTION, &CurlTransfer::on_socket);
  set(CURLOPT_OPENSOCKETDATA, static_cast<void*>(this));
  // libcurl closes the sockets that it keeps after their exchange: the watch must outlive that.
  set(CURLOPT_CLOSESOCKETFUNCTION, &CurlTransfer::on_close);
  set(CURLOPT_CLOSESOCKETDATA, static_cast<void*>(settings_->sockets));
  if (settings_->pinned) set(CURLOPT_RESOLVE, settings_->pinned.get());
}

bool CurlTransfer::prepare(std::uint64_t id, HttpRequest request) {
  if (!handle_) return false;
  id_ = id;
  request_ = std::move(request);
  sent_ = 0;
  head_ = AnswerHead();
  body_.clear();
  too_large_ = false;
  peer_refused_ = false;
  set_request();
  return !failed_to_set_;
}

void CurlTransfer::set_request() {
  const bool has_body = request_.body.has_value();
  const std::size_t body_size = has_body ? request_.body->size() : 0;
  const bool idempotent = is_idempotent(request_.method);
  set(CURLOPT_REQUEST_TARGET, request_.target.c_str());
  set(CURLOPT_HTTPHEADER,
      has_body ? settings_->fields_with_body.get() : settings_->fields_without_body.get());
  set(CURLOPT_TIMEOUT_MS, static_cast<long>(std::max<std::int64_t>(request_.timeout.count(), 1)));
  if (has_body || !idempotent || request_.method == "PUT") {
    set(CURLOPT_POST, 1L);
    set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body_size));
    // A body that is read by a function which cannot go back is never sent twice.
    const bool by_function = !idempotent && body_size != 0;
    const char* const body = has_body ? request_.body->data() : "";
    set(CURLOPT_POSTFIELDS, by_function ? nullptr : body);
  } else {
    set(CURLOPT_HTTPGET, 1L);
  }
  // Without a byte of body there is nothing that could not be sent again.
  set(CURLOPT_FRESH_CONNECT, !idempotent && body_size == 0 ? 1L : 0L);
  set(CURLOPT_CUSTOMREQUEST, request_.method.c_str());
}

CurlTransfer* CurlTransfer::of(CURL* handle) {
  char* self = nullptr;
  if (::curl_easy_getinfo(handle, CURLINFO_PRIVATE, &self) != CURLE_OK) return nullptr;
  return reinterpret_cast<CurlTransfer*>(self);
}

HttpAnswer CurlTransfer::finish(CURLcode code) {
  HttpAnswer answer{.fault = HttpFault::kNone,
                    .status = head_.status(),
                    .content_type = head_.content_type(),
                    .retry_after = head_.retry_after()};
  if (answer.status < 200 || answer.status > 599) answer.status = 0;
  switch (code) {
    case CURLE_OK:
      if (answer.status == 0) answer.fault = HttpFault::kBroken;
      break;
    case CURLE_OPERATION_TIMEDOUT:
      answer.fault = HttpFault::kTimedOut;
      break;
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_CONNECT:
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
      answer.fault = HttpFault::kUnreachable;
      break;
    default:
      answer.fault = HttpFault::kBroken;
  }
  if (too_large_) answer.fault = HttpFault::kTooLarge;
  if (peer_refused_ && answer.fault != HttpFault::kNone) answer.fault = HttpFault::kPeerRefused;
  if (answer.fault == HttpFault::kNone) answer.body = std::move(body_);
  body_ = {};
  request_.body.reset();
  return answer;
}

std::size_t CurlTransfer::on_header(char* data, std::size_t size, std::size_t count, void* self) {
  auto& transfer = *static_cast<CurlTransfer*>(self);
  if (transfer.head_.add({data, size * count})) return size * count;
  transfer.too_large_ = true;
  return 0;
}

std::size_t CurlTransfer::on_body(char* data, std::size_t size, std::size_t count, void* self) {
  auto& transfer = *static_cast<CurlTransfer*>(self);
  const std::size_t bytes = size * count;
  if (bytes > transfer.settings_->options.max_body_bytes - transfer.body_.size()) {
    transfer.too_large_ = true;
    return 0;
  }
  transfer.body_.append(data, bytes);
  return bytes;
}

std::size_t CurlTransfer::on_send(char* into, std::size_t size, std::size_t count, void* self) {
  auto& transfer = *static_cast<CurlTransfer*>(self);
  const std::string_view rest = std::string_view(*transfer.request_.body).substr(transfer.sent_);
  const std::size_t bytes = rest.copy(into, size * count);
  transfer.sent_ += bytes;
  return bytes;
}

// Bytes as they came, before decoding: an encoding of nothing could go on for ever.
int CurlTransfer::on_progress(void* self, curl_off_t, curl_off_t received, curl_off_t, curl_off_t) {
  auto& transfer = *static_cast<CurlTransfer*>(self);
  if (static_cast<std::uint64_t>(std::max<curl_off_t>(received, 0)) <=
      transfer.settings_->options.max_body_bytes) {
    return 0;
  }
  transfer.too_large_ = true;
  return 1;
}

// The second look at the address, right before a socket exists: whatever libcurl came to, only what
// was resolved and checked is connected to.
curl_socket_t CurlTransfer::on_socket(void* self, curlsocktype, curl_sockaddr* address) {
  auto& transfer = *static_cast<CurlTransfer*>(self);
  const auto peer = IpAddress::from(&address->addr, address->addrlen);
  const auto& known = transfer.settings_->peers;
  if (!peer || !may_connect(transfer.settings_->options.peers, *peer) ||
      std::ranges::find(known, *peer) == known.end()) {
    transfer.peer_refused_ = true;
    return CURL_SOCKET_BAD;
  }
  return ::socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

int CurlTransfer::on_close(void* sockets, curl_socket_t socket) {
  if (sockets != nullptr) static_cast<SocketWatch*>(sockets)->forget(socket);
  return ::close(socket);
}

}  // namespace plimsoll
