#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "base/utf8.h"
#include "grants/grant_profiles.h"
#include "grants/operator_file.h"
#include "grants/profiles_reader.h"

namespace plimsoll {
namespace {

void read_preamble(const std::string& folder, GrantProfile& profile,
                   std::vector<std::string>& mistakes) {
  if (profile.preamble_file.empty()) return;
  const auto complain = [&](const std::string& what) {
    mistakes.push_back(place_of(profile) + "preamble_file " + what);
  };
  const auto path = path_inside(folder, profile.preamble_file);
  if (!path) return complain(path.error());
  const auto bytes = read_operator_file(*path, kMaxPreambleBytes, FileReaders::kAnybody);
  if (!bytes) return complain(bytes.error());
  if (!is_valid_utf8(bytes->reveal())) return complain("is not UTF-8");
  profile.grant.preamble = bytes->reveal();
}

}  // namespace

ReadProfiles examine_profiles_file(const std::string& path) {
  const auto bytes = read_operator_file(path, kMaxProfilesBytes, FileReaders::kAnybody);
  if (!bytes) return {.profiles = {}, .mistakes = {bytes.error()}};
  ReadProfiles read = read_profiles(bytes->reveal());
  const std::string folder = std::filesystem::path(path).parent_path().string();
  for (GrantProfile& profile : read.profiles) {
    read_preamble(folder.empty() ? "." : folder, profile, read.mistakes);
  }
  return read;
}

Result<std::vector<GrantProfile>> read_profiles_file(const std::string& path) {
  ReadProfiles read = examine_profiles_file(path);
  if (read.mistakes.empty()) return std::move(read.profiles);
  return std::unexpected(
      Error{.code = ErrorCode::kInvalidConfig,
            .message = fmt::format("{}: {}", path, fmt::join(read.mistakes, "; ")),
            .not_dispatched = NotDispatchedReason::kEnvironment});
}

}  // namespace plimsoll
