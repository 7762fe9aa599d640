#include "rpc/http2_session.h"

#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "rpc/http2_stream.h"

namespace plimsoll::rpc {

namespace {

// How much is made ready for the wire before the wire has taken it.
constexpr std::size_t kMaxUnsent = std::size_t{64} << 10;
constexpr std::int32_t kStreamWindow = 256 << 10;
constexpr std::int32_t kConnectionWindow = 1 << 20;
constexpr std::size_t kMaxContinuations = 8;
constexpr std::size_t kMaxOwedAcks = 100;

std::string_view view(const std::uint8_t* bytes, std::size_t size) noexcept {
  return {reinterpret_cast<const char*>(bytes), size};
}

}  // namespace

// nghttp2's callbacks; the user data is the session.
struct Http2Callbacks {
  static Http2Session& self(void* user) noexcept { return *static_cast<Http2Session*>(user); }

  static int on_begin_headers(nghttp2_session*, const nghttp2_frame* frame, void* user) {
    Http2Session& session = self(user);
    if (frame->headers.cat != NGHTTP2_HCAT_REQUEST) return 0;
    const std::int32_t id = frame->hd.stream_id;
    session.streams_.emplace(id, std::make_unique<Http2Stream>(session, id));
    return 0;
  }

  // NOLINTNEXTLINE(readability-function-size): the parameters are nghttp2's
  static int on_header(nghttp2_session*, const nghttp2_frame* frame, const std::uint8_t* name,
                       std::size_t name_size, const std::uint8_t* value, std::size_t value_size,
                       std::uint8_t, void* user) {
    if (frame->hd.type != NGHTTP2_HEADERS || frame->headers.cat != NGHTTP2_HCAT_REQUEST) return 0;
    if (Http2Stream* stream = self(user).find(frame->hd.stream_id)) {
      stream->on_field(view(name, name_size), view(value, value_size));
    }
    return 0;
  }

  static int on_frame_recv(nghttp2_session*, const nghttp2_frame* frame, void* user) {
    Http2Stream* stream = self(user).find(frame->hd.stream_id);
    if (stream == nullptr) return 0;
    if (frame->hd.type == NGHTTP2_HEADERS) {
      stream->on_head_end();
    } else if (frame->hd.type != NGHTTP2_DATA) {
      return 0;
    }
    if ((frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0) stream->on_body_end();
    return 0;
  }

  static int on_data(nghttp2_session* raw, std::uint8_t, std::int32_t id, const std::uint8_t* bytes,
                     std::size_t size, void* user) {
    if (Http2Stream* stream = self(user).find(id)) {
      stream->on_data(view(bytes, size));
    } else {
      nghttp2_session_consume_connection(raw, size);
    }
    return 0;
  }

  static int on_frame_send(nghttp2_session*, const nghttp2_frame* frame, void* user) {
    Http2Session& session = self(user);
    if (frame->hd.type == NGHTTP2_RST_STREAM) {
      const std::uint32_t error = frame->rst_stream.error_code;
      if (error != NGHTTP2_NO_ERROR && error != NGHTTP2_CANCEL && !session.take_reset_token()) {
        return NGHTTP2_ERR_CALLBACK_FAILURE;
      }
      return 0;
    }
    if ((frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0) {
      if (Http2Stream* stream = session.find(frame->hd.stream_id)) stream->on_answer_sent();
    }
    return 0;
  }

  static int on_stream_close(nghttp2_session*, std::int32_t id, std::uint32_t, void* user) {
    Http2Session& session = self(user);
    const auto at = session.streams_.find(id);
    if (at == session.streams_.end()) return 0;
    session.retired_ = std::move(at->second);
    session.streams_.erase(at);
    session.active_ = session.wire_.now();
    session.retired_->on_closed();
    return 0;
  }

  // One table for the process; nghttp2 copies it.
  static nghttp2_session_callbacks* table() {
    static nghttp2_session_callbacks* const kMade = [] {
      nghttp2_session_callbacks* callbacks = nullptr;
      if (nghttp2_session_callbacks_new(&callbacks) != 0) throw std::bad_alloc();
      nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, on_begin_headers);
      nghttp2_session_callbacks_set_on_header_callback(callbacks, on_header);
      nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, on_frame_recv);
      nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, on_data);
      nghttp2_session_callbacks_set_on_frame_send_callback(callbacks, on_frame_send);
      nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, on_stream_close);
      return callbacks;
    }();
    return kMade;
  }
};

