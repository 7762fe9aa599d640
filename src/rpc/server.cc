#include "rpc/server.h"

#include <google/protobuf/stubs/logging.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/ip/address.hpp>

#include "rpc/connection.h"
#include "rpc/core.h"
#include "rpc/event_loop.h"
#include "rpc/listener.h"
#include "rpc/reflection.h"

namespace plimsoll::rpc {

namespace {

std::unexpected<Error> invalid(std::string message) {
  return std::unexpected(Error{.code = ErrorCode::kInvalidConfig, .message = std::move(message)});
}

Result<Routes> make_routes(const ListenerOptions& options) {
  Routes routes;
  for (const Endpoint& endpoint : options.endpoints) {
    const auto [at, added] =
        routes.endpoints.emplace(endpoint.path, std::make_unique<KeptEndpoint>(endpoint));
    if (!added) return invalid("two endpoints at " + endpoint.path);
  }
  for (const Method& method : options.methods) {
    if (!method.path.starts_with('/') || method.request == nullptr || method.response == nullptr ||
        !method.handle) {
      return invalid("the method at " + method.path + " is not complete");
    }
    if (routes.endpoints.contains(method.path) ||
        !routes.methods.emplace(method.path, method).second) {
      return invalid("two things at " + method.path);
    }
    const std::string service = method.path.substr(1, method.path.rfind('/') - 1);
    if (std::ranges::find(routes.services, service) == routes.services.end()) {
      routes.services.push_back(service);
    }
  }
  routes.reflection.path = kReflectionPath;
  if (!options.methods.empty()) {
    const std::string_view name = kReflectionPath.substr(1);
    routes.services.emplace_back(name.substr(0, name.rfind('/')));
  }
  return routes;
}

}  // namespace

class Server::Impl {
 public:
  explicit Impl(const ServerOptions& options) : core(options) {
    for (std::size_t i = 0; i < options.io_threads; ++i) {
      loops.push_back(std::make_unique<EventLoop>(core.limits, core.workers));
    }
  }

  ServerCore core;
  std::vector<std::unique_ptr<ListenerContext>> contexts;
  std::vector<std::unique_ptr<EventLoop>> loops;
  std::vector<std::unique_ptr<Listener>> listeners;
  bool running = false;
};

Server::Server(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Server::~Server() { stop(); }

Result<std::unique_ptr<Server>> Server::create(const ServerOptions& options) {
  // Protobuf writes what a peer got wrong to standard error; that is the peer's to know.
  google::protobuf::SetLogHandler(nullptr);
  if (options.io_threads < 1 || options.io_threads > 16) return invalid("io_threads is 1 to 16");
  auto impl = std::make_unique<Impl>(options);
  for (const ListenerOptions& listener : options.listeners) {
    boost::system::error_code error;
    const auto address = boost::asio::ip::make_address(listener.address, error);
    if (error) return invalid("not an IP address: " + listener.address);
    auto routes = make_routes(listener);
    if (!routes) return std::unexpected(std::move(routes.error()));
    std::shared_ptr<const TlsContext> tls;
    if (!listener.tls.empty()) {
      auto loaded = TlsContext::load(listener.tls);
      if (!loaded) return std::unexpected(std::move(loaded.error()));
      tls = *std::move(loaded);
    }
    impl->contexts.push_back(std::make_unique<ListenerContext>(
        ListenerContext{.core = impl->core, .routes = *std::move(routes), .tls = std::move(tls)}));
    impl->listeners.push_back(
        std::make_unique<Listener>(impl->loops, *impl->contexts.back(),
                                   boost::asio::ip::tcp::endpoint(address, listener.port)));
  }
  return std::unique_ptr<Server>(new Server(std::move(impl)));
}

Result<void> Server::start() {
  for (const auto& listener : impl_->listeners) {
    if (auto opened = listener->open(); !opened) return opened;
  }
  for (const auto& listener : impl_->listeners) listener->accept();
  for (const auto& loop : impl_->loops) loop->start();
  impl_->running = true;
  return {};
}

std::uint16_t Server::port(std::size_t listener) const {
  return impl_->listeners.at(listener)->port();
}

void Server::stop_accepting() {
  impl_->core.draining.store(true);
  if (!impl_->running) return;
  impl_->loops.front()->enter([this] {
    for (const auto& listener : impl_->listeners) listener->close();
  });
  for (const auto& loop : impl_->loops) {
    loop->post([&loop = *loop] { loop.drain(); });
  }
}

bool Server::drain(SteadyTime deadline) {
  if (impl_->core.calls.wait_none(deadline)) return true;
  impl_->core.calls.stop_all();
  return false;
}

void Server::stop() {
  if (!impl_->running) return;
  stop_accepting();
  impl_->running = false;
  impl_->core.calls.stop_all();
  impl_->core.workers.finish();
  impl_->core.aside.stop();
  // What was to be answered is answered.
  for (const auto& loop : impl_->loops) loop->stop();
  impl_->core.workers.stop();
}

std::size_t Server::connections() const { return impl_->core.connections.load(); }
std::size_t Server::calls_in_flight() const { return impl_->core.calls.count(); }

}  // namespace plimsoll::rpc
