// A connection's protocol: bytes in, bytes out, no sockets. So a test or a fuzzer drives it alone.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "rpc/handler.h"

namespace plimsoll::rpc {

// What a session writes to: its connection. On the connection's thread.
class Wire {
 public:
  Wire() = default;
  Wire(const Wire&) = delete;
  Wire& operator=(const Wire&) = delete;
  virtual ~Wire() = default;

  // Queues bytes and starts to send them.
  virtual void send(std::string_view bytes) = 0;
  // How many are queued and not sent.
  [[nodiscard]] virtual std::size_t unsent() const noexcept = 0;
  // Sends what is queued, then closes; what comes in meanwhile is dropped.
  virtual void finish() = 0;
  [[nodiscard]] virtual SteadyTime now() const noexcept = 0;
};

// Everything is called on the connection's thread, none of it from within a call of the wire.
class Session {
 public:
  Session() = default;
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  virtual ~Session() = default;

  // `bytes` came in; they are valid during the call.
  virtual void on_bytes(std::string_view bytes) = 0;
  // False: do not read; what was read is enough until an answer is given.
  [[nodiscard]] virtual bool wants_bytes() const noexcept = 0;
  // The queue of the wire has become empty.
  virtual void on_sent() = 0;
  // At intervals: looks at the deadlines.
  virtual void on_tick() = 0;
  // The server drains: ends what is idle, and the rest after its answer.
  virtual void on_drain() = 0;
  // The connection is gone. Nothing else is called afterwards but the destructor.
  virtual void on_closed() = 0;
};

}  // namespace plimsoll::rpc
