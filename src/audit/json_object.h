// Writes one flat JSON object, field by field.
#pragma once

#include <fmt/format.h>

#include <concepts>
#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>

#include "base/json_text.h"

namespace plimsoll {

// Names are literals of ours; text is escaped. A repeated name is the caller's mistake.
class JsonObject {
 public:
  JsonObject& text(std::string_view name, std::string_view value) {
    key(name);
    append_json_string(out_, value);
    return *this;
  }
  template <std::integral Number>
  JsonObject& number(std::string_view name, Number value) {
    key(name);
    fmt::format_to(std::back_inserter(out_), "{}", value);
    return *this;
  }
  JsonObject& flag(std::string_view name, bool value) {
    return literal(name, value ? "true" : "false");
  }
  // `value` is JSON already.
  JsonObject& json(std::string_view name, std::string_view value) { return literal(name, value); }
  JsonObject& null(std::string_view name) { return literal(name, "null"); }

  // Bytes so far, without the closing brace.
  [[nodiscard]] std::size_t size() const noexcept { return out_.size(); }

  // The object; this is empty afterwards.
  [[nodiscard]] std::string take() {
    out_ += out_.empty() ? "{}" : "}";
    return std::move(out_);
  }

 private:
  JsonObject& literal(std::string_view name, std::string_view value) {
    key(name);
    out_ += value;
    return *this;
  }
  void key(std::string_view name) {
    out_ += out_.empty() ? '{' : ',';
    append_json_string(out_, name);
    out_ += ':';
  }

  std::string out_;
};

}  // namespace plimsoll
