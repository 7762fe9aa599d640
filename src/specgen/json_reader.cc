// JSON, by nlohmann's parser. It reports events without places; the iterator that it reads by knows
// how far it got, and from there the start of what was read is found backwards.
#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "specgen/document_builder.h"
#include "specgen/document_reader.h"

namespace plimsoll::specgen {
namespace {

using Json = nlohmann::json;

// Counts what is read. Copies share the count: the parser takes its own.
class CountingIterator {
 public:
  // NOLINTBEGIN(readability-identifier-naming): the names are the library's.
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;
  // NOLINTEND(readability-identifier-naming)

  CountingIterator(const char* at, std::size_t* count) : at_(at), count_(count) {}
  reference operator*() const { return *at_; }
  CountingIterator& operator++() {
    ++at_;
    ++*count_;
    return *this;
  }
  CountingIterator operator++(int) {
    CountingIterator old = *this;
    ++*this;
    return old;
  }
  friend bool operator==(const CountingIterator& a, const CountingIterator& b) {
    return a.at_ == b.at_;
  }
  friend bool operator!=(const CountingIterator& a, const CountingIterator& b) = default;

 private:
  const char* at_;
  std::size_t* count_;
};

class Events {
 public:
  Events(std::string_view bytes, const DocumentLimits& limits) : bytes_(bytes), builder_(limits) {
    line_starts_.push_back(0);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      if (bytes[i] == '\n') line_starts_.push_back(i + 1);
    }
  }

  [[nodiscard]] std::size_t* count() { return &read_; }
  [[nodiscard]] DocumentBuilder& builder() { return builder_; }

  // The names of what follows are the parser's.
  bool null() { return builder_.scalar(Kind::kNull, {}, before_word(4)); }
  bool boolean(bool value) {
    return builder_.scalar(Kind::kBool, value ? "true" : "false", before_word(value ? 4 : 5));
  }
  bool number_integer(Json::number_integer_t) { return number(); }
  bool number_unsigned(Json::number_unsigned_t) { return number(); }
  bool number_float(Json::number_float_t, const std::string&) { return number(); }
  bool string(std::string& text) {
    return builder_.scalar(Kind::kString, std::move(text), mark(string_start()));
  }
  bool binary(Json::binary_t&) { return false; }
  bool start_object(std::size_t) { return builder_.open(Kind::kObject, before_word(1)); }
  bool start_array(std::size_t) { return builder_.open(Kind::kArray, before_word(1)); }
  bool key(std::string& name) { return builder_.key(std::move(name), mark(string_start())); }
  bool end_object() { return builder_.close(); }
  bool end_array() { return builder_.close(); }
  bool parse_error(std::size_t offset, const std::string&, const Json::exception&) {
    return builder_.refuse(mark(offset == 0 ? 0 : offset - 1), "is not JSON from here on");
  }

 private:
  bool number() {
    static constexpr std::string_view kDigits = "0123456789+-.eE";
    const auto is_digit = [&](std::size_t at) {
      return kDigits.find(bytes_[at]) != std::string_view::npos;
    };
    // The parser has looked at one byte more, unless the number was the last.
    std::size_t end = std::min(read_, bytes_.size());
    if (end > 0 && !is_digit(end - 1)) --end;
    std::size_t start = end;
    while (start > 0 && is_digit(start - 1)) --start;
    return builder_.scalar(Kind::kNumber, std::string(bytes_.substr(start, end - start)),
                           mark(start));
  }

  Mark before_word(std::size_t size) const { return mark(read_ < size ? 0 : read_ - size); }

  // Of the string that ends here: in it every quote has an odd number of backslashes before it.
  std::size_t string_start() const {
    std::size_t at = read_ < 2 ? 0 : read_ - 2;
    for (; at > 0; --at) {
      if (bytes_[at] != '"') continue;
      std::size_t slashes = 0;
      while (slashes < at && bytes_[at - 1 - slashes] == '\\') ++slashes;
      if (slashes % 2 == 0) break;
    }
    return at;
  }

  Mark mark(std::size_t offset) const {
    const auto after = std::ranges::upper_bound(line_starts_, offset);
    const std::size_t start = *std::prev(after);
    return {.line = static_cast<std::uint32_t>(after - line_starts_.begin()),
            .column = static_cast<std::uint32_t>(offset - start + 1)};
  }

  std::string_view bytes_;
  DocumentBuilder builder_;
  std::vector<std::size_t> line_starts_;
  std::size_t read_ = 0;
};

}  // namespace

std::optional<Document> read_json(std::string_view bytes, const DocumentLimits& limits,
                                  Diagnostics& diagnostics) {
  Events events(bytes, limits);
  const CountingIterator begin(std::to_address(bytes.begin()), events.count());
  const CountingIterator end(std::to_address(bytes.end()), events.count());
  if (Json::sax_parse(begin, end, &events)) return events.builder().take();
  const Diagnostic& fault = events.builder().fault();
  diagnostics.error(fault.mark, fault.message.empty() ? "is not JSON" : fault.message);
  return std::nullopt;
}

}  // namespace plimsoll::specgen
