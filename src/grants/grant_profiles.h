// The profiles of a daemon: read once, then frozen. A caller selects one by its name, and can
// define nothing.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "grants/grant_profile.h"
#include "grants/profiles_reader.h"
#include "plimsoll/grant.h"
#include "plimsoll/result.h"
#include "plimsoll/secret.h"

namespace plimsoll {

// The value of an environment variable; empty when it is not set. Only main() gives one that reads
// the environment.
using VariableReader = std::function<Secret(const std::string& name)>;

// The profiles of the file at `path`, with what their preamble files hold, and every mistake. Reads
// no secret: for `plimsoll grants check`. The profiles count only without mistakes.
[[nodiscard]] ReadProfiles examine_profiles_file(const std::string& path);

// The same. Errors: kInvalidConfig with every mistake, by profile and field.
[[nodiscard]] Result<std::vector<GrantProfile>> read_profiles_file(const std::string& path);

// A profile and the grant that its runs get.
struct LoadedProfile {
  GrantProfile profile;
  Grant grant;
};

// Immutable; safe for concurrent use.
class GrantProfiles {
 public:
  GrantProfiles() = default;  // none

  // read_profiles_file(), and the secrets: variables are read now, key files (relative to the
  // profiles file's folder) too. Errors: kInvalidConfig with every mistake, no secret in it.
  [[nodiscard]] static Result<GrantProfiles> load(const std::string& path,
                                                  const VariableReader& variable);

  // The profile, when it exists and permits this caller; else null. That a profile is unknown and
  // that it is forbidden look the same from outside.
  [[nodiscard]] const LoadedProfile* find(std::string_view name, std::string_view caller) const;

  // By name. For start-up: those that permit everybody are logged.
  [[nodiscard]] const std::map<std::string, LoadedProfile, std::less<>>& all() const noexcept {
    return profiles_;
  }

 private:
  std::map<std::string, LoadedProfile, std::less<>> profiles_;
};

}  // namespace plimsoll