Http2Session::Http2Session(const Limits& limits, Wire& wire, ExchangeFactory& factory)
    : limits_(limits),
      wire_(wire),
      factory_(factory),
      active_(wire.now()),
      provoked_since_(active_) {
  nghttp2_option* option = nullptr;
  if (nghttp2_option_new(&option) != 0) throw std::bad_alloc();
  nghttp2_option_set_no_auto_window_update(option, 1);
  nghttp2_option_set_no_closed_streams(option, 1);
  nghttp2_option_set_stream_reset_rate_limit(option, limits.reset_burst, limits.resets_per_s);
  nghttp2_option_set_max_continuations(option, kMaxContinuations);
  nghttp2_option_set_max_outbound_ack(option, kMaxOwedAcks);
  const int made = nghttp2_session_server_new2(&session_, Http2Callbacks::table(), this, option);
  nghttp2_option_del(option);
  if (made != 0) throw std::bad_alloc();
  const std::vector<nghttp2_settings_entry> settings{
      {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, limits.streams},
      {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, kStreamWindow},
      {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, static_cast<std::uint32_t>(limits.header_bytes)},
      {NGHTTP2_SETTINGS_NO_RFC7540_PRIORITIES, 1}};
  nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, settings.data(), settings.size());
  nghttp2_session_set_local_window_size(session_, NGHTTP2_FLAG_NONE, 0, kConnectionWindow);
  flush();
}

Http2Session::~Http2Session() { nghttp2_session_del(session_); }

Http2Stream* Http2Session::find(std::int32_t id) const noexcept {
  const auto at = streams_.find(id);
  return at == streams_.end() ? nullptr : at->second.get();
}

bool Http2Session::take_reset_token() {
  const SteadyTime now = wire_.now();
  const auto passed = std::chrono::duration_cast<std::chrono::seconds>(now - provoked_since_);
  const std::uint64_t regained = static_cast<std::uint64_t>(passed.count()) * limits_.resets_per_s;
  if (regained != 0) {
    provoked_ -= std::min(provoked_, regained);
    provoked_since_ = now;
  }
  return ++provoked_ <= limits_.reset_burst;
}

bool Http2Session::wants_bytes() const noexcept {
  // A peer that does not take our answers is not read from: what it asks for could only pile up.
  return !ending_ && wire_.unsent() < kMaxUnsent;
}

void Http2Session::on_bytes(std::string_view bytes) {
  if (ending_) return;
  receiving_ = true;
  const ssize_t consumed = nghttp2_session_mem_recv(
      session_, reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  receiving_ = false;
  retired_.reset();
  if (consumed < 0) {
    // Errors of the protocol have queued their GOAWAY; others get one here.
    end(consumed == NGHTTP2_ERR_FLOODED ? NGHTTP2_ENHANCE_YOUR_CALM : NGHTTP2_PROTOCOL_ERROR);
    return;
  }
  flush();
}

void Http2Session::flush() {
  if (receiving_ || flushing_ || session_ == nullptr) return;
  flushing_ = true;
  std::string out;
  while (wire_.unsent() + out.size() < kMaxUnsent) {
    const std::uint8_t* bytes = nullptr;
    const ssize_t size = nghttp2_session_mem_send(session_, &bytes);
    retired_.reset();
    if (size < 0) {
      ending_ = true;
      break;
    }
    if (size == 0) break;
    out += view(bytes, static_cast<std::size_t>(size));
  }
  if (!out.empty()) wire_.send(out);
  flushing_ = false;
  const bool over =
      nghttp2_session_want_read(session_) == 0 && nghttp2_session_want_write(session_) == 0;
  if (ending_ || over) {
    ending_ = true;
    wire_.finish();
  }
}

void Http2Session::end(std::uint32_t http2_error) {
  if (ending_) return;
  nghttp2_session_terminate_session(session_, http2_error);
  if (receiving_) return;  // whoever receives flushes
  flush();
  if (!ending_) {
    ending_ = true;
    wire_.finish();
  }
}

void Http2Session::on_tick() {
  if (ending_) return;
  const SteadyTime now = wire_.now();
  if (streams_.empty()) {
    if (now - active_ >= limits_.idle) end(NGHTTP2_NO_ERROR);
    return;
  }
  receiving_ = true;  // no stream closes before all were asked
  for (const auto& [id, stream] : streams_) stream->on_tick(now);
  receiving_ = false;
  flush();
}

void Http2Session::on_drain() {
  if (ending_ || draining_) return;
  draining_ = true;
  // Streams that run are finished, new ones are refused (RFC 9113 section 6.8).
  nghttp2_submit_goaway(session_, NGHTTP2_FLAG_NONE,
                        nghttp2_session_get_last_proc_stream_id(session_), NGHTTP2_NO_ERROR,
                        nullptr, 0);
  flush();
}

void Http2Session::on_closed() {
  ending_ = true;
  flushing_ = true;  // nothing is written any more
  auto streams = std::move(streams_);
  streams_.clear();
  for (auto& [id, stream] : streams) stream->on_closed();
  // nghttp2 has no stream of ours left to ask for data: it is not called again but to be deleted.
}

}  // namespace plimsoll::rpc
