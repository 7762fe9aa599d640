#include "rpc/http2_stream.h"

#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <utility>
#include <vector>

#include "rpc/error_text.h"
#include "rpc/http1_text.h"

namespace plimsoll::rpc {

namespace {

nghttp2_nv field(std::string_view name, std::string_view value) noexcept {
  // nghttp2's type is not const; it copies.
  return {.name = reinterpret_cast<std::uint8_t*>(const_cast<char*>(name.data())),
          .value = reinterpret_cast<std::uint8_t*>(const_cast<char*>(value.data())),
          .namelen = name.size(),
          .valuelen = value.size(),
          .flags = NGHTTP2_NV_FLAG_NONE};
}

ssize_t read_answer(nghttp2_session*, std::int32_t, std::uint8_t* buffer, std::size_t length,
                    std::uint32_t* flags, nghttp2_data_source* source, void*) {
  auto& stream = *static_cast<Http2Stream*>(source->ptr);
  bool done = false;
  bool trailers = false;
  const std::size_t size = stream.take_answer(buffer, length, &done, &trailers);
  if (done) *flags |= NGHTTP2_DATA_FLAG_EOF;
  if (trailers) *flags |= NGHTTP2_DATA_FLAG_NO_END_STREAM;
  if (size == 0 && !done) return NGHTTP2_ERR_DEFERRED;
  return static_cast<ssize_t>(size);
}

// RFC 9113 section 6.5.2: a field counts as its sizes and 32.
constexpr std::size_t kFieldOverhead = 32;
// How long a body may go on after the answer; its window does not grow meanwhile.
constexpr std::chrono::milliseconds kUnwantedBody{1000};

}  // namespace

Http2Stream::Http2Stream(Http2Session& session, std::int32_t id)
    : session_(session), id_(id), since_(session.wire_.now()) {
  head_.version = HttpVersion::kHttp2;
}

Http2Stream::~Http2Stream() = default;

bool Http2Stream::on_field(std::string_view name, std::string_view value) {
  head_bytes_ += name.size() + value.size() + kFieldOverhead;
  const Limits& limits = session_.limits_;
  if (head_bytes_ > limits.header_bytes || head_.headers.size() >= limits.header_fields) {
    too_large_ = true;
    head_.headers = {};
    return false;
  }
  if (name == ":method") {
    head_.method = value;
  } else if (name == ":path") {
    if (!split_target(value, head_.path, head_.query)) head_.path = value;
  } else if (name == "content-length") {
    std::uint64_t length = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), length);
    if (error == std::errc{} && end == value.data() + value.size()) head_.content_length = length;
  } else if (!name.starts_with(':')) {
    head_.headers.add(name, value);
  }
  return true;
}

void Http2Stream::on_head_end() {
  if (exchange_ || answered_) return;  // trailers
  since_ = session_.wire_.now();
  if (too_large_) {
    refuse_head(431, "the request's header fields are too large");
    return;
  }
  is_head_request_ = head_.method == "HEAD";
  exchange_ = session_.factory_.make(std::move(head_), *this);
  head_ = {};
  exchange_->on_start();
}

void Http2Stream::on_data(std::string_view bytes) {
  if (!answered_ && exchange_) exchange_->on_body(bytes);
  // Taken, or dropped: in both cases the peer may send as much again. A stream that was answered
  // gets no more room.
  nghttp2_session_consume_connection(session_.session_, bytes.size());
  if (!answered_) nghttp2_session_consume_stream(session_.session_, id_, bytes.size());
}

void Http2Stream::on_body_end() {
  body_ended_ = true;
  if (!answered_ && exchange_) exchange_->on_end();
}

void Http2Stream::on_answer_sent() {
  answer_sent_ = true;
  since_ = session_.wire_.now();
}

void Http2Stream::on_tick(SteadyTime now) {
  const Limits& limits = session_.limits_;
  const auto since = now - since_;
  if (answer_sent_) {
    // Only the rest of a body that nobody wants is missing. Not reset at once: some clients take a
    // reset for the loss of the answer (RFC 9113 section 8.1 allows it, curl 7.88 fails).
    if (since >= kUnwantedBody) {
      nghttp2_submit_rst_stream(session_.session_, NGHTTP2_FLAG_NONE, id_, NGHTTP2_NO_ERROR);
    }
  } else if (answered_) {
    if (since >= limits.write_stall) {
      nghttp2_submit_rst_stream(session_.session_, NGHTTP2_FLAG_NONE, id_, NGHTTP2_CANCEL);
    }
  } else if (!exchange_) {
    if (since >= limits.header_read) session_.end(NGHTTP2_ENHANCE_YOUR_CALM);
  } else if (!body_ended_ && since >= limits.body_read) {
    exchange_->on_body_timeout();
  }
}

void Http2Stream::on_closed() {
  if (const auto exchange = std::exchange(exchange_, nullptr); exchange && !answered_) {
    answered_ = true;
    exchange->on_gone();
  }
}

std::size_t Http2Stream::take_answer(std::uint8_t* buffer, std::size_t room, bool* done,
                                     bool* trailers) {
  const std::size_t size = std::min(room, answer_.size() - taken_);
  std::memcpy(buffer, answer_.data() + taken_, size);
  taken_ += size;
  since_ = session_.wire_.now();
  if (taken_ == answer_.size()) {
    answer_ = {};
    taken_ = 0;
    if (answer_ended_) {
      *done = true;
      if (!trailers_.empty()) {
        *trailers = true;
        std::vector<nghttp2_nv> fields;
        for (const Header& trailer : trailers_)
          fields.push_back(field(trailer.name, trailer.value));
        nghttp2_submit_trailer(session_.session_, id_, fields.data(), fields.size());
      }
    }
  }
  return size;
}

void Http2Stream::submit(const Response& response, bool with_body) {
  since_ = session_.wire_.now();
  const std::string status = std::to_string(response.status);
  const std::string length = std::to_string(answer_.size());
  std::vector<nghttp2_nv> fields;
  fields.push_back(field(":status", status));
  for (const Header& header : response.headers) fields.push_back(field(header.name, header.value));
  if (answer_ended_ && trailers_.empty()) fields.push_back(field("content-length", length));
  fields.push_back(field("date", http_date()));
  nghttp2_data_provider provider{.source = {.ptr = this}, .read_callback = read_answer};
  nghttp2_submit_response(session_.session_, id_, fields.data(), fields.size(),
                          with_body ? &provider : nullptr);
}

void Http2Stream::respond(Response response) {
  answered_ = true;
  answer_ended_ = true;
  answer_ = std::move(response.body);
  trailers_ = std::move(response.trailers);
  submit(response, !is_head_request_ && (!answer_.empty() || !trailers_.empty()));
  session_.flush();
}

void Http2Stream::open(Response head) {
  submit(head, true);
  session_.flush();
}

void Http2Stream::send(std::string data) {
  if (taken_ != 0) answer_.erase(0, std::exchange(taken_, 0));
  answer_ += data;
  nghttp2_session_resume_data(session_.session_, id_);
  session_.flush();
}

void Http2Stream::close(Headers trailers) {
  answered_ = true;
  answer_ended_ = true;
  trailers_ = std::move(trailers);
  nghttp2_session_resume_data(session_.session_, id_);
  session_.flush();
}

void Http2Stream::refuse_head(unsigned status, std::string_view message) {
  Response response{.status = status};
  response.headers.add("content-type", "application/json");
  response.body =
      connect_error_json({.code = Code::kResourceExhausted, .message = std::string(message)});
  respond(std::move(response));
}

}  // namespace plimsoll::rpc
