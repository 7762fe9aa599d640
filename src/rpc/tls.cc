#include "rpc/tls.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <climits>
#include <new>
#include <string>

namespace plimsoll::rpc {

namespace {

// ALPN's wire format, in our order of preference.
constexpr std::string_view kProtocols = "\x02h2\x08http/1.1";

int choose_protocol(SSL*, const unsigned char** out, unsigned char* out_size,
                    const unsigned char* offered, unsigned offered_size, void*) {
  unsigned char* chosen = nullptr;
  const auto* ours = reinterpret_cast<const unsigned char*>(kProtocols.data());
  const int result = SSL_select_next_proto(
      &chosen, out_size, ours, static_cast<unsigned>(kProtocols.size()), offered, offered_size);
  *out = chosen;
  // RFC 7301 section 3.2: a client that speaks neither is told so.
  return result == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

std::unexpected<Error> failed(const std::string& what, const std::string& file) {
  std::array<char, 256> reason{};
  ERR_error_string_n(ERR_get_error(), reason.data(), reason.size());
  ERR_clear_error();
  return std::unexpected(Error{.code = ErrorCode::kInvalidConfig,
                               .message = what + " " + file + ": " + reason.data()});
}

Transfer from_errno() noexcept {
  if (errno == EAGAIN || errno == EINTR) return {.state = Transfer::State::kWantRead};
  return {.state = Transfer::State::kFailed};
}

Transfer from_ssl(SSL* ssl, int result) noexcept {
  switch (SSL_get_error(ssl, result)) {
    case SSL_ERROR_WANT_READ:
      return {.state = Transfer::State::kWantRead};
    case SSL_ERROR_WANT_WRITE:
      return {.state = Transfer::State::kWantWrite};
    case SSL_ERROR_ZERO_RETURN:
      return {.state = Transfer::State::kEnded};
    default:
      ERR_clear_error();
      return {.state = Transfer::State::kFailed};
  }
}

int clamp(std::size_t size) noexcept {
  return static_cast<int>(std::min<std::size_t>(size, INT_MAX));
}

}  // namespace

void TlsContext::Free::operator()(ssl_ctx_st* context) const noexcept { SSL_CTX_free(context); }
void TlsChannel::Free::operator()(ssl_st* ssl) const noexcept { SSL_free(ssl); }

Result<std::shared_ptr<const TlsContext>> TlsContext::load(const TlsFiles& files) {
  std::unique_ptr<ssl_ctx_st, Free> context(SSL_CTX_new(TLS_server_method()));
  if (!context) throw std::bad_alloc();
  SSL_CTX* raw = context.get();
  SSL_CTX_set_min_proto_version(raw, TLS1_2_VERSION);
  SSL_CTX_set_options(raw, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION |
                               SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_IGNORE_UNEXPECTED_EOF);
  SSL_CTX_set_mode(raw, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE |
                            SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_session_cache_mode(raw, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_alpn_select_cb(raw, choose_protocol, nullptr);
  if (SSL_CTX_use_certificate_chain_file(raw, files.certificate_chain.c_str()) != 1) {
    return failed("the TLS certificate", files.certificate_chain);
  }
  if (SSL_CTX_use_PrivateKey_file(raw, files.private_key.c_str(), SSL_FILETYPE_PEM) != 1) {
    return failed("the TLS key", files.private_key);
  }
  if (SSL_CTX_check_private_key(raw) != 1) {
    return failed("the TLS key does not fit the certificate:", files.private_key);
  }
  return std::shared_ptr<const TlsContext>(new TlsContext(std::move(context)));
}

Transfer plain_read(int socket, std::span<char> buffer) noexcept {
  const ssize_t size = ::recv(socket, buffer.data(), buffer.size(), 0);
  if (size > 0) return {.state = Transfer::State::kDone, .size = static_cast<std::size_t>(size)};
  if (size == 0) return {.state = Transfer::State::kEnded};
  return from_errno();
}

Transfer plain_write(int socket, std::string_view bytes) noexcept {
  const ssize_t size = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  if (size >= 0) return {.state = Transfer::State::kDone, .size = static_cast<std::size_t>(size)};
  Transfer result = from_errno();
  if (result.state == Transfer::State::kWantRead) result.state = Transfer::State::kWantWrite;
  return result;
}

TlsChannel::TlsChannel(const TlsContext& context, int socket)
    : ssl_(SSL_new(context.context_.get())) {
  if (!ssl_ || SSL_set_fd(ssl_.get(), socket) != 1) throw std::bad_alloc();
  SSL_set_accept_state(ssl_.get());
}

Transfer TlsChannel::read(std::span<char> buffer) noexcept {
  const int size = SSL_read(ssl_.get(), buffer.data(), clamp(buffer.size()));
  if (size > 0) return {.state = Transfer::State::kDone, .size = static_cast<std::size_t>(size)};
  return from_ssl(ssl_.get(), size);
}

Transfer TlsChannel::write(std::string_view bytes) noexcept {
  const int size = SSL_write(ssl_.get(), bytes.data(), clamp(bytes.size()));
  if (size > 0) return {.state = Transfer::State::kDone, .size = static_cast<std::size_t>(size)};
  return from_ssl(ssl_.get(), size);
}

bool TlsChannel::handshaken() const noexcept { return SSL_is_init_finished(ssl_.get()) != 0; }

std::string_view TlsChannel::alpn() const noexcept {
  const unsigned char* name = nullptr;
  unsigned size = 0;
  SSL_get0_alpn_selected(ssl_.get(), &name, &size);
  return {reinterpret_cast<const char*>(name), size};
}

void TlsChannel::shut_down() noexcept {
  SSL_shutdown(ssl_.get());
  ERR_clear_error();
}

}  // namespace plimsoll::rpc
