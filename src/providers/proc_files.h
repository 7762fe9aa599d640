// Small files of /proc and /sys, as the kernel shows them to the host.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace plimsoll {

// A whole file, up to 64 KiB of it; nullopt: not readable.
[[nodiscard]] std::optional<std::string> read_small_file(const std::string& path);

// The value of the line "Name:\tvalue"; empty: there is none.
[[nodiscard]] std::string status_field(std::string_view text, std::string_view name);

// What a symbolic link says, e.g. "user:[4026531837]"; empty: not readable.
[[nodiscard]] std::string link_text(const std::string& path);

}  // namespace plimsoll
