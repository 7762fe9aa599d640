#include "providers/docker/attached_stream.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "broker/sigpipe_block.h"
#include "providers/docker/curl_library.h"
#include "providers/docker/engine_answers.h"
#include "providers/docker/failure.h"

namespace plimsoll::docker {

namespace {

using guest::StreamState;
using guest::StreamStep;
using SteadyTime = std::chrono::steady_clock::time_point;

constexpr std::size_t kBufferBytes = std::size_t{64} << 10;

bool wait_for(int fd, short events, SteadyTime until) {
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
  if (left.count() <= 0) return false;
  pollfd ready{.fd = fd, .events = events, .revents = 0};
  const int most = static_cast<int>(std::min<std::int64_t>(left.count(), 60'000));
  return ::poll(&ready, 1, most) != 0;  // an error shows when the descriptor is used
}

}  // namespace

AttachedStream::AttachedStream(CurlHandle connection, int fd)
    : connection_(std::move(connection)), fd_(fd), buffer_(kBufferBytes) {}

Result<std::unique_ptr<guest::ByteStream>> AttachedStream::upgrade(CurlHandle connection,
                                                                   const std::string& path,
                                                                   SteadyTime until) {
  curl_socket_t socket = CURL_SOCKET_BAD;
  curl_library()->easy_getinfo(connection.get(), CURLINFO_ACTIVESOCKET, &socket);
  if (socket == CURL_SOCKET_BAD) return not_ready("the container engine hung up");
  std::unique_ptr<AttachedStream> stream(new AttachedStream(std::move(connection), socket));
  const std::string request = fmt::format(
      "POST {} HTTP/1.1\r\nHost: engine\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n"
      "Content-Length: 0\r\n\r\n",
      path);
  if (!stream->send_all(request, until)) {
    return not_ready("the container engine did not take the request to attach");
  }
  if (auto head = stream->read_head(until); !head) return std::unexpected(head.error());
  return stream;
}

bool AttachedStream::send_all(std::string_view bytes, SteadyTime until) {
  while (!bytes.empty()) {
    std::size_t sent = 0;
    const CURLcode code =
        curl_library()->easy_send(connection_.get(), bytes.data(), bytes.size(), &sent);
    if (code != CURLE_OK && code != CURLE_AGAIN) return false;
    bytes.remove_prefix(sent);
    if (sent == 0 && !wait_for(fd_, POLLOUT, until)) return false;
  }
  return true;
}

Result<void> AttachedStream::read_head(SteadyTime until) {
  std::string head;
  for (;;) {
    const StreamState state = fill();
    if (state == StreamState::kGone) return not_ready("the container engine hung up on an attach");
    head.append(reinterpret_cast<const char*>(buffer_.data()), end_);
    const auto stream = read_upgrade(head);
    if (!stream) return std::unexpected(stream.error());
    if (*stream) {
      // What follows the head stands at the end of the buffer.
      begin_ = end_ - (head.size() - **stream);
      return {};
    }
    begin_ = end_ = 0;
    if (state == StreamState::kWait && !wait_for(fd_, POLLIN, until)) {
      return not_ready("the container engine did not answer an attach in time");
    }
  }
}

StreamState AttachedStream::fill() {
  begin_ = end_ = 0;
  std::size_t got = 0;
  const CURLcode code =
      curl_library()->easy_recv(connection_.get(), buffer_.data(), buffer_.size(), &got);
  if (code == CURLE_AGAIN) return StreamState::kWait;
  if (code != CURLE_OK || got == 0) return StreamState::kGone;
  end_ = got;
  return StreamState::kMoved;
}

void AttachedStream::keep_stderr(std::span<const std::uint8_t> bytes) {
  stderr_tail_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (stderr_tail_.size() > kMaxStderrTail) {
    stderr_tail_.erase(0, stderr_tail_.size() - kMaxStderrTail);
  }
}

StreamStep AttachedStream::read(std::span<std::uint8_t> space) {
  if (begin_ == end_) {
    const SigpipeBlock no_sigpipe;  // a renegotiating TLS connection writes
    if (const StreamState state = fill(); state != StreamState::kMoved) return {.state = state};
  }
  StreamStep step{.state = StreamState::kWait, .bytes = 0};
  std::span<const std::uint8_t> input(buffer_.data() + begin_, end_ - begin_);
  while (step.bytes < space.size() && !input.empty()) {
    StdioDemux::Piece piece;
    const auto status = demux_.next(input, space.size() - step.bytes, piece);
    if (status == StdioDemux::Status::kBroken) return {.state = StreamState::kBroken};
    if (status == StdioDemux::Status::kNeedMore) break;
    if (piece.stream == StdioStream::kStderr) {
      keep_stderr(piece.bytes);
      continue;
    }
    std::ranges::copy(piece.bytes, space.begin() + static_cast<std::ptrdiff_t>(step.bytes));
    step.bytes += piece.bytes.size();
    step.state = StreamState::kMoved;
  }
  begin_ = end_ - input.size();
  return step;
}

StreamStep AttachedStream::write(std::span<const iovec> parts) {
  const SigpipeBlock no_sigpipe;
  StreamStep step{.state = StreamState::kWait, .bytes = 0};
  for (const iovec& part : parts) {
    if (part.iov_len == 0) continue;
    std::size_t sent = 0;
    const CURLcode code =
        curl_library()->easy_send(connection_.get(), part.iov_base, part.iov_len, &sent);
    if (code != CURLE_OK && code != CURLE_AGAIN) return {.state = StreamState::kGone};
    step.bytes += sent;
    if (sent > 0) step.state = StreamState::kMoved;
    if (sent < part.iov_len) break;
  }
  return step;
}

}  // namespace plimsoll::docker
