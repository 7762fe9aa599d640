#include "audit_input.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace plimsoll::prospector {
namespace {

constexpr std::size_t kRawBytes = std::size_t{64} << 10;
constexpr std::size_t kTextBytes = std::size_t{256} << 10;
constexpr int kGzipOnly = 16 + MAX_WBITS;

bool is_gzip(const char* bytes, std::size_t size) noexcept {
  return size >= 2 && bytes[0] == '\x1f' && bytes[1] == '\x8b';
}

}  // namespace

AuditInput::AuditInput(int fd) : fd_(fd), raw_(kRawBytes), text_(kTextBytes) {}

AuditInput::~AuditInput() {
  if (inflating_) ::inflateEnd(&stream_);
}

// More raw bytes behind those that are there; false: there are none.
bool AuditInput::read_some() {
  if (raw_begin_ != 0) {
    std::memmove(raw_.data(), raw_.data() + raw_begin_, raw_end_ - raw_begin_);
    raw_end_ -= raw_begin_;
    raw_begin_ = 0;
  }
  ssize_t got = -1;
  do {
    got = ::read(fd_, raw_.data() + raw_end_, raw_.size() - raw_end_);
  } while (got < 0 && errno == EINTR);
  if (got < 0) state_ = State::kBroken;
  if (got <= 0) return false;
  raw_end_ += static_cast<std::size_t>(got);
  bytes_read_ += static_cast<std::uint64_t>(got);
  return true;
}

// Fills text_ anew. False: there is no more.
bool AuditInput::refill() {
  begin_ = end_ = 0;
  if (state_ == State::kUnknown) {
    while (raw_end_ - raw_begin_ < 2 && read_some()) {
    }
    if (state_ == State::kBroken) return false;
    state_ = is_gzip(raw_.data() + raw_begin_, raw_end_ - raw_begin_) ? State::kGzip : State::kText;
  }
  if (state_ == State::kGzip) return inflate_some();
  if (state_ != State::kText) return false;
  if (raw_begin_ == raw_end_ && !read_some()) {
    if (state_ == State::kText) state_ = State::kDone;
    return false;
  }
  end_ = raw_end_ - raw_begin_;
  std::copy_n(raw_.data() + raw_begin_, end_, text_.data());
  raw_begin_ = raw_end_;
  return true;
}

bool AuditInput::inflate_some() {
  while (end_ == 0) {
    if (raw_begin_ == raw_end_ && !read_some()) {
      state_ = in_member_ || state_ == State::kBroken ? State::kBroken : State::kDone;
      return false;
    }
    if (!in_member_) {
      const int ready = inflating_ ? ::inflateReset(&stream_) : ::inflateInit2(&stream_, kGzipOnly);
      if (ready != Z_OK) {
        state_ = State::kBroken;
        return false;
      }
      inflating_ = in_member_ = true;
    }
    stream_.next_in = reinterpret_cast<Bytef*>(raw_.data() + raw_begin_);
    stream_.avail_in = static_cast<uInt>(raw_end_ - raw_begin_);
    stream_.next_out = reinterpret_cast<Bytef*>(text_.data());
    stream_.avail_out = static_cast<uInt>(text_.size());
    const int done = ::inflate(&stream_, Z_NO_FLUSH);
    raw_begin_ = raw_end_ - stream_.avail_in;
    end_ = text_.size() - stream_.avail_out;
    if (done == Z_STREAM_END) {
      in_member_ = false;
    } else if (done != Z_OK && done != Z_BUF_ERROR) {
      state_ = State::kBroken;
      return end_ != 0;
    }
  }
  return true;
}

InputLine AuditInput::last_line() {
  at_end_ = true;
  if (skipping_) {
    skipping_ = false;
    return {.kind = LineKind::kTooLong};
  }
  if (!line_.empty()) return {.kind = LineKind::kLine, .text = line_};
  return next();
}

InputLine AuditInput::next() {
  if (at_end_) {
    const bool broken = state_ == State::kBroken;
    state_ = State::kDone;
    return {.kind = broken ? LineKind::kBroken : LineKind::kEnd};
  }
  line_.clear();
  for (;;) {
    if (begin_ == end_ && !refill()) return last_line();
    const char* from = text_.data() + begin_;
    const std::size_t left = end_ - begin_;
    const auto* newline = static_cast<const char*>(std::memchr(from, '\n', left));
    const std::size_t size = newline == nullptr ? left : static_cast<std::size_t>(newline - from);
    begin_ += newline == nullptr ? size : size + 1;
    if (line_.size() + size > kMaxLineBytes) {
      skipping_ = true;
      line_.clear();
    }
    if (newline == nullptr) {
      if (!skipping_) line_.append(from, size);
      continue;
    }
    if (skipping_) {
      skipping_ = false;
      return {.kind = LineKind::kTooLong};
    }
    if (line_.empty()) return {.kind = LineKind::kLine, .text = {from, size}};
    line_.append(from, size);
    return {.kind = LineKind::kLine, .text = line_};
  }
}

}  // namespace plimsoll::prospector
