#include "rpc/connection.h"

#include <sys/socket.h>

#include <algorithm>
#include <utility>

#include "rpc/http1_session.h"
#include "rpc/http2_session.h"
#include "rpc/plain_exchange.h"
#include "rpc/reflection_exchange.h"
#include "rpc/unary_exchange.h"

namespace plimsoll::rpc {

namespace {

// RFC 9113 section 3.4: what an HTTP/2 client says first.
constexpr std::string_view kPreface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
// A peer that sends while it is refused has this long to read why.
constexpr std::chrono::milliseconds kLinger{1000};
// Reads in a row before other connections get their turn.
constexpr int kMaxReads = 4;

}  // namespace

Connection::Connection(EventLoop& loop, const ListenerContext& listener,
                       boost::asio::ip::tcp::socket socket, std::shared_ptr<const Peer> peer)
    : loop_(loop),
      listener_(listener),
      socket_(std::move(socket)),
      peer_(std::move(peer)),
      since_(loop.now()),
      progress_(since_) {
  listener_.core.connections.fetch_add(1, std::memory_order_relaxed);
}

Connection::~Connection() { listener_.core.connections.fetch_sub(1, std::memory_order_relaxed); }

void Connection::start() {
  boost::system::error_code ignored;
  socket_.native_non_blocking(true, ignored);
  socket_.set_option(boost::asio::ip::tcp::no_delay(true), ignored);
  if (listener_.tls) tls_.emplace(*listener_.tls, socket_.native_handle());
  wait_readable();
}

void Connection::wait_readable() {
  if (reading_ || phase_ == Phase::kShut) return;
  reading_ = true;
  socket_.async_wait(boost::asio::ip::tcp::socket::wait_read,
                     loop_.in_turn([self = shared_from_this()](const auto& error) {
                       self->reading_ = false;
                       if (!error) self->on_readable();
                     }));
}

void Connection::wait_writable() {
  if (writing_ || phase_ == Phase::kShut) return;
  writing_ = true;
  socket_.async_wait(boost::asio::ip::tcp::socket::wait_write,
                     loop_.in_turn([self = shared_from_this()](const auto& error) {
                       self->writing_ = false;
                       if (!error) self->on_writable();
                     }));
}

void Connection::on_readable() {
  corked_ = true;
  bool again = true;  // wait for more
  for (int i = 0; i < kMaxReads && phase_ != Phase::kShut; ++i) {
    if (phase_ == Phase::kServing && !session_->wants_bytes()) {
      again = false;
      break;
    }
    const std::span<char> buffer = loop_.read_buffer();
    const Transfer got = tls_ ? tls_->read(buffer) : plain_read(socket_.native_handle(), buffer);
    if (got.state == Transfer::State::kWantRead) break;
    if (got.state == Transfer::State::kWantWrite) {
      wait_writable();
      break;
    }
    if (got.state != Transfer::State::kDone) {
      shut();
      break;
    }
    take({buffer.data(), got.size});
    // A short read of a socket has emptied it; TLS may hold more.
    if (!tls_ && got.size < buffer.size()) break;
  }
  corked_ = false;
  if (phase_ == Phase::kShut || !flush()) return;
  if (again) wait_readable();
}

void Connection::take(std::string_view bytes) {
  if (phase_ == Phase::kDetecting) {
    detect(bytes);
  } else if (phase_ == Phase::kServing) {
    session_->on_bytes(bytes);
  }
}

void Connection::detect(std::string_view bytes) {
  detecting_ += bytes;
  const std::string_view alpn = tls_ ? tls_->alpn() : std::string_view{};
  const std::size_t size = std::min(detecting_.size(), kPreface.size());
  const bool could_be = detecting_.compare(0, size, kPreface, 0, size) == 0;
  if (alpn.empty() && could_be && size < kPreface.size()) return;
  // What ALPN has said is kept to.
  const bool http2 = alpn.empty() ? could_be : alpn == "h2";
  const Limits& limits = listener_.core.limits;
  if (http2) {
    session_ = std::make_unique<Http2Session>(limits, *this, *this);
  } else {
    session_ = std::make_unique<Http1Session>(limits, *this, *this);
  }
  if (phase_ == Phase::kDetecting) phase_ = Phase::kServing;
  session_->on_bytes(std::exchange(detecting_, {}));
}

void Connection::send(std::string_view bytes) {
  if (phase_ == Phase::kShut) return;
  if (out_.empty()) progress_ = loop_.now();
  out_ += bytes;
  if (!corked_ && !flush()) return;
}

bool Connection::flush() {
  while (out_at_ < out_.size()) {
    const std::string_view rest = std::string_view(out_).substr(out_at_);
    const Transfer put = tls_ ? tls_->write(rest) : plain_write(socket_.native_handle(), rest);
    if (put.state == Transfer::State::kDone) {
      out_at_ += put.size;
      progress_ = loop_.now();
    } else if (put.state == Transfer::State::kWantWrite ||
               put.state == Transfer::State::kWantRead) {
      if (put.state == Transfer::State::kWantWrite) wait_writable();
      if (out_at_ > out_.size() / 2) out_.erase(0, std::exchange(out_at_, 0));
      return true;
    } else {
      post_shut();
      return false;
    }
  }
  out_.clear();
  if (out_.capacity() > 4096) out_ = {};
  out_at_ = 0;
  after_flush();
  return true;
}

void Connection::after_flush() {
  if (phase_ == Phase::kFlushing) {
    if (tls_) tls_->shut_down();
    boost::system::error_code ignored;
    socket_.shutdown(boost::asio::ip::tcp::socket::shutdown_send, ignored);
    phase_ = Phase::kLingering;
    since_ = loop_.now();
    wait_readable();
  } else if (phase_ == Phase::kServing && session_->wants_bytes()) {
    // After an answer the session may want what it has left in the socket.
    wait_readable();
  }
}

void Connection::on_writable() {
  if (phase_ == Phase::kShut) return;
  if (!flush() || !out_.empty() || phase_ != Phase::kServing) return;
  session_->on_sent();
  if (phase_ == Phase::kServing && session_->wants_bytes()) wait_readable();
}

void Connection::finish() {
  if (phase_ == Phase::kShut || phase_ == Phase::kFlushing || phase_ == Phase::kLingering) return;
  phase_ = Phase::kFlushing;
  if (!corked_) flush();
}

void Connection::tick() {
  const SteadyTime now = loop_.now();
  const Limits& limits = listener_.core.limits;
  if (unsent() != 0 && now - progress_ >= limits.write_stall) return shut();
  switch (phase_) {
    case Phase::kDetecting: {
      // A handshake is as slow as a head may be; a connection that says nothing is idle.
      const bool silent = !tls_ && detecting_.empty();
      if (now - since_ >= (silent ? limits.idle : limits.header_read)) shut();
      return;
    }
    case Phase::kServing:
      session_->on_tick();
      return;
    case Phase::kLingering:
      if (now - since_ >= kLinger) shut();
      return;
    case Phase::kFlushing:
    case Phase::kShut:
      return;
  }
}

void Connection::drain() {
  if (phase_ == Phase::kDetecting) return shut();
  if (phase_ == Phase::kServing) session_->on_drain();
}

void Connection::post_shut() {
  // The session may be in a call of ours; it is told when that has ended.
  loop_.post([self = shared_from_this()] { self->shut(); });
}

void Connection::shut() {
  if (phase_ == Phase::kShut) return;
  phase_ = Phase::kShut;
  out_ = {};
  out_at_ = 0;
  if (session_) session_->on_closed();
  boost::system::error_code ignored;
  socket_.close(ignored);
  loop_.remove(*this);
}

std::shared_ptr<Exchange> Connection::make(RequestHead head, Responder& responder) {
  ServerCore& core = listener_.core;
  const Routes& routes = listener_.routes;
  if (const auto method = routes.methods.find(head.path); method != routes.methods.end()) {
    return std::make_shared<UnaryExchange>(core, loop_, peer_, method->second, std::move(head),
                                           responder);
  }
  if (!routes.methods.empty() && head.path == routes.reflection.path &&
      ReflectionExchange::takes(head)) {
    return std::make_shared<ReflectionExchange>(core, routes, peer_, std::move(head), responder);
  }
  const auto endpoint = routes.endpoints.find(head.path);
  return std::make_shared<PlainExchange>(
      core, loop_, endpoint == routes.endpoints.end() ? nullptr : endpoint->second.get(), head,
      responder);
}

}  // namespace plimsoll::rpc
