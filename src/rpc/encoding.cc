#include "rpc/encoding.h"

#include "rpc/http.h"

namespace plimsoll::rpc {

namespace {

// "q=0", "q=0.0", "q=0.000": whether the parameters of a list element refuse it.
bool weighs_nothing(std::string_view parameters) noexcept {
  const std::size_t q = parameters.find("q=");
  if (q == std::string_view::npos) return false;
  const std::string_view weight = trim(parameters.substr(q + 2));
  return weight.starts_with('0') && weight.find_first_not_of("0.") == std::string_view::npos;
}

}  // namespace

std::string_view to_string(Encoding encoding) noexcept {
  return encoding == Encoding::kGzip ? "gzip" : "identity";
}

std::optional<Encoding> parse_encoding(std::string_view name) noexcept {
  if (name.empty() || equal_ignoring_case(name, "identity")) return Encoding::kIdentity;
  if (equal_ignoring_case(name, "gzip")) return Encoding::kGzip;
  return std::nullopt;
}

Encoding choose_encoding(std::string_view accept_list) noexcept {
  while (!accept_list.empty()) {
    const std::size_t comma = accept_list.find(',');
    const std::string_view element = accept_list.substr(0, comma);
    accept_list.remove_prefix(comma == std::string_view::npos ? accept_list.size() : comma + 1);
    const std::size_t semicolon = element.find(';');
    const std::string_view name = trim(element.substr(0, semicolon));
    if (name.empty()) continue;
    if (semicolon != std::string_view::npos && weighs_nothing(element.substr(semicolon + 1))) {
      continue;
    }
    if (const auto encoding = parse_encoding(name)) return *encoding;
  }
  return Encoding::kIdentity;
}

}  // namespace plimsoll::rpc
