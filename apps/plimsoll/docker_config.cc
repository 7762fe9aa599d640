#include "docker_config.h"

#include <string>

namespace plimsoll::cli {

DockerConfig docker_config(const Environment& environment) {
  DockerConfig docker;
  docker.pool = 0;
  docker.max_concurrent = 1;
  const auto set = [](std::string& field, const std::string& value) {
    if (!value.empty()) field = value;
  };
  set(docker.host, environment.sandbox_docker_host);
  set(docker.certs, environment.sandbox_docker_certs);
  set(docker.image, environment.sandbox_docker_image);
  set(docker.runtime, environment.sandbox_docker_runtime);
  set(docker.seccomp, environment.sandbox_docker_seccomp);
  return docker;
}

}  // namespace plimsoll::cli
