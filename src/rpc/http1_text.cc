#include "rpc/http1_text.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <utility>

namespace plimsoll::rpc {

namespace {

constexpr std::array<std::pair<unsigned, std::string_view>, 19> kReasons{{
    {200, "OK"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {408, "Request Timeout"},
    {409, "Conflict"},
    {413, "Content Too Large"},
    {415, "Unsupported Media Type"},
    {417, "Expectation Failed"},
    {429, "Too Many Requests"},
    {431, "Request Header Fields Too Large"},
    {499, "Client Closed Request"},
    {500, "Internal Server Error"},
    {501, "Not Implemented"},
    {503, "Service Unavailable"},
    {504, "Gateway Timeout"},
    {505, "HTTP Version Not Supported"},
}};

std::string_view reason(unsigned status) noexcept {
  const auto* const row =
      std::ranges::find(kReasons, status, [](const auto& r) { return r.first; });
  return row == kReasons.end() ? std::string_view("Unknown") : row->second;
}

bool is_clean(std::string_view value) noexcept {
  return std::ranges::none_of(value, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && c != '\t') || byte == 0x7F;
  });
}

}  // namespace

std::string http1_head(const Response& response, ConnectionFate fate) {
  std::string out;
  out.reserve(256 + response.body.size());
  out += "HTTP/1.1 ";
  out += std::to_string(response.status);
  out += ' ';
  out += reason(response.status);
  out += "\r\n";
  for (const Header& field : response.headers) {
    if (!is_clean(field.value)) continue;
    out += field.name;
    out += ": ";
    out += field.value;
    out += "\r\n";
  }
  out += "content-length: ";
  out += std::to_string(response.body.size());
  out += "\r\ndate: ";
  out += http_date();
  if (fate == ConnectionFate::kEnds) out += "\r\nconnection: close";
  out += "\r\n\r\n";
  return out;
}

std::string_view http_date() {
  static thread_local std::time_t made = 0;
  static thread_local std::array<char, 40> text{};
  const std::time_t now = std::time(nullptr);
  if (now != made) {
    // Not strftime's names of days: they follow the locale.
    constexpr std::array<std::string_view, 7> kDays{"Sun", "Mon", "Tue", "Wed",
                                                    "Thu", "Fri", "Sat"};
    constexpr std::array<std::string_view, 12> kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                       "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    std::tm utc{};
    ::gmtime_r(&now, &utc);
    const auto out =
        fmt::format_to_n(text.data(), text.size() - 1, "{}, {:02} {} {} {:02}:{:02}:{:02} GMT",
                         kDays[static_cast<std::size_t>(utc.tm_wday)], utc.tm_mday,
                         kMonths[static_cast<std::size_t>(utc.tm_mon)], utc.tm_year + 1900,
                         utc.tm_hour, utc.tm_min, utc.tm_sec);
    *out.out = '\0';
    made = now;
  }
  return text.data();
}

}  // namespace plimsoll::rpc
