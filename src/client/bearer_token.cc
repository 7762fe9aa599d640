#include "plimsoll/bearer_token.h"

#include <fmt/format.h>
#include <strings.h>

#include <algorithm>
#include <utility>

#include "client/small_file.h"

namespace plimsoll {
namespace {

bool is_visible_ascii(char c) noexcept { return c > ' ' && c < '\x7f'; }

void wipe(std::string& text) noexcept {
  text.resize(text.capacity());  // a longer text may have been here before
  ::explicit_bzero(text.data(), text.size());
  text.clear();
}

Error invalid(std::string message) {
  return {.code = ErrorCode::kInvalidConfig,
          .message = std::move(message),
          .not_dispatched = NotDispatchedReason::kEnvironment};
}

}  // namespace

Result<BearerToken> BearerToken::from_text(std::string_view text) {
  if (text.empty()) return std::unexpected(invalid("the token is empty"));
  if (text.size() > kMaxTokenBytes) {
    return std::unexpected(
        invalid(fmt::format("the token has more than {} bytes", kMaxTokenBytes)));
  }
  if (!std::ranges::all_of(text, is_visible_ascii)) {
    return std::unexpected(
        invalid("the token holds a blank, a line break or another byte that is not visible ASCII"));
  }
  return BearerToken(text);
}

Result<BearerToken> BearerToken::from_file(const std::string& path) {
  // With the newline that is not part of it, of either kind.
  auto content = client::read_small_file(path, kMaxTokenBytes + 2, client::FileKind::kSecret);
  if (!content) {
    return std::unexpected(invalid("the token file " + path + " " + content.error().message));
  }
  std::string_view text = *content;
  if (text.ends_with('\n')) text.remove_suffix(1);
  if (text.ends_with('\r')) text.remove_suffix(1);
  auto token = from_text(text);
  wipe(*content);
  if (!token) {
    return std::unexpected(invalid("the token file " + path + ": " + token.error().message));
  }
  return token;
}

BearerToken::BearerToken(BearerToken&& other) noexcept : text_(std::move(other.text_)) {
  wipe(other.text_);
}

BearerToken& BearerToken::operator=(const BearerToken& other) {
  if (this != &other) {
    wipe(text_);
    text_ = other.text_;
  }
  return *this;
}

BearerToken& BearerToken::operator=(BearerToken&& other) noexcept {
  if (this != &other) {
    wipe(text_);
    text_ = std::move(other.text_);
    wipe(other.text_);
  }
  return *this;
}

BearerToken::~BearerToken() { wipe(text_); }

}  // namespace plimsoll
