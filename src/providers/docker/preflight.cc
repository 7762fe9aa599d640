#include "providers/docker/preflight.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "base/errno_text.h"
#include "base/json_text.h"
#include "base/json_tree.h"
#include "base/unique_fd.h"
#include "providers/docker/failure.h"
#include "providers/docker/image_choice.h"

namespace plimsoll::docker {

namespace {

constexpr std::size_t kMaxProfileBytes = std::size_t{256} << 10;
constexpr std::string_view kUnconfined = "unconfined";

Result<EngineRuntime> choose_runtime(const EngineInfo& info, const std::string& wanted) {
  const std::string& name = wanted.empty() ? info.default_runtime : wanted;
  const auto found = std::ranges::find(info.runtimes, name, &EngineRuntime::name);
  if (found != info.runtimes.end()) return *found;
  std::string known;
  for (const EngineRuntime& one : info.runtimes) {
    known += fmt::format("{}{}", known.empty() ? "" : ", ", json_string(one.name));
  }
  return not_ready(
      fmt::format("the container engine has no runtime {}; it has {}", json_string(name), known));
}

Result<void> check_limits(const EngineInfo& info) {
  const auto missing = [](std::string_view what) {
    return not_ready(fmt::format("the container engine cannot limit {} on its host", what));
  };
  if (!info.enforces_memory) return missing("memory");
  if (!info.enforces_swap) return missing("swap (boot its host with swapaccount=1)");
  if (!info.enforces_cpus) return missing("processors");
  if (!info.enforces_pids) return missing("processes");
  return {};
}

// Where the guest's system calls go, and with what the measuring compares.
Result<void> settle_runtime(const EngineApi& engine, const EngineRuntime& runtime,
                            Expected& expected) {
  if (!engine.endpoint().is_local()) {
    expected.kernel = is_gvisor_by_name(runtime.path) ? GuestKernel::kGvisor : GuestKernel::kHost;
    return {};
  }
  // Newer engines name no path for runc, which they find by themselves.
  auto binary = examine_runtime(runtime.path.empty() ? runtime.name : runtime.path);
  if (!binary) {
    // Without its file nothing can be measured to be gVisor's; a container can.
    return is_gvisor_by_name(runtime.path) ? Result<void>(std::unexpected(binary.error()))
                                           : Result<void>();
  }
  expected.kernel = binary->is_gvisor ? GuestKernel::kGvisor : GuestKernel::kHost;
  expected.runtime = *std::move(binary);
  return {};
}

Result<std::string> settle_filter(const DockerConfig& config, const EngineInfo& info,
                                  GuestKernel kernel) {
  if (config.seccomp == kUnconfined) return std::string(kUnconfined);
  // gVisor brings a filter of its own around itself; a profile would be for its guest's calls.
  if (!info.has_seccomp && kernel == GuestKernel::kHost) {
    return not_ready("the container engine has no system call filters (seccomp)");
  }
  if (config.seccomp.empty()) return std::string();
  return read_seccomp_profile(config.seccomp);
}

}  // namespace

bool is_gvisor_by_name(std::string_view path) noexcept {
  return path.substr(path.rfind('/') + 1) == "runsc";
}

Result<std::string> read_seccomp_profile(const std::string& path) {
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) {
    return not_ready(fmt::format("the seccomp profile {} is not readable: {}", json_string(path),
                                 errno_text(errno)));
  }
  std::string text;
  std::array<char, 16'384> buffer{};
  for (;;) {
    const ssize_t got = ::read(file.get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      return not_ready(fmt::format("the seccomp profile {} is not readable: {}", json_string(path),
                                   errno_text(errno)));
    }
    if (got == 0) break;
    text.append(buffer.data(), static_cast<std::size_t>(got));
    if (text.size() > kMaxProfileBytes) {
      return not_ready(fmt::format("the seccomp profile {} has more than {} bytes",
                                   json_string(path), kMaxProfileBytes));
    }
  }
  const auto profile =
      parse_json(text, {.max_bytes = kMaxProfileBytes, .max_depth = 16, .max_values = 20'000});
  if (!profile) {
    return not_ready(
        fmt::format("the seccomp profile {} {}", json_string(path), profile.error().message));
  }
  const JsonValue* fallback = find_member(*profile, "defaultAction");
  if (fallback == nullptr || fallback->kind != JsonKind::kString) {
    return not_ready(fmt::format("the seccomp profile {} has no defaultAction", json_string(path)));
  }
  return text;
}

Result<Preflight> run_preflight(EngineApi& engine, const DockerConfig& config) {
  Preflight flight;
  auto version = engine.connect();
  if (!version) return std::unexpected(std::move(version).error());
  flight.version = *std::move(version);
  const auto info = engine.info();
  if (!info) return std::unexpected(info.error());
  if (auto limits = check_limits(*info); !limits) return std::unexpected(limits.error());
  const auto runtime = choose_runtime(*info, config.runtime);
  if (!runtime) return std::unexpected(runtime.error());

  flight.expected.limits = {.memory_mb = config.memory_mb,
                            .cpus = config.cpus,
                            .pids = config.pids,
                            .disk_mb = config.disk_mb};
  flight.expected.filtered = config.seccomp != kUnconfined;
  if (auto settled = settle_runtime(engine, *runtime, flight.expected); !settled) {
    return std::unexpected(settled.error());
  }
  auto filter = settle_filter(config, *info, flight.expected.kernel);
  if (!filter) return std::unexpected(std::move(filter).error());

  const Pinning pinning =
      config.pinning == ImagePinning::kRequired ? Pinning::kRequired : Pinning::kOptional;
  auto image = choose_image(engine, config.image, pinning);
  if (!image) return std::unexpected(std::move(image).error());
  flight.snippet = {.image_id = image->id,
                    .runtime = config.runtime,
                    .kernel = flight.expected.kernel,
                    .limits = flight.expected.limits,
                    .seccomp = *std::move(filter)};
  if (!config.project_image.empty()) {
    auto projects = choose_image(engine, config.project_image, pinning);
    if (!projects) return std::unexpected(std::move(projects).error());
    flight.project = flight.snippet;
    flight.project->image_id = projects->id;
  }
  return flight;
}

}  // namespace plimsoll::docker
