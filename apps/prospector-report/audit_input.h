// Lines of a file that may be compressed and may be hostile, in bounded memory.
#pragma once

#include <zlib.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::prospector {

// A longer line is no audit line (those have at most 4096 bytes): it is skipped whole.
inline constexpr std::size_t kMaxLineBytes = 65'536;

enum class LineKind : std::uint8_t {
  kLine,     // text has it, without its newline
  kTooLong,  // there was one
  kBroken,   // the compressed data ends early or makes no sense, or reading failed: nothing follows
  kEnd,
};

struct InputLine {
  LineKind kind = LineKind::kEnd;
  std::string_view text{};  // until the next call
};

// Reads a descriptor, which it does not own, from where it stands. gzip (RFC 1952, also several
// members) is known by its first two bytes; everything else is text. Holds 64 KiB of input, 256 KiB
// of text and one line, whatever the data inflates to. Not for concurrent use.
class AuditInput {
 public:
  explicit AuditInput(int fd);
  AuditInput(const AuditInput&) = delete;
  AuditInput& operator=(const AuditInput&) = delete;
  ~AuditInput();

  [[nodiscard]] InputLine next();
  [[nodiscard]] std::uint64_t bytes_read() const noexcept { return bytes_read_; }

 private:
  enum class State : std::uint8_t { kUnknown, kText, kGzip, kDone, kBroken };

  bool refill();
  bool read_some();
  bool inflate_some();
  [[nodiscard]] InputLine last_line();

  int fd_;
  State state_ = State::kUnknown;
  std::uint64_t bytes_read_ = 0;
  std::vector<char> raw_;
  std::size_t raw_begin_ = 0;
  std::size_t raw_end_ = 0;
  std::vector<char> text_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::string line_;  // what of a line stood at the end of text_
  bool skipping_ = false;
  bool at_end_ = false;
  z_stream stream_{};
  bool inflating_ = false;
  bool in_member_ = false;
};

}  // namespace plimsoll::prospector
