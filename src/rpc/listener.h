// Accepts connections on one address and spreads them over the loops.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include "plimsoll/result.h"
#include "rpc/connection.h"
#include "rpc/event_loop.h"

namespace plimsoll::rpc {

// After open(), in the first loop's turns only. More than Limits::connections are told so and
// closed.
class Listener {
 public:
  Listener(const std::vector<std::unique_ptr<EventLoop>>& loops, const ListenerContext& context,
           boost::asio::ip::tcp::endpoint endpoint);

  [[nodiscard]] Result<void> open();
  [[nodiscard]] std::uint16_t port() const noexcept { return port_; }
  void accept();
  void close();

 private:
  void on_accepted(EventLoop& loop, boost::asio::ip::tcp::socket socket);

  const std::vector<std::unique_ptr<EventLoop>>& loops_;
  const ListenerContext& context_;
  const boost::asio::ip::tcp::endpoint endpoint_;
  boost::asio::ip::tcp::acceptor acceptor_;
  boost::asio::steady_timer retry_;
  std::size_t next_ = 0;
  std::uint16_t port_ = 0;
};

}  // namespace plimsoll::rpc
