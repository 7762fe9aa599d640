// The secret by which a service knows its caller.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "plimsoll/result.h"

namespace plimsoll {

// The bound of a token.
inline constexpr std::size_t kMaxTokenBytes = 4096;

// Holds a well-formed token: 1 to kMaxTokenBytes bytes of visible ASCII, so that it cannot end the
// header that it is sent in. Its bytes are overwritten when it goes. No error, log line or operator
// prints it.
class BearerToken {
 public:
  // Errors: kInvalidConfig; the message never holds any of the bytes.
  [[nodiscard]] static Result<BearerToken> from_text(std::string_view text);

  // Reads a regular file that others may not read and its group may not write (chmod 0600, or 0640
  // for a mounted secret). One line break at its end is not part of the token. Errors:
  // kInvalidConfig, naming the file.
  [[nodiscard]] static Result<BearerToken> from_file(const std::string& path);

  BearerToken(const BearerToken&) = default;
  BearerToken(BearerToken&& other) noexcept;
  BearerToken& operator=(const BearerToken& other);
  BearerToken& operator=(BearerToken&& other) noexcept;
  ~BearerToken();

  // For the one who sends it.
  [[nodiscard]] std::string_view reveal() const noexcept { return text_; }

 private:
  explicit BearerToken(std::string_view text) : text_(text) {}

  std::string text_;
};

}  // namespace plimsoll
