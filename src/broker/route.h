// One line of an allow list: a method, a path in which "*" fills exactly one whole segment, and the
// query parameters that are admitted.
#pragma once

#include <cstddef>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "broker/target.h"

namespace plimsoll {

inline constexpr std::size_t kMaxQueryNameBytes = 64;

class Route {
 public:
  // Reads "METHOD /path?name&name" in its one canonical spelling. Errors: what is wrong and what is
  // accepted, for people, without a full stop; never with a byte of `text` that is not printable.
  [[nodiscard]] static std::expected<Route, std::string> parse(std::string_view text);

  [[nodiscard]] std::string_view method() const noexcept { return method_; }
  // The path and the query names, as the operator wrote them: what a trace shows.
  [[nodiscard]] const std::string& route_template() const noexcept { return template_; }
  // The path alone: "/v1/orders/*".
  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  [[nodiscard]] const std::vector<std::string>& segments() const noexcept { return segments_; }
  [[nodiscard]] const std::vector<std::string>& query_names() const noexcept { return names_; }
  [[nodiscard]] bool has_wildcard() const noexcept { return wildcards_ != 0; }

  // Whether this line permits the call.
  [[nodiscard]] bool permits(std::string_view method, const Target& target) const;

 private:
  std::string method_;
  std::string template_;
  std::string path_;
  std::vector<std::string> segments_;  // "*" is the wildcard
  std::vector<std::string> names_;     // decoded, each once
  std::size_t wildcards_ = 0;
};

}  // namespace plimsoll
