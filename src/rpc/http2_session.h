// HTTP/2 on a connection (RFC 9113), by nghttp2.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string_view>

#include "rpc/exchange.h"
#include "rpc/options.h"
#include "rpc/session.h"

struct nghttp2_session;

namespace plimsoll::rpc {

class Http2Stream;

// What stops a hostile peer: at most Limits::streams streams; a token bucket for resets, of the
// peer's (rapid reset) and of ours that the peer provokes; at most eight CONTINUATION frames, and
// no more fields than Limits::header_bytes; a window that grows only by what was taken; bounded
// queues of what nghttp2 owes (pings, settings); deadlines for heads, bodies and answers that
// nobody takes.
class Http2Session final : public Session {
 public:
  // All outlive the session.
  Http2Session(const Limits& limits, Wire& wire, ExchangeFactory& factory);
  ~Http2Session() override;

  void on_bytes(std::string_view bytes) override;
  [[nodiscard]] bool wants_bytes() const noexcept override;
  void on_sent() override { flush(); }
  void on_tick() override;
  void on_drain() override;
  void on_closed() override;

 private:
  friend class Http2Stream;
  friend struct Http2Callbacks;

  void flush();
  void end(std::uint32_t http2_error);
  [[nodiscard]] bool take_reset_token();
  [[nodiscard]] Http2Stream* find(std::int32_t id) const noexcept;

  const Limits& limits_;
  Wire& wire_;
  ExchangeFactory& factory_;
  nghttp2_session* session_ = nullptr;
  std::map<std::int32_t, std::unique_ptr<Http2Stream>> streams_;
  std::unique_ptr<Http2Stream> retired_;  // a stream that closed within its own call
  SteadyTime active_;                     // when the last stream ended, or the connection began
  SteadyTime provoked_since_;
  std::uint64_t provoked_ = 0;  // resets of ours since then
  bool receiving_ = false;
  bool flushing_ = false;
  bool ending_ = false;
  bool draining_ = false;
};

}  // namespace plimsoll::rpc
