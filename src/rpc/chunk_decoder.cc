#include "rpc/chunk_decoder.h"

#include <algorithm>

namespace plimsoll::rpc {

namespace {

constexpr std::uint8_t kMaxDigits = 8;

int hex_digit(char c) noexcept {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

}  // namespace

ChunkDecoder::Step ChunkDecoder::step(std::string_view bytes) noexcept {
  std::size_t consumed = 0;
  while (consumed < bytes.size()) {
    if (at_ == At::kData) {
      const std::string_view data = bytes.substr(consumed, left_);
      left_ -= data.size();
      if (left_ == 0) at_ = At::kDataCr;
      return {.state = State::kData, .consumed = consumed + data.size(), .data = data};
    }
    if (!take(bytes[consumed])) return {.state = State::kBad, .consumed = consumed};
    ++consumed;
    if (done_) return {.state = State::kDone, .consumed = consumed};
  }
  return {.consumed = consumed};
}

bool ChunkDecoder::expect(char c, char wanted, At next) noexcept {
  at_ = next;
  return c == wanted;
}

bool ChunkDecoder::ignore(char c) noexcept {
  const auto byte = static_cast<unsigned char>(c);
  return (byte >= 0x20 || c == '\t') && byte != 0x7F && ++ignored_ <= kMaxIgnoredBytes;
}

bool ChunkDecoder::take_size(char c) noexcept {
  if (const int digit = hex_digit(c); digit >= 0) {
    left_ = left_ * 16 + static_cast<std::uint64_t>(digit);
    return ++digits_ <= kMaxDigits;
  }
  if (digits_ == 0) return false;
  digits_ = 0;
  at_ = c == ';' ? At::kExtension : At::kSizeLf;
  return c == ';' || c == '\r';
}

bool ChunkDecoder::take(char c) noexcept {
  switch (at_) {
    case At::kSize:
      return take_size(c);
    case At::kExtension:
      if (c != '\r') return ignore(c);
      at_ = At::kSizeLf;
      return true;
    case At::kSizeLf:
      return expect(c, '\n', left_ == 0 ? At::kTrailerStart : At::kData);
    case At::kDataCr:
      return expect(c, '\r', At::kDataLf);
    case At::kDataLf:
      return expect(c, '\n', At::kSize);
    case At::kTrailerStart:
    case At::kTrailer:
      if (c == '\r') {
        at_ = at_ == At::kTrailerStart ? At::kLastLf : At::kTrailerLf;
        return true;
      }
      at_ = At::kTrailer;
      return ignore(c);
    case At::kTrailerLf:
      return expect(c, '\n', At::kTrailerStart);
    case At::kLastLf:
      done_ = true;
      return c == '\n';
    case At::kData:
      break;
  }
  return false;
}

}  // namespace plimsoll::rpc
