// What the command takes from the environment: read in main, and nowhere below it.
#pragma once

#include <string>

namespace plimsoll::cli {

struct Environment {
  std::string sandbox_provider;     // SANDBOX_PROVIDER; empty: not set
  std::string sandbox_docker_host;  // SANDBOX_DOCKER_HOST; empty: not set
  std::string client_token_file;    // PLIMSOLL_CLIENT_TOKEN_FILE; empty: not set
};

}  // namespace plimsoll::cli
