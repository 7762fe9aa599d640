#include "docker_tiers.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <expected>
#include <utility>

#include <nlohmann/json.hpp>

#include "output.h"
#include "smoke_check.h"

namespace plimsoll::cli {
namespace {

constexpr std::string_view kUnixScheme = "unix://";
constexpr std::size_t kMaxAnswerBytes = std::size_t{1} << 20;
constexpr timeval kPatience{.tv_sec = 2, .tv_usec = 0};
// HTTP/1.0: the answer is not chunked and ends with the connection.
constexpr std::string_view kRequest = "GET /info HTTP/1.0\r\nHost: docker\r\n\r\n";

std::expected<int, int> connect_to(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) return std::unexpected(ENAMETOOLONG);
  std::memcpy(address.sun_path, path.data(), path.size());
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return std::unexpected(errno);
  ::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &kPatience, sizeof kPatience);
  ::setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &kPatience, sizeof kPatience);
  if (::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return fd;
  const int error = errno;
  ::close(fd);
  return std::unexpected(error);
}

// The whole answer, or what came of it. An endless or silent engine cannot hold us.
std::string ask(int fd) {
  std::string answer;
  if (::send(fd, kRequest.data(), kRequest.size(), MSG_NOSIGNAL) < 0) return answer;
  char buffer[4096];
  while (answer.size() < kMaxAnswerBytes) {
    const ssize_t got = ::recv(fd, buffer, sizeof buffer, 0);
    if (got <= 0) break;
    answer.append(buffer, static_cast<std::size_t>(got));
  }
  return answer;
}

HostCheck explain_connect(const std::string& path, int error) {
  HostCheck check{.name = "container engine", .finding = Finding::kMissing, .detail = {}};
  check.detail = fmt::format("{} does not answer: {}", path, describe_errno(error));
  if (error == EACCES || error == EPERM) {
    check.remedy = "add this user to the group of the socket (docker)";
  } else if (error == ENOENT) {
    check.remedy = "install a Docker engine, or name its endpoint in SANDBOX_DOCKER_HOST";
  } else {
    check.remedy = "start the Docker engine";
  }
  return check;
}

struct Engine {
  HostCheck check;
  std::string answer;
};

Engine examine_engine(const std::string& endpoint) {
  if (!endpoint.starts_with(kUnixScheme)) {
    return {{.name = "container engine",
             .finding = Finding::kSkipped,
             .detail = endpoint + " is not a unix socket, and was not asked",
             .remedy = "ask the engine there: docker info"},
            {}};
  }
  const std::string path = endpoint.substr(kUnixScheme.size());
  const auto fd = connect_to(path);
  if (!fd) return {explain_connect(path, fd.error()), {}};
  Engine engine{{.name = "container engine", .detail = path + " answers"}, ask(*fd)};
  ::close(*fd);
  if (engine.answer.starts_with("HTTP/1.") && engine.answer.substr(8, 5) == " 200 ") return engine;
  engine.check.finding = Finding::kMissing;
  engine.check.detail = path + " accepts connections and does not answer as a Docker engine";
  engine.check.remedy = "see the engine's log";
  return engine;
}

HostCheck examine_runsc(const Engine& engine) {
  HostCheck check{.name = "runsc", .detail = "the engine has the runtime"};
  if (engine.check.finding != Finding::kOk) {
    check.finding = Finding::kSkipped;
    check.detail = "only a container engine that answers can tell";
  } else if (!registers_runsc(engine.answer)) {
    check.finding = Finding::kMissing;
    check.detail = "the engine has no runtime of this name";
    check.remedy = "install gVisor and run: runsc install, then restart the engine";
  }
  return check;
}

// The last check, where the others found nothing missing.
void try_out(const DockerConfig& docker, std::string runtime, TierReport& report) {
  if (!report.host_has_it()) return;
  SandboxConfig config;
  config.provider = ProviderKind::kDocker;
  config.minimum_isolation = report.tier;
  config.docker = docker;
  config.docker.runtime = std::move(runtime);
  HostCheck check = start_for_real(config, report.evidence);
  if (check.finding == Finding::kMissing) {
    check.remedy = "name an image with the runner in SANDBOX_DOCKER_IMAGE: make images builds one";
  }
  report.checks.push_back(std::move(check));
}

}  // namespace

bool registers_runsc(std::string_view http_response) {
  const auto head_end = http_response.find("\r\n\r\n");
  if (head_end == std::string_view::npos) return false;
  const auto info = nlohmann::json::parse(http_response.substr(head_end + 4), nullptr, false);
  if (!info.is_object()) return false;
  const auto runtimes = info.find("Runtimes");
  return runtimes != info.end() && runtimes->is_object() && runtimes->contains("runsc");
}

std::vector<TierReport> examine_docker_tiers(const DockerConfig& docker) {
  const Engine engine = examine_engine(docker.host);
  TierReport container{.tier = Isolation::kContainer,
                       .what = "docker: a locked-down container",
                       .in_this_build = InThisBuild::kYes,
                       .checks = {engine.check}};
  TierReport kernel{.tier = Isolation::kKernel,
                    .what = "docker with gVisor: a kernel of its own",
                    .in_this_build = InThisBuild::kYes,
                    .checks = {engine.check, examine_runsc(engine)}};
  try_out(docker, "runc", container);
  try_out(docker, "runsc", kernel);
  return {std::move(container), std::move(kernel)};
}

}  // namespace plimsoll::cli
