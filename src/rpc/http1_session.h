// HTTP/1.1 on a connection (RFC 9112): one request at a time, keep-alive, pipelining.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "rpc/exchange.h"
#include "rpc/http1_parser.h"
#include "rpc/options.h"
#include "rpc/session.h"

namespace plimsoll::rpc {

class Http1Session final : public Session, private Responder {
 public:
  // All outlive the session.
  Http1Session(const Limits& limits, Wire& wire, ExchangeFactory& factory);

  void on_bytes(std::string_view bytes) override;
  [[nodiscard]] bool wants_bytes() const noexcept override;
  void on_sent() override {}
  void on_tick() override;
  void on_drain() override;
  void on_closed() override;

 private:
  enum class Phase : std::uint8_t {
    kIdle,     // between requests: no byte of the next one
    kHead,     // within a head
    kBody,     // within a body that the exchange wants
    kDiscard,  // answered; the rest of a short body is read and dropped
    kWaiting,  // the request is whole, its answer is not there
    kEnding,   // the connection ends; nothing is read any more
  };

  void respond(Response response) override;
  void open(Response head) override;
  void send(std::string data) override;
  void close(Headers trailers) override;

  // Consumes what it can of `bytes`.
  std::size_t advance(std::string_view bytes);
  std::size_t advance_head(std::string_view bytes);
  std::size_t advance_body(std::string_view bytes);
  void start_exchange();
  void end_request();
  void enter(Phase phase);
  // Without an exchange: something that is no request, or came too slowly.
  void refuse(unsigned status, Code code, std::string_view message);
  void write(const Response& response);

  const Limits& limits_;
  Wire& wire_;
  ExchangeFactory& factory_;
  Phase phase_ = Phase::kIdle;
  SteadyTime phase_since_;
  std::string pending_;  // came in, not consumed
  std::unique_ptr<Http1Parser> parser_;
  std::shared_ptr<Exchange> exchange_;
  std::optional<std::uint64_t> announced_;  // the current request's Content-Length
  std::size_t discarded_ = 0;
  bool advancing_ = false;
  bool answered_ = false;
  bool stalled_ = false;    // advance() waits for more bytes
  bool keep_alive_ = true;  // of the current request
  bool is_head_request_ = false;
};

}  // namespace plimsoll::rpc
