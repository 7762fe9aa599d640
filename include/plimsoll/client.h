// Runs code on a plimsoll service as Sandbox runs it in the process: the same request, the same
// outcome, the same errors; and believes no answer that it cannot check.
//
//   auto token = plimsoll::BearerToken::from_file("/etc/agent/plimsoll.token");
//   if (!token) ...                              // token.error().message
//   auto client = plimsoll::Client::build({.base_url = "https://sandbox.example:8443",
//                                          .token = *token});
//   if (!client) ...                             // client.error().message lists every mistake
//   auto answer = client->run_javascript({.code = "console.log(6*7)",
//                                         .minimum_isolation = plimsoll::Isolation::kProcess});
//   if (answer) use(answer->outcome.stdout_bytes);
//
// What each answer has to stand, before it is handed out: its record's digests are recomputed from
// the very request and the very result, and the evidence that came with it has to meet the floor.
// What does not is kRecordMismatch or kEvidenceMismatch, with the answer attached for a look.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "plimsoll/bearer_token.h"
#include "plimsoll/description.h"
#include "plimsoll/outcome.h"
#include "plimsoll/request.h"
#include "plimsoll/result.h"
#include "plimsoll/run_record.h"

namespace plimsoll {

// kHttp2 is by prior knowledge over cleartext, and offered by ALPN over TLS, where the service may
// choose HTTP/1.1 instead.
enum class HttpVersion : std::uint8_t { kHttp1, kHttp2 };

// Where a token may travel without TLS.
enum class Cleartext : std::uint8_t {
  kLoopbackOnly,      // to 127.0.0.0/8, ::1 and localhost, which is not looked up
  kInsecureAnywhere,  // whoever is on the way reads the token, the code and the output
};

// How an answer may be encoded. kGzip costs both sides about 0.1 ms for any answer from 1 KiB on,
// and pays for long outputs over slow networks.
enum class AnswerEncoding : std::uint8_t { kIdentity, kGzip };

// Everything that Client::build() checks. Neither a proxy nor authorities are taken from the
// environment.
struct ClientConfig {
  // An origin and nothing more: "http://" or "https://", a host, and perhaps a port.
  std::string base_url;
  BearerToken token;
  // The certificate authorities that are trusted, a PEM file of at most 4 MiB. Empty: the system's.
  std::string ca_file{};
  HttpVersion http_version = HttpVersion::kHttp1;
  Cleartext cleartext = Cleartext::kLoopbackOnly;
  AnswerEncoding answer_encoding = AnswerEncoding::kIdentity;
  // For the name, the connection and the TLS handshake together; 1 ms to 60 s.
  Millis connect_timeout{5'000};
  // What a call may take beyond its run: 1 ms to 60 s. The whole call of run_javascript() ends
  // after twice the run's timeout (the line before it, and the run) and this.
  Millis slack{10'000};
  // Connections that are kept open between calls; 0 to 1024. Calls at once are not limited by it.
  std::size_t max_idle_connections = 64;
};

// What is about one call and not about its run.
struct CallOptions {
  // A request on it, from any thread, ends the call within milliseconds: kCanceled. The connection
  // (HTTP/2: the stream) is closed, by which the service knows to kill the run.
  std::stop_token cancel{};
  // The call ends at this point in time at the latest, whatever the run's timeout.
  std::optional<std::chrono::steady_clock::time_point> deadline{};
  // For the service's audit log: 1 to 64 bytes of [A-Za-z0-9._:-], or empty.
  std::string trace_id{};
  // Of a run: the service's grant profile whose API the code may call; 1 to 128 bytes of
  // [A-Za-z0-9._-], or empty for none. RunRequest::grant is for Sandbox, and refused here: only the
  // service's operator defines grants.
  std::string grant_profile{};
};

// What came back of a run, every part of it checked against the record.
struct RemoteOutcome {
  Outcome outcome{};
  RunRecord record{};               // worth keeping: record_sha256 names this very run
  std::string environment{};        // a content address of what executed the code
  std::string software_identity{};  // empty: not stated
};

// An Error as Sandbox has them, and what only a service can add.
//   not_dispatched  set when nothing ran, beyond doubt: the service said so in the detail that is
//                   made for it, or no byte of the request had left. Everything else may have run.
//   kUnreachable    there was no connection; not_dispatched is kEnvironment
//   kUnauthenticated, kPermission        the token is not known; the caller may not do this
//   kRecordMismatch, kEvidenceMismatch   the answer does not hold; never retry, and look why
//   kInfrastructure with not_dispatched  no TLS connection that can be trusted
//   kInfrastructure                      no answer in time, or none that makes sense
struct ClientError : Error {
  // When to come back, in the service's words.
  std::optional<Millis> retry_after{};
  // Of a mismatch only: what was answered. Do not act upon it.
  std::optional<RemoteOutcome> answered{};
};

// The value, or why there is none.
template <class T>
using ClientResult = std::expected<T, ClientError>;

// Threads: every method may be called from any thread, concurrently; each call has a connection of
// its own while it lasts, and leaves it for the next one. Nothing here throws, but for
// std::bad_alloc. No call may be in flight at destruction. Redirects are not followed, cookies not
// kept; an answer is given up at 32 MiB, inflated or not.
class Client {
 public:
  // Checks the whole configuration, reads ca_file, and connects to nothing. Errors: kInvalidConfig,
  // every mistake named.
  [[nodiscard]] static Result<Client> build(const ClientConfig& config);

  Client(Client&&) noexcept;
  Client& operator=(Client&&) noexcept;
  ~Client();

  // Runs one snippet and waits for its end. A request that cannot be right is refused without a
  // connection (kInvalidRequest), also one with a `caller`: the token says who calls.
  [[nodiscard]] ClientResult<RemoteOutcome> run_javascript(const RunRequest& request,
                                                           const CallOptions& options = {});

  // What the service serves. Runs nothing, whatever the error says.
  [[nodiscard]] ClientResult<Description> describe(const CallOptions& options = {});

 private:
  class Calls;
  explicit Client(std::unique_ptr<Calls> calls);

  std::unique_ptr<Calls> calls_;
};

}  // namespace plimsoll
