// The flags that say which service a command speaks to.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "arguments.h"
#include "environment.h"
#include "plimsoll/client.h"

namespace plimsoll::cli {

inline constexpr std::array kRemoteFlags = {
    FlagSpec{"remote", Takes::kValue},  FlagSpec{"token-file", Takes::kValue},
    FlagSpec{"ca-file", Takes::kValue}, FlagSpec{"http", Takes::kValue},
    FlagSpec{"insecure-cleartext"},
};

// The flag beside those that only a run has.
inline constexpr FlagSpec kGrantProfileFlag{"grant-profile", Takes::kValue};

// A service, and how it is spoken to. The token itself is in no command line, which every user of
// the host can read: only the name of its file is.
struct RemoteOptions {
  std::string url;
  std::string token_file;
  std::string ca_file;
  HttpVersion http = HttpVersion::kHttp1;
  Cleartext cleartext = Cleartext::kLoopbackOnly;
  std::string grant_profile;  // of a run: the service's profile whose API the code may call
};

// Takes the flags above one by one. Pure.
class RemoteCollector {
 public:
  // False: it is none of kRemoteFlags, and not kGrantProfileFlag.
  bool take(const Flag& flag);

  // nullopt: --remote was not given; then any other of the flags is a mistake. Without --token-file
  // the environment names the file.
  [[nodiscard]] std::optional<RemoteOptions> finish(const Environment& environment,
                                                    std::vector<std::string>& mistakes) const;

 private:
  RemoteOptions options_;
  bool asked_ = false;
  std::vector<std::string> others_;    // the names of the other flags that were given
  std::vector<std::string> mistakes_;  // in their values
};

}  // namespace plimsoll::cli
