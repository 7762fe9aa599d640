// Serves methods and endpoints on one or more ports.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "plimsoll/result.h"
#include "rpc/options.h"

namespace plimsoll::rpc {

// One thread starts, drains and stops it; the destructor stops it. Health (grpc.health.v1) is a
// method that the owner adds (rpc/health.h); reflection is served to callers on every listener with
// methods.
class Server {
 public:
  // kInvalidConfig: an address that is none, a TLS file, two things at one path. Nothing listens
  // yet.
  [[nodiscard]] static Result<std::unique_ptr<Server>> create(const ServerOptions& options);
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  ~Server();

  // Listens on every address, then serves. kInfrastructure: an address is taken or may not be used.
  [[nodiscard]] Result<void> start();
  // The port of the listener with that index in the options. Since start().
  [[nodiscard]] std::uint16_t port(std::size_t listener) const;

  // Closes the listeners, ends idle connections; new calls on others are refused as unavailable,
  // while endpoints still answer.
  void stop_accepting();
  // After stop_accepting(): waits for the running calls, at most until `deadline`, then requests
  // their stop. Returns whether all ended by themselves.
  bool drain(SteadyTime deadline);
  // Requests the stop of running calls, waits for their handlers, ends every connection.
  // Idempotent.
  void stop();

  [[nodiscard]] std::size_t connections() const;
  [[nodiscard]] std::size_t calls_in_flight() const;

 private:
  class Impl;
  explicit Server(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace plimsoll::rpc
