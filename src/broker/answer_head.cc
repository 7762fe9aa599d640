#include "broker/answer_head.h"

#include <algorithm>

#include "broker/http_transport.h"

namespace plimsoll {
namespace {

char lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool same_name(std::string_view one, std::string_view other) noexcept {
  return std::ranges::equal(one, other, {}, lower, lower);
}

std::string_view trimmed(std::string_view text) noexcept {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// "HTTP/1.1 204 No Content"; 0 when there is no code of three digits.
unsigned status_of(std::string_view line) noexcept {
  const auto blank = line.find(' ');
  if (blank == std::string_view::npos) return 0;
  const std::string_view code = line.substr(blank + 1, 3);
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  if (code.size() != 3 || !std::ranges::all_of(code, digit)) return 0;
  unsigned status = 0;
  for (const char c : code) status = status * 10 + static_cast<unsigned>(c - '0');
  return status;
}

}  // namespace

bool AnswerHead::add(std::string_view line) {
  bytes_ += line.size();
  if (bytes_ > kMaxAnswerHeadBytes) return false;
  while (line.ends_with('\n') || line.ends_with('\r')) line.remove_suffix(1);
  if (complete_) return true;
  if (line.starts_with("HTTP/")) {
    status_ = status_of(line);
    type_ = {};
    retry_ = {};
    return true;
  }
  if (line.empty()) {
    complete_ = status_ >= 200;
    return true;
  }
  const auto colon = line.find(':');
  if (colon == std::string_view::npos) return true;
  const std::string_view name = line.substr(0, colon);
  const std::string_view value = trimmed(line.substr(colon + 1));
  if (same_name(name, "content-type")) type_.set(value);
  if (same_name(name, "retry-after")) retry_.set(value);
  return true;
}

}  // namespace plimsoll
