// What the command takes from the environment: read in main, and nowhere below it.
#pragma once

#include <string>

namespace plimsoll::cli {

struct Environment {
  std::string sandbox_provider;     // SANDBOX_PROVIDER; empty: not set
  std::string sandbox_docker_host;  // SANDBOX_DOCKER_HOST; empty: not set
  std::string client_token_file;    // PLIMSOLL_CLIENT_TOKEN_FILE; empty: not set
  // SANDBOX_DOCKER_CERTS, _IMAGE, _RUNTIME and _SECCOMP, as docs/providers.md says; empty: not set.
  std::string sandbox_docker_certs{};
  std::string sandbox_docker_image{};
  std::string sandbox_docker_runtime{};
  std::string sandbox_docker_seccomp{};
};

}  // namespace plimsoll::cli
