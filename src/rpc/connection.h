// One accepted socket: moves bytes between it and a session, and finds out which session it needs.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <boost/asio/ip/tcp.hpp>

#include "rpc/core.h"
#include "rpc/event_loop.h"
#include "rpc/exchange.h"
#include "rpc/session.h"
#include "rpc/tls.h"

namespace plimsoll::rpc {

// What the connections of one listener share. Outlives them.
struct ListenerContext {
  ServerCore& core;
  Routes routes;
  std::shared_ptr<const TlsContext> tls;  // null: cleartext
};

// Lives in its loop's turns. Idle, it holds no buffer: bytes are read into the loop's. What is
// read from TLS or a socket goes to the session at once, what the session sends is written at once,
// and only what the socket does not take is kept.
class Connection final : public Wire,
                         public ExchangeFactory,
                         public std::enable_shared_from_this<Connection> {
 public:
  Connection(EventLoop& loop, const ListenerContext& listener, boost::asio::ip::tcp::socket socket,
             std::shared_ptr<const Peer> peer);
  ~Connection() override;

  void start();
  void tick();
  void drain();
  // Ends it at once.
  void abort() { shut(); }

  void send(std::string_view bytes) override;
  [[nodiscard]] std::size_t unsent() const noexcept override { return out_.size() - out_at_; }
  void finish() override;
  [[nodiscard]] SteadyTime now() const noexcept override { return loop_.now(); }

  [[nodiscard]] std::shared_ptr<Exchange> make(RequestHead head, Responder& responder) override;
  [[nodiscard]] bool draining() const noexcept override {
    return listener_.core.draining.load(std::memory_order_relaxed);
  }

 private:
  enum class Phase : std::uint8_t {
    kDetecting,  // which protocol?
    kServing,
    kFlushing,   // finish() was called; the rest is sent
    kLingering,  // all is sent and our side is shut; until the peer has closed, or a moment
    kShut,
  };

  void wait_readable();
  void wait_writable();
  void on_readable();
  void on_writable();
  void take(std::string_view bytes);
  void detect(std::string_view bytes);
  bool flush();
  void after_flush();
  void shut();
  void post_shut();

  EventLoop& loop_;
  const ListenerContext& listener_;
  boost::asio::ip::tcp::socket socket_;
  const std::shared_ptr<const Peer> peer_;
  std::optional<TlsChannel> tls_;
  std::unique_ptr<Session> session_;
  std::string detecting_;  // the first bytes, while they could be either protocol
  std::string out_;
  std::size_t out_at_ = 0;
  SteadyTime since_;     // of the phase
  SteadyTime progress_;  // when the peer last took something
  Phase phase_ = Phase::kDetecting;
  bool reading_ = false;
  bool writing_ = false;
  bool corked_ = false;  // within a read: what is sent is written when it ends
};

}  // namespace plimsoll::rpc
