#include "remote_options.h"

#include <fmt/format.h>

namespace plimsoll::cli {

bool RemoteCollector::take(const Flag& flag) {
  const auto [name, value] = flag;
  if (name == "remote") {
    asked_ = true;
    options_.url = value;
    return true;
  }
  if (name == "token-file") {
    if (value.empty()) mistakes_.emplace_back("--token-file: the file name is empty");
    options_.token_file = value;
  } else if (name == "ca-file") {
    if (value.empty()) mistakes_.emplace_back("--ca-file: the file name is empty");
    options_.ca_file = value;
  } else if (name == "grant-profile") {
    if (value.empty()) mistakes_.emplace_back("--grant-profile: the name is empty");
    options_.grant_profile = value;
  } else if (name == "http") {
    if (value != "1" && value != "2") {
      mistakes_.push_back(fmt::format("--http: '{}'; 1 and 2 are accepted", value));
    }
    options_.http = value == "2" ? HttpVersion::kHttp2 : HttpVersion::kHttp1;
  } else if (name == "insecure-cleartext") {
    options_.cleartext = Cleartext::kInsecureAnywhere;
  } else {
    return false;
  }
  others_.emplace_back(name);
  return true;
}

std::optional<RemoteOptions> RemoteCollector::finish(const Environment& environment,
                                                     std::vector<std::string>& mistakes) const {
  mistakes.insert(mistakes.end(), mistakes_.begin(), mistakes_.end());
  if (!asked_) {
    for (const std::string& name : others_) {
      mistakes.push_back(fmt::format("--{} needs --remote", name));
    }
    return std::nullopt;
  }
  RemoteOptions options = options_;
  if (options.token_file.empty()) options.token_file = environment.client_token_file;
  if (options.token_file.empty()) {
    mistakes.emplace_back(
        "--remote needs a token: --token-file FILE or PLIMSOLL_CLIENT_TOKEN_FILE");
  }
  return options;
}

}  // namespace plimsoll::cli
