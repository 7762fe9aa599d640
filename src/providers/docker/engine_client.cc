#include "providers/docker/engine_client.h"

#include <fmt/format.h>

#include <utility>

#include "broker/sigpipe_block.h"
#include "providers/docker/attached_stream.h"
#include "providers/docker/curl_library.h"
#include "providers/docker/failure.h"

namespace plimsoll::docker {

namespace {

constexpr std::size_t kMaxIdle = 8;  // connections kept
constexpr std::string_view kNoLibrary =
    "libcurl.so.4 (Debian's package libcurl4) could not be loaded, or has no memory";

CurlHandle new_handle() noexcept {
  const CurlLibrary* const curl = curl_library();
  return CurlHandle(curl != nullptr ? curl->easy_init() : nullptr);
}

struct FreeList {
  void operator()(curl_slist* list) const noexcept { curl_library()->slist_free_all(list); }
};

struct Body {
  std::string bytes{};
  std::size_t most = 0;
  bool too_large = false;
};

std::size_t on_body(char* data, std::size_t, std::size_t count, void* self) {
  Body& body = *static_cast<Body*>(self);
  if (count > body.most - body.bytes.size()) {
    body.too_large = true;
    return 0;  // libcurl ends the exchange
  }
  body.bytes.append(data, count);
  return count;
}

// Called by libcurl once a second at least; other than 0 ends the exchange.
int on_progress(void* self, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  return static_cast<const std::stop_token*>(self)->stop_requested() ? 1 : 0;
}

class Options {
 public:
  explicit Options(CURL* handle) noexcept : handle_(handle) {}
  template <class Value>
  void set(CURLoption option, Value value) {
    sound_ = curl_library()->easy_setopt(handle_, option, value) == CURLE_OK && sound_;
  }
  [[nodiscard]] bool sound() const noexcept { return sound_; }

 private:
  CURL* handle_;
  bool sound_ = true;
};

std::unexpected<Error> unreachable(const Endpoint& endpoint, std::string_view method,
                                   std::string_view why) {
  return not_ready(fmt::format("the container engine at {} did not answer a {}: {}",
                               endpoint.is_local() ? endpoint.socket_path : endpoint.base_url,
                               method, why));
}

}  // namespace

CurlHandle EngineClient::take_handle() {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      CurlHandle handle = std::move(idle_.back());
      idle_.pop_back();
      return handle;
    }
  }
  return new_handle();
}

void EngineClient::give_back(CurlHandle handle) {
  curl_library()->easy_reset(handle.get());  // keeps the connection
  const std::lock_guard lock(mutex_);
  if (idle_.size() < kMaxIdle) idle_.push_back(std::move(handle));
}

bool EngineClient::set_connection(CURL* handle, const std::string& path) const {
  Options options(handle);
  options.set(CURLOPT_URL, (endpoint_.base_url + path).c_str());
  options.set(CURLOPT_PATH_AS_IS, 1L);
  options.set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  options.set(CURLOPT_PROTOCOLS_STR, endpoint_.is_local() ? "http" : "https");
  options.set(CURLOPT_FOLLOWLOCATION, 0L);
  options.set(CURLOPT_PROXY, "");  // also when the environment names one
  options.set(CURLOPT_NETRC, static_cast<long>(CURL_NETRC_IGNORED));
  options.set(CURLOPT_NOSIGNAL, 1L);
  options.set(CURLOPT_HTTP09_ALLOWED, 0L);
  if (endpoint_.is_local()) {
    options.set(CURLOPT_UNIX_SOCKET_PATH, endpoint_.socket_path.c_str());
  } else {
    options.set(CURLOPT_SSL_VERIFYPEER, 1L);
    options.set(CURLOPT_SSL_VERIFYHOST, 2L);
    options.set(CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
    options.set(CURLOPT_CAINFO, endpoint_.ca_file.c_str());
    options.set(CURLOPT_SSLCERT, endpoint_.cert_file.c_str());
    options.set(CURLOPT_SSLKEY, endpoint_.key_file.c_str());
  }
  return options.sound();
}

Result<EngineAnswer> EngineClient::call(const EngineCall& call) {
  CurlHandle handle = take_handle();
  if (handle == nullptr || !set_connection(handle.get(), call.path)) {
    return unreachable(endpoint_, call.method, kNoLibrary);
  }
  Body body{.most = call.max_answer_bytes};
  std::unique_ptr<curl_slist, FreeList> fields(curl_library()->slist_append(nullptr, "Expect:"));
  if (fields == nullptr ||
      curl_library()->slist_append(fields.get(), "Content-Type: application/json") == nullptr) {
    return unreachable(endpoint_, call.method, kNoLibrary);
  }
  const std::string method(call.method);
  Options options(handle.get());
  options.set(CURLOPT_CUSTOMREQUEST, method.c_str());
  options.set(CURLOPT_HTTPHEADER, fields.get());
  options.set(CURLOPT_TIMEOUT_MS, static_cast<long>(call.timeout.count()));
  options.set(CURLOPT_WRITEFUNCTION, &on_body);
  options.set(CURLOPT_WRITEDATA, static_cast<void*>(&body));
  std::stop_token cancel = call.cancel;
  if (cancel.stop_possible()) {
    options.set(CURLOPT_NOPROGRESS, 0L);
    options.set(CURLOPT_XFERINFOFUNCTION, &on_progress);
    options.set(CURLOPT_XFERINFODATA, static_cast<void*>(&cancel));
  }
  if (method == "POST") {
    options.set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(call.body.size()));
    options.set(CURLOPT_POSTFIELDS, call.body.c_str());
  }
  if (!options.sound()) return unreachable(endpoint_, call.method, "libcurl refused an option");

  const SigpipeBlock no_sigpipe;
  const CURLcode code = curl_library()->easy_perform(handle.get());
  if (body.too_large) return unreachable(endpoint_, call.method, "the answer is too large");
  // A handle whose exchange failed is not used again: its connection is in doubt.
  if (code != CURLE_OK)
    return unreachable(endpoint_, call.method, curl_library()->easy_strerror(code));
  long status = 0;
  curl_library()->easy_getinfo(handle.get(), CURLINFO_RESPONSE_CODE, &status);
  give_back(std::move(handle));
  return EngineAnswer{.status = static_cast<unsigned>(status), .body = std::move(body.bytes)};
}

Result<std::unique_ptr<guest::ByteStream>> EngineClient::hijack(const std::string& path,
                                                                std::chrono::milliseconds timeout) {
  CurlHandle handle = new_handle();
  if (handle == nullptr || !set_connection(handle.get(), path)) {
    return unreachable(endpoint_, "POST", kNoLibrary);
  }
  const auto until = std::chrono::steady_clock::now() + timeout;
  Options options(handle.get());
  options.set(CURLOPT_CONNECT_ONLY, 1L);
  options.set(CURLOPT_TIMEOUT_MS, static_cast<long>(timeout.count()));
  if (!options.sound()) return unreachable(endpoint_, "POST", "libcurl refused an option");
  const SigpipeBlock no_sigpipe;
  if (const CURLcode code = curl_library()->easy_perform(handle.get()); code != CURLE_OK) {
    return unreachable(endpoint_, "POST", curl_library()->easy_strerror(code));
  }
  return AttachedStream::upgrade(std::move(handle), path, until);
}

}  // namespace plimsoll::docker
