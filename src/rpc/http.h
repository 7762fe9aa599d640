// An HTTP request's head and a response, as both HTTP versions give and take them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::rpc {

struct Header {
  std::string name;  // lower case
  std::string value;
};

// Header fields in order of arrival.
class Headers {
 public:
  // `name` in lower case.
  void add(std::string_view name, std::string_view value) {
    fields_.push_back({.name = std::string(name), .value = std::string(value)});
  }
  // The first field of that name; nullopt when there is none.
  [[nodiscard]] std::optional<std::string_view> find(std::string_view name) const noexcept {
    for (const Header& field : fields_) {
      if (field.name == name) return field.value;
    }
    return std::nullopt;
  }
  [[nodiscard]] std::size_t count(std::string_view name) const noexcept {
    std::size_t n = 0;
    for (const Header& field : fields_) n += field.name == name ? 1U : 0U;
    return n;
  }
  [[nodiscard]] bool empty() const noexcept { return fields_.empty(); }
  [[nodiscard]] auto begin() const noexcept { return fields_.begin(); }
  [[nodiscard]] auto end() const noexcept { return fields_.end(); }
  [[nodiscard]] std::size_t size() const noexcept { return fields_.size(); }

 private:
  std::vector<Header> fields_;
};

enum class HttpVersion : std::uint8_t { kHttp1, kHttp2 };

// Who is at the other end. One for each connection; immutable.
struct Peer {
  std::string address;  // "192.0.2.1:4711", "[2001:db8::1]:4711"
  bool encrypted = false;
};

struct RequestHead {
  std::string method;  // "POST"
  std::string path;    // "/a/b", without the query; not decoded
  std::string query;   // without its "?"
  HttpVersion version = HttpVersion::kHttp1;
  Headers headers;
  std::optional<std::uint64_t> content_length;
};

struct Response {
  unsigned status = 200;
  Headers headers;  // without content-length, date and connection: the HTTP version adds them
  std::string body;
  Headers trailers;  // HTTP/2 only
};

// ASCII case-insensitive comparison.
[[nodiscard]] bool equal_ignoring_case(std::string_view a, std::string_view b) noexcept;
// Without blanks (SP and HTAB) at both ends.
[[nodiscard]] std::string_view trim(std::string_view text) noexcept;
// Splits "/a/b?c=d" (or the absolute form of it, RFC 9112 section 3.2.2) into path and query.
// False: neither form.
[[nodiscard]] bool split_target(std::string_view target, std::string& path, std::string& query);

}  // namespace plimsoll::rpc
