// TLS by OpenSSL over a non-blocking socket.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "plimsoll/result.h"
#include "rpc/options.h"

struct ssl_ctx_st;
struct ssl_st;

namespace plimsoll::rpc {

// A certificate chain and its key. TLS 1.2 or newer, no renegotiation, ALPN: "h2" before
// "http/1.1". Immutable; shared by connections.
class TlsContext {
 public:
  // kInvalidConfig, with the file's name: not readable, not PEM, or a key of another certificate.
  [[nodiscard]] static Result<std::shared_ptr<const TlsContext>> load(const TlsFiles& files);

 private:
  friend class TlsChannel;
  struct Free {
    void operator()(ssl_ctx_st* context) const noexcept;
  };
  explicit TlsContext(std::unique_ptr<ssl_ctx_st, Free> context) : context_(std::move(context)) {}
  std::unique_ptr<ssl_ctx_st, Free> context_;
};

// What came of a read or write that does not block.
struct Transfer {
  enum class State : std::uint8_t {
    kDone,       // `size` bytes
    kWantRead,   // again when the socket is readable
    kWantWrite,  // again when it is writable
    kEnded,      // the peer closed
    kFailed,
  };
  State state = State::kFailed;
  std::size_t size = 0;
};

// recv() and send() on a non-blocking socket. Never raises SIGPIPE.
[[nodiscard]] Transfer plain_read(int socket, std::span<char> buffer) noexcept;
[[nodiscard]] Transfer plain_write(int socket, std::string_view bytes) noexcept;

// One connection's TLS. The socket stays the caller's. Handshakes within read().
class TlsChannel {
 public:
  TlsChannel(const TlsContext& context, int socket);
  [[nodiscard]] Transfer read(std::span<char> buffer) noexcept;
  [[nodiscard]] Transfer write(std::string_view bytes) noexcept;
  [[nodiscard]] bool handshaken() const noexcept;
  // "h2", "http/1.1" or empty. Valid while the channel is.
  [[nodiscard]] std::string_view alpn() const noexcept;
  // Says goodbye, best effort.
  void shut_down() noexcept;

 private:
  struct Free {
    void operator()(ssl_st* ssl) const noexcept;
  };
  std::unique_ptr<ssl_st, Free> ssl_;
};

}  // namespace plimsoll::rpc
