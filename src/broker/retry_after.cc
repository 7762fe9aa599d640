#include "broker/retry_after.h"

#include <algorithm>
#include <array>
#include <span>

namespace plimsoll {
namespace {

using std::chrono::milliseconds;
using std::chrono::sys_seconds;
using std::chrono::system_clock;

constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                      "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
constexpr std::array<std::string_view, 7> kShortDays = {"Sun", "Mon", "Tue", "Wed",
                                                        "Thu", "Fri", "Sat"};
constexpr std::array<std::string_view, 7> kLongDays = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                                       "Thursday", "Friday", "Saturday"};

bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

// Takes a text from the left; after the first thing that does not fit, nothing does.
class Cursor {
 public:
  explicit Cursor(std::string_view rest) : rest_(rest) {}

  [[nodiscard]] bool good() const noexcept { return good_; }
  [[nodiscard]] bool at_end() const noexcept { return good_ && rest_.empty(); }

  void literal(std::string_view text) {
    good_ = good_ && rest_.starts_with(text);
    if (good_) rest_.remove_prefix(text.size());
  }
  // The index of the name that stands here.
  unsigned one_of(std::span<const std::string_view> names) {
    for (std::size_t i = 0; good_ && i < names.size(); ++i) {
      if (!rest_.starts_with(names[i])) continue;
      rest_.remove_prefix(names[i].size());
      return static_cast<unsigned>(i);
    }
    good_ = false;
    return 0;
  }
  unsigned digits(std::size_t count) {
    unsigned value = 0;
    good_ = good_ && rest_.size() >= count && std::ranges::all_of(rest_.substr(0, count), is_digit);
    if (!good_) return 0;
    for (const char c : rest_.substr(0, count)) value = value * 10 + static_cast<unsigned>(c - '0');
    rest_.remove_prefix(count);
    return value;
  }
  // asctime's day: two digits, or a blank and one.
  unsigned padded_day() {
    if (!rest_.starts_with(' ')) return digits(2);
    literal(" ");
    return digits(1);
  }

 private:
  std::string_view rest_;
  bool good_ = true;
};

struct DateTime {
  unsigned year = 0;
  unsigned month = 0;  // from 1
  unsigned day = 0;
  unsigned hour = 0;
  unsigned minute = 0;
  unsigned second = 0;
};

void take_time(Cursor& cursor, DateTime& into) {
  into.hour = cursor.digits(2);
  cursor.literal(":");
  into.minute = cursor.digits(2);
  cursor.literal(":");
  into.second = cursor.digits(2);
}

std::optional<sys_seconds> to_seconds(const DateTime& it) {
  using std::chrono::day;
  using std::chrono::month;
  using std::chrono::year;
  const std::chrono::year_month_day date{year(static_cast<int>(it.year)), month(it.month),
                                         day(it.day)};
  // 60: a leap second.
  if (!date.ok() || it.hour > 23 || it.minute > 59 || it.second > 60) return std::nullopt;
  return std::chrono::sys_days(date) + std::chrono::hours(it.hour) +
         std::chrono::minutes(it.minute) + std::chrono::seconds(it.second);
}

// Sun, 06 Nov 1994 08:49:37 GMT
std::optional<DateTime> imf_fixdate(std::string_view text) {
  Cursor cursor(text);
  DateTime it;
  cursor.one_of(kShortDays);
  cursor.literal(", ");
  it.day = cursor.digits(2);
  cursor.literal(" ");
  it.month = cursor.one_of(kMonths) + 1;
  cursor.literal(" ");
  it.year = cursor.digits(4);
  cursor.literal(" ");
  take_time(cursor, it);
  cursor.literal(" GMT");
  return cursor.at_end() ? std::optional(it) : std::nullopt;
}

// Sunday, 06-Nov-94 08:49:37 GMT
std::optional<DateTime> rfc850_date(std::string_view text, system_clock::time_point now) {
  Cursor cursor(text);
  DateTime it;
  cursor.one_of(kLongDays);
  cursor.literal(", ");
  it.day = cursor.digits(2);
  cursor.literal("-");
  it.month = cursor.one_of(kMonths) + 1;
  cursor.literal("-");
  const unsigned short_year = cursor.digits(2);
  cursor.literal(" ");
  take_time(cursor, it);
  cursor.literal(" GMT");
  if (!cursor.at_end()) return std::nullopt;
  const std::chrono::year_month_day today(std::chrono::floor<std::chrono::days>(now));
  const auto this_year = static_cast<unsigned>(static_cast<int>(today.year()));
  it.year = this_year - this_year % 100 + 100 + short_year;
  while (it.year > this_year + 50) it.year -= 100;
  return it;
}

// Sun Nov  6 08:49:37 1994
std::optional<DateTime> asctime_date(std::string_view text) {
  Cursor cursor(text);
  DateTime it;
  cursor.one_of(kShortDays);
  cursor.literal(" ");
  it.month = cursor.one_of(kMonths) + 1;
  cursor.literal(" ");
  it.day = cursor.padded_day();
  cursor.literal(" ");
  take_time(cursor, it);
  cursor.literal(" ");
  it.year = cursor.digits(4);
  return cursor.at_end() ? std::optional(it) : std::nullopt;
}

}  // namespace

std::optional<sys_seconds> parse_http_date(std::string_view text, system_clock::time_point now) {
  auto date = imf_fixdate(text);
  if (!date) date = rfc850_date(text, now);
  if (!date) date = asctime_date(text);
  return date ? to_seconds(*date) : std::nullopt;
}

milliseconds pause_of(std::optional<std::string_view> retry_after, system_clock::time_point now) {
  if (!retry_after || retry_after->empty()) return kLeastPause;
  if (std::ranges::all_of(*retry_after, is_digit)) {
    const auto significant = retry_after->find_first_not_of('0');
    if (significant == std::string_view::npos) return kLeastPause;
    const std::string_view digits = retry_after->substr(significant);
    if (digits.size() > 2) return kGreatestPause;
    return std::clamp(milliseconds(std::chrono::seconds(Cursor(digits).digits(digits.size()))),
                      kLeastPause, kGreatestPause);
  }
  const auto date = parse_http_date(*retry_after, now);
  if (!date || *date <= std::chrono::floor<std::chrono::seconds>(now)) return kLeastPause;
  // In seconds first: the year 9999 is too far for a clock that counts nanoseconds.
  const auto seconds = *date - std::chrono::floor<std::chrono::seconds>(now);
  if (seconds > kGreatestPause) return kGreatestPause;
  return std::clamp(std::chrono::ceil<milliseconds>(*date - now), kLeastPause, kGreatestPause);
}

}  // namespace plimsoll
