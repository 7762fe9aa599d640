// HTTP/1.1 requests out of a byte stream, strictly (RFC 9112): what two readers could frame
// differently is an error, so that a request cannot be smuggled past a proxy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "rpc/chunk_decoder.h"
#include "rpc/http.h"
#include "rpc/options.h"

namespace plimsoll::rpc {

// One request. Refused: both Content-Length and Transfer-Encoding, either of them twice, a coding
// other than "chunked", a line that ends without CR, control characters, folded lines, HTTP/1.1
// without exactly one Host, more than Limits::header_bytes (also of one chunk's line and of the
// trailers).
class Http1Parser {
 public:
  enum class State : std::uint8_t {
    kNeedMore,  // call again with more behind what was not consumed
    kHead,      // the head is whole: head() is set; the body follows
    kBody,      // `body` has some of it
    kDone,      // the request is whole
    kBad,       // not a request: answer error_status() and close
  };
  struct Step {
    State state = State::kNeedMore;
    std::size_t consumed = 0;
    std::string_view body;  // within the bytes that were given
  };

  explicit Http1Parser(const Limits& limits);
  Http1Parser(const Http1Parser&) = delete;
  Http1Parser& operator=(const Http1Parser&) = delete;
  ~Http1Parser();

  // Makes one step. `bytes` starts where the last step's consumed bytes ended.
  [[nodiscard]] Step step(std::string_view bytes);

  // Since kHead. May be moved from.
  [[nodiscard]] RequestHead& head() noexcept;
  // Whether some of the body has not come yet.
  [[nodiscard]] bool has_body() const noexcept;
  [[nodiscard]] bool expects_continue() const noexcept;
  [[nodiscard]] bool keep_alive() const noexcept;
  // Since kBad: 400, 417, 431 or 505.
  [[nodiscard]] unsigned error_status() const noexcept;

 private:
  class Impl;
  Step step_head(std::string_view bytes);
  Step step_body(std::string_view bytes);
  Step bad(unsigned status);

  const Limits& limits_;
  std::unique_ptr<Impl> impl_;
  std::size_t scanned_ = 0;  // bytes of the head that were looked at
  std::uint64_t left_ = 0;   // of a body with a Content-Length
  std::optional<ChunkDecoder> chunks_;
  bool done_ = false;
  unsigned error_status_ = 400;
};

}  // namespace plimsoll::rpc
