// One stream of an HTTP/2 session: collects its head, passes its body on, holds its answer until
// the peer takes it.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "rpc/exchange.h"
#include "rpc/http2_session.h"

namespace plimsoll::rpc {

class Http2Stream final : public Responder {
 public:
  Http2Stream(Http2Session& session, std::int32_t id);
  ~Http2Stream() override;

  // The peer's side. on_field() returns whether the field was within the limits.
  bool on_field(std::string_view name, std::string_view value);
  void on_head_end();
  void on_data(std::string_view bytes);
  void on_body_end();
  // The answer is out, with its end.
  void on_answer_sent();
  void on_tick(SteadyTime now);
  // The stream is closed: by both sides, by a reset, or with the connection.
  void on_closed();

  // The next bytes of the answer, at most `room`. 0 with *done false: none now.
  std::size_t take_answer(std::uint8_t* buffer, std::size_t room, bool* done, bool* trailers);

  void respond(Response response) override;
  void open(Response head) override;
  void send(std::string data) override;
  void close(Headers trailers) override;

 private:
  void submit(const Response& response, bool with_body);
  void refuse_head(unsigned status, std::string_view message);

  Http2Session& session_;
  const std::int32_t id_;
  RequestHead head_;
  std::size_t head_bytes_ = 0;
  bool too_large_ = false;
  SteadyTime since_;  // of the phase: head, body, or the answer's last progress
  std::shared_ptr<Exchange> exchange_;
  bool is_head_request_ = false;
  bool body_ended_ = false;
  bool answered_ = false;
  std::string answer_;
  std::size_t taken_ = 0;
  Headers trailers_;
  bool answer_ended_ = false;
  bool answer_sent_ = false;
};

}  // namespace plimsoll::rpc
