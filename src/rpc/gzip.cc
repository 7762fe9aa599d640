#include "rpc/gzip.h"

#include <zlib.h>

#include <algorithm>
#include <cassert>
#include <new>

namespace plimsoll::rpc {

namespace {

constexpr int kGzipWindow = 15 + 16;  // zlib's way to say: the largest window, a gzip wrapper
constexpr std::size_t kFirstStep = std::size_t{16} << 10;

// A z_stream that ends with its scope.
class Inflater {
 public:
  Inflater() {
    if (::inflateInit2(&stream_, kGzipWindow) != Z_OK) throw std::bad_alloc();
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater() { ::inflateEnd(&stream_); }
  z_stream& get() noexcept { return stream_; }

 private:
  z_stream stream_{};
};

class Deflater {
 public:
  Deflater() {
    if (::deflateInit2(&stream_, Z_BEST_SPEED, Z_DEFLATED, kGzipWindow, 8, Z_DEFAULT_STRATEGY) !=
        Z_OK) {
      throw std::bad_alloc();
    }
  }
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;
  ~Deflater() { ::deflateEnd(&stream_); }
  z_stream& get() noexcept { return stream_; }

 private:
  z_stream stream_{};
};

// zlib's input is not const in its type.
Bytef* input(std::string_view bytes) noexcept {
  return reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
}

Bytef* output(std::string& bytes, std::size_t from) noexcept {
  return reinterpret_cast<Bytef*>(bytes.data() + from);
}

}  // namespace

std::expected<std::string, InflateError> gzip_inflate(std::string_view bytes,
                                                      std::size_t limit_bytes) {
  if (bytes.size() > UINT32_MAX) return std::unexpected(InflateError::kTooLarge);
  Inflater inflater;
  z_stream& z = inflater.get();
  z.next_in = input(bytes);
  z.avail_in = static_cast<uInt>(bytes.size());
  std::string out;
  std::size_t used = 0;
  Bytef beyond = 0;  // one byte more tells "more than the limit" from "exactly"
  for (;;) {
    if (used == out.size() && used < limit_bytes) {
      out.resize(std::min(limit_bytes, std::max(kFirstStep, used * 2)));
    }
    // That byte has a place of its own: room for it in `out` would be a copy of all of `out`.
    const bool full = used == limit_bytes;
    const std::size_t room = full ? 1 : std::min<std::size_t>(out.size() - used, UINT32_MAX);
    z.next_out = full ? &beyond : output(out, used);
    z.avail_out = static_cast<uInt>(room);
    const int result = ::inflate(&z, Z_NO_FLUSH);
    used += room - z.avail_out;
    if (used > limit_bytes) return std::unexpected(InflateError::kTooLarge);
    if (result == Z_STREAM_END) {
      if (z.avail_in == 0) break;
      if (::inflateReset(&z) != Z_OK) return std::unexpected(InflateError::kBroken);
      continue;
    }
    if (result != Z_OK) return std::unexpected(InflateError::kBroken);
    if (z.avail_in == 0 && z.avail_out != 0) return std::unexpected(InflateError::kBroken);
  }
  out.resize(used);
  return out;
}

std::string gzip_deflate(std::string_view bytes) {
  assert(bytes.size() < UINT32_MAX / 2);
  Deflater deflater;
  z_stream& z = deflater.get();
  std::string out(::deflateBound(&z, bytes.size()), '\0');
  z.next_in = input(bytes);
  z.avail_in = static_cast<uInt>(bytes.size());
  z.next_out = output(out, 0);
  z.avail_out = static_cast<uInt>(out.size());
  [[maybe_unused]] const int result = ::deflate(&z, Z_FINISH);
  assert(result == Z_STREAM_END);
  out.resize(out.size() - z.avail_out);
  return out;
}

}  // namespace plimsoll::rpc
