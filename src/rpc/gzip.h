// gzip (RFC 1952) with a bound on what comes out. Stops the attack of a small body that inflates to
// a large one: inflation ends at the limit, it is not measured afterwards.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

namespace plimsoll::rpc {

enum class InflateError : std::uint8_t {
  kTooLarge,  // more than the limit
  kBroken,    // not gzip, cut short, or bytes after its end
};

// Everything that `bytes` (one or more gzip members) inflates to, at most `limit_bytes`.
[[nodiscard]] std::expected<std::string, InflateError> gzip_inflate(std::string_view bytes,
                                                                    std::size_t limit_bytes);

// At the fastest level: an answer should not wait for its last percent.
[[nodiscard]] std::string gzip_deflate(std::string_view bytes);

}  // namespace plimsoll::rpc
