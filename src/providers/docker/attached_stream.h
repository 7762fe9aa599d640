// The connection of an attached container, as the guest channel wants it: its stdout to read, its
// stdin to write.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "guest/byte_stream.h"
#include "plimsoll/result.h"
#include "providers/docker/engine_client.h"
#include "providers/docker/stdio_demux.h"

namespace plimsoll::docker {

// What of the guest's stderr is kept, for the operator, when a container does not come up.
inline constexpr std::size_t kMaxStderrTail = 2'048;

class AttachedStream final : public guest::ByteStream {
 public:
  // Sends the POST on a connection that stands, and reads the head of its answer, which has to be
  // 101. Errors: kNotReady.
  [[nodiscard]] static Result<std::unique_ptr<ByteStream>> upgrade(
      CurlHandle connection, const std::string& path, std::chrono::steady_clock::time_point until);

  [[nodiscard]] int fd() const noexcept override { return fd_; }
  [[nodiscard]] bool buffered() const noexcept override { return begin_ != end_; }
  [[nodiscard]] guest::StreamStep read(std::span<std::uint8_t> space) override;
  [[nodiscard]] guest::StreamStep write(std::span<const iovec> parts) override;

  // The last bytes that the container wrote to stderr; hostile.
  [[nodiscard]] const std::string& stderr_tail() const noexcept { return stderr_tail_; }

 private:
  explicit AttachedStream(CurlHandle connection, int fd);
  // Reads once from the connection into buffer_, which is empty.
  [[nodiscard]] guest::StreamState fill();
  [[nodiscard]] bool send_all(std::string_view bytes, std::chrono::steady_clock::time_point until);
  [[nodiscard]] Result<void> read_head(std::chrono::steady_clock::time_point until);
  void keep_stderr(std::span<const std::uint8_t> bytes);

  CurlHandle connection_;
  int fd_;  // the connection's
  std::vector<std::uint8_t> buffer_;
  std::size_t begin_ = 0;  // what of buffer_ has not been taken apart
  std::size_t end_ = 0;
  StdioDemux demux_;
  std::string stderr_tail_;
};

}  // namespace plimsoll::docker
