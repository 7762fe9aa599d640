#include "rpc/listener.h"

#include <sys/socket.h>

#include <string>
#include <utility>

#include <boost/asio/socket_base.hpp>

#include "rpc/http1_text.h"

namespace plimsoll::rpc {

namespace {

using boost::asio::ip::tcp;

std::shared_ptr<const Peer> peer_of(const tcp::socket& socket, bool encrypted) {
  boost::system::error_code error;
  const tcp::endpoint remote = socket.remote_endpoint(error);
  std::string address = "unknown";
  if (!error) {
    address = remote.address().to_string();
    if (remote.address().is_v6()) address = "[" + address + "]";
    address += ":" + std::to_string(remote.port());
  }
  return std::make_shared<const Peer>(Peer{.address = std::move(address), .encrypted = encrypted});
}

// Best effort, without waiting: the socket's buffer is empty, so it fits.
void refuse_full(tcp::socket& socket) {
  Response response{.status = 503};
  response.headers.add("content-type", "application/json");
  response.body = R"({"code":"unavailable","message":"the server has too many connections"})";
  const std::string text = http1_head(response, ConnectionFate::kEnds) + response.body;
  ::send(socket.native_handle(), text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  boost::system::error_code ignored;
  socket.shutdown(tcp::socket::shutdown_send, ignored);
}

}  // namespace

Listener::Listener(const std::vector<std::unique_ptr<EventLoop>>& loops,
                   const ListenerContext& context, tcp::endpoint endpoint)
    : loops_(loops),
      context_(context),
      endpoint_(std::move(endpoint)),
      acceptor_(loops.front()->io()),
      retry_(loops.front()->io()) {}

Result<void> Listener::open() {
  boost::system::error_code error;
  acceptor_.open(endpoint_.protocol(), error);
  if (!error) acceptor_.set_option(boost::asio::socket_base::reuse_address(true), error);
  if (!error) acceptor_.bind(endpoint_, error);
  if (!error) acceptor_.listen(boost::asio::socket_base::max_listen_connections, error);
  if (!error) port_ = acceptor_.local_endpoint(error).port();
  if (!error) return {};
  return std::unexpected(Error{.code = ErrorCode::kInfrastructure,
                               .message = "cannot listen on " + endpoint_.address().to_string() +
                                          " port " + std::to_string(endpoint_.port()) + ": " +
                                          error.message()});
}

void Listener::accept() {
  EventLoop& loop = *loops_[next_++ % loops_.size()];
  EventLoop& first = *loops_.front();
  const auto accepted = [this, &loop, &first](const auto& error, tcp::socket socket) {
    if (error == boost::asio::error::operation_aborted || !acceptor_.is_open()) return;
    if (error) {
      // Out of descriptors, say: not at once again.
      retry_.expires_after(std::chrono::milliseconds(100));
      retry_.async_wait(first.in_turn([this](const auto& canceled) {
        if (!canceled && acceptor_.is_open()) accept();
      }));
      return;
    }
    on_accepted(loop, std::move(socket));
    accept();
  };
  acceptor_.async_accept(loop.io(), first.in_turn(accepted));
}

void Listener::on_accepted(EventLoop& loop, tcp::socket socket) {
  const ServerCore& core = context_.core;
  if (core.connections.load(std::memory_order_relaxed) >= core.limits.connections) {
    if (!context_.tls) refuse_full(socket);
    return;
  }
  auto peer = peer_of(socket, context_.tls != nullptr);
  auto connection =
      std::make_shared<Connection>(loop, context_, std::move(socket), std::move(peer));
  loop.post([&loop, connection = std::move(connection)] { loop.serve(connection); });
}

void Listener::close() {
  boost::system::error_code ignored;
  acceptor_.close(ignored);
  retry_.cancel();
}

}  // namespace plimsoll::rpc
