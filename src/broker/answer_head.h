// Reads the header lines of an answer as they come: of 1xx ones, of the answer itself, of trailers.
// Pure; takes what the two fields say that anybody is told, and counts the bytes of all.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace plimsoll {

// Not for concurrent use.
class AnswerHead {
 public:
  // One line with or without its CRLF. False: the head is too large, read no more of it.
  [[nodiscard]] bool add(std::string_view line);

  [[nodiscard]] unsigned status() const noexcept {
    return status_;
  }  // of the last status line; or 0
  // Of several fields of one name none counts: readers disagree on which.
  [[nodiscard]] std::string content_type() const { return type_.value.value_or(std::string()); }
  [[nodiscard]] const std::optional<std::string>& retry_after() const noexcept {
    return retry_.value;
  }

 private:
  struct Field {
    std::optional<std::string> value;
    std::size_t times = 0;
    void set(std::string_view text) {
      ++times;
      value = times == 1 ? std::optional<std::string>(text) : std::nullopt;
    }
  };

  std::size_t bytes_ = 0;
  unsigned status_ = 0;
  bool complete_ = false;  // the empty line of a final answer was seen: trailers follow
  Field type_;
  Field retry_;
};

}  // namespace plimsoll
