#include "providers/docker/engine_answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/json_text.h"
#include "providers/docker/engine_json.h"
#include "providers/docker/failure.h"

namespace plimsoll::docker {

namespace {

std::unexpected<Error> malformed(std::string_view what) {
  return not_ready(
      fmt::format("the container engine's {} lacks a field that it should have", what));
}

std::optional<std::vector<std::string>> names_of(const JsonValue& root, std::string_view path) {
  const JsonValue* value = member_at(root, path);
  std::vector<std::string> names;
  if (value == nullptr || value->kind == JsonKind::kNull) return names;
  if (value->kind != JsonKind::kObject) return std::nullopt;
  for (const JsonMember& member : value->members) names.push_back(member.name);
  return names;
}

std::string components_of(const JsonValue& version) {
  std::string text;
  const JsonValue* components = member_at(version, "Components");
  if (components == nullptr) return text;
  for (const JsonValue& one : components->items) {
    const auto name = string_at(one, "Name");
    const auto number = string_at(one, "Version");
    if (!name || !number || (*name != "containerd" && *name != "runc")) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", *name, *number);
  }
  return text;
}

std::optional<ContainerEntry> entry_of(const JsonValue& value) {
  auto id = string_at(value, "Id");
  auto state = string_at(value, "State");
  const auto created = whole_at(value, "Created");
  if (!id || !is_hex_id(*id) || !state || !created) return std::nullopt;
  ContainerEntry entry{
      .id = *std::move(id), .state = *std::move(state), .created_unix_s = *created};
  if (const JsonValue* labels = member_at(value, "Labels")) {
    for (const JsonMember& label : labels->members) {
      if (label.value.kind == JsonKind::kString) {
        entry.labels.emplace_back(label.name, label.value.text);
      }
    }
  }
  return entry;
}

}  // namespace

std::optional<ApiVersion> parse_api_version(std::string_view text) noexcept {
  ApiVersion version;
  const char* begin = text.data();
  const char* end = begin + text.size();
  const auto major = std::from_chars(begin, end, version.major);
  if (major.ec != std::errc() || major.ptr == end || *major.ptr != '.') return std::nullopt;
  const auto minor = std::from_chars(major.ptr + 1, end, version.minor);
  if (minor.ec != std::errc() || minor.ptr != end) return std::nullopt;
  return version;
}

std::optional<ApiVersion> choose_version(ApiVersion theirs_oldest,
                                         ApiVersion theirs_newest) noexcept {
  const ApiVersion newest = std::min(theirs_newest, kNewestApi);
  if (newest < std::max(theirs_oldest, kOldestApi)) return std::nullopt;
  return newest;
}

Result<EngineVersion> read_version(std::string_view body) {
  const auto value = parse_answer("version", body);
  if (!value) return std::unexpected(value.error());
  const auto newest = parse_api_version(string_at(*value, "ApiVersion").value_or(""));
  const auto oldest = parse_api_version(string_at(*value, "MinAPIVersion").value_or(""));
  if (!newest || !oldest) return malformed("version");
  const auto chosen = choose_version(*oldest, *newest);
  if (!chosen) {
    return not_ready(fmt::format(
        "the container engine speaks API {}.{} to {}.{}; {}.{} to {}.{} are spoken here",
        oldest->major, oldest->minor, newest->major, newest->minor, kOldestApi.major,
        kOldestApi.minor, kNewestApi.major, kNewestApi.minor));
  }
  return EngineVersion{.api = *chosen,
                       .engine = string_at(*value, "Version").value_or("unknown"),
                       .runtimes = components_of(*value),
                       .kernel = string_at(*value, "KernelVersion").value_or("unknown")};
}

Result<EngineInfo> read_info(std::string_view body) {
  const auto value = parse_answer("description", body);
  if (!value) return std::unexpected(value.error());
  const auto runtime = string_at(*value, "DefaultRuntime");
  const JsonValue* runtimes = member_at(*value, "Runtimes");
  const auto security = strings_at(*value, "SecurityOptions");
  if (!runtime || runtimes == nullptr || !security) return malformed("description");
  EngineInfo info{.default_runtime = *runtime,
                  .enforces_memory = bool_at(*value, "MemoryLimit").value_or(false),
                  .enforces_swap = bool_at(*value, "SwapLimit").value_or(false),
                  .enforces_cpus = bool_at(*value, "CpuCfsQuota").value_or(false),
                  .enforces_pids = bool_at(*value, "PidsLimit").value_or(false)};
  for (const JsonMember& one : runtimes->members) {
    auto arguments = strings_at(one.value, "runtimeArgs");
    if (!arguments) return malformed("description");
    info.runtimes.push_back({.name = one.name,
                             .path = string_at(one.value, "path").value_or(""),
                             .arguments = *std::move(arguments)});
  }
  info.has_seccomp = std::ranges::any_of(
      *security, [](const std::string& one) { return one.starts_with("name=seccomp"); });
  return info;
}

Result<EngineImage> read_image(std::string_view body) {
  const auto value = parse_answer("image description", body);
  if (!value) return std::unexpected(value.error());
  auto id = string_at(*value, "Id");
  auto digests = strings_at(*value, "RepoDigests");
  auto volumes = names_of(*value, "Config/Volumes");
  auto entrypoint = strings_at(*value, "Config/Entrypoint");
  auto command = strings_at(*value, "Config/Cmd");
  auto environment = strings_at(*value, "Config/Env");
  if (!id || !id->starts_with("sha256:") || !is_hex_id(id->substr(7)) || !digests || !volumes ||
      !entrypoint || !command || !environment) {
    return malformed("image description");
  }
  return EngineImage{.id = *std::move(id),
                     .repo_digests = *std::move(digests),
                     .volumes = *std::move(volumes),
                     .entrypoint = *std::move(entrypoint),
                     .command = *std::move(command),
                     .environment = *std::move(environment),
                     .os = string_at(*value, "Os").value_or("")};
}

Result<std::string> read_created_id(std::string_view body) {
  const auto value = parse_answer("answer", body);
  if (!value) return std::unexpected(value.error());
  auto id = string_at(*value, "Id");
  if (!id || !is_hex_id(*id)) return malformed("answer to a creation");
  return *std::move(id);
}

Result<ContainerState> read_state(std::string_view body) {
  const auto value = parse_answer("container description", body);
  if (!value) return std::unexpected(value.error());
  const auto running = bool_at(*value, "State/Running");
  const auto oom_killed = bool_at(*value, "State/OOMKilled");
  const auto exit_code = whole_at(*value, "State/ExitCode");
  const auto pid = whole_at(*value, "State/Pid");
  if (!running || !oom_killed || !exit_code || *exit_code < 0 || *exit_code > 255 || !pid ||
      *pid < 0) {
    return malformed("container description");
  }
  return ContainerState{.running = *running,
                        .oom_killed = *oom_killed,
                        .exit_code = static_cast<int>(*exit_code),
                        .pid = *pid};
}

Result<std::vector<ContainerEntry>> read_entries(std::string_view body) {
  const auto value = parse_answer("list of containers", body);
  if (!value) return std::unexpected(value.error());
  if (value->kind != JsonKind::kArray) return malformed("list of containers");
  std::vector<ContainerEntry> entries;
  for (const JsonValue& one : value->items) {
    auto entry = entry_of(one);
    if (!entry) return malformed("list of containers");
    entries.push_back(*std::move(entry));
  }
  return entries;
}

Result<std::optional<std::size_t>> read_upgrade(std::string_view so_far) {
  constexpr std::string_view kEnd = "\r\n\r\n";
  const auto end = so_far.find(kEnd);
  if (end == std::string_view::npos) {
    if (so_far.size() > kMaxUpgradeHead) {
      return not_ready("the container engine answers without end");
    }
    return std::nullopt;
  }
  if (!so_far.starts_with("HTTP/1.1 101 ")) {
    const std::string_view line = so_far.substr(0, so_far.find("\r\n"));
    return not_ready(
        fmt::format("the container engine refused an attach: {}", json_string(line.substr(0, 64))));
  }
  return end + kEnd.size();
}

std::string reason_in(std::string_view body) {
  if (const auto value = parse_answer("answer", body)) {
    if (const auto message = string_at(*value, "message")) {
      return json_string(std::string_view(*message).substr(0, 300));
    }
  }
  return "without a reason";
}

}  // namespace plimsoll::docker
