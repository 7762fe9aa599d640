#include "providers/proc_files.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "base/unique_fd.h"

namespace plimsoll {

std::optional<std::string> read_small_file(const std::string& path) {
  constexpr std::size_t kMost = std::size_t{64} << 10;
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return std::nullopt;
  std::string text;
  std::array<char, 8'192> buffer{};
  while (text.size() < kMost) {
    const ssize_t got = ::read(file.get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return std::nullopt;
    if (got == 0) break;
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
  return text;
}

std::string status_field(std::string_view text, std::string_view name) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    at = end + 1;
    if (!line.starts_with(name) || line.size() <= name.size() || line[name.size()] != ':') continue;
    const std::size_t from = line.find_first_not_of(" \t", name.size() + 1);
    return from == std::string_view::npos ? std::string() : std::string(line.substr(from));
  }
  return {};
}

std::string link_text(const std::string& path) {
  std::array<char, 256> target{};
  const ssize_t size = ::readlink(path.c_str(), target.data(), target.size() - 1);
  return size < 0 ? std::string() : std::string(target.data(), static_cast<std::size_t>(size));
}

}  // namespace plimsoll
