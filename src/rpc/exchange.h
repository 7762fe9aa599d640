// One request and its answer, without regard to the HTTP version: the seam between the sessions,
// which know bytes, and what is served.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "rpc/handler.h"
#include "rpc/http.h"

namespace plimsoll::rpc {

// The way back to the peer, for one exchange. Implemented by the sessions. Only used in a turn of
// the connection's loop, and not after Exchange::on_gone().
class Responder {
 public:
  Responder() = default;
  Responder(const Responder&) = delete;
  Responder& operator=(const Responder&) = delete;
  virtual ~Responder() = default;

  // The whole answer; once, and then nothing more.
  virtual void respond(Response response) = 0;
  // A stream of data (HTTP/2): head, any number of data, trailers; instead of respond().
  virtual void open(Response head) = 0;
  virtual void send(std::string data) = 0;
  virtual void close(Headers trailers) = 0;
};

// Made when a head has arrived; all calls come in a turn of its loop. The session holds it until it
// is answered and its body has ended, or the peer is gone. It may answer within any of these calls.
class Exchange {
 public:
  Exchange() = default;
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;
  virtual ~Exchange() = default;

  // Once, first. After it, an exchange that was not answered wants the body.
  virtual void on_start() = 0;
  // Not called after the answer.
  virtual void on_body(std::string_view bytes) = 0;
  virtual void on_end() = 0;
  // The body did not arrive in time; on_end() will not come.
  virtual void on_body_timeout() = 0;
  // The peer left or reset the stream, or the connection ends: the responder is not there any more.
  // Not called after the answer was given.
  virtual void on_gone() = 0;
};

// What serves a connection, as exchanges see it: one turn at a time, on whichever thread has it.
class Loop {
 public:
  using Task = std::move_only_function<void()>;
  // Calls its task unless it was destroyed before.
  class Timer {
   public:
    Timer() = default;
    Timer(const Timer&) = delete;
    Timer& operator=(const Timer&) = delete;
    virtual ~Timer() = default;
  };

  Loop() = default;
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;
  virtual ~Loop() = default;

  // From any thread. Runs the task in a later turn; tasks in their order.
  virtual void post(Task task) = 0;
  // From any thread that has no turn. Runs the task in a turn, on the calling thread.
  virtual void enter(Task task) = 0;
  // In a turn. Runs `job`, which may block, outside of it; `refused` in a turn, this or a later
  // one, when no thread has time for it.
  virtual void offload(Task job, Task refused) = 0;
  // In a turn only, as is the timer's destruction.
  [[nodiscard]] virtual std::unique_ptr<Timer> at(SteadyTime time, Task task) = 0;
};

// What a session serves: makes the exchange of a request. `responder` is valid until the exchange
// has answered or was told on_gone().
class ExchangeFactory {
 public:
  ExchangeFactory() = default;
  ExchangeFactory(const ExchangeFactory&) = delete;
  ExchangeFactory& operator=(const ExchangeFactory&) = delete;
  virtual ~ExchangeFactory() = default;

  [[nodiscard]] virtual std::shared_ptr<Exchange> make(RequestHead head, Responder& responder) = 0;
  // The server drains: no further request should come on this connection.
  [[nodiscard]] virtual bool draining() const noexcept = 0;
};

}  // namespace plimsoll::rpc
