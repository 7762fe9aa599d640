#include "providers/docker/engine_api.h"

#include <fmt/format.h>

#include "providers/docker/failure.h"

namespace plimsoll::docker {

namespace {

using std::chrono::milliseconds;

// A broken runtime blocks these for ever.
constexpr milliseconds kCreateTimeout{20'000};
constexpr milliseconds kStartTimeout{20'000};
constexpr milliseconds kRemoveTimeout{20'000};

std::string encoded(std::string_view text) {
  constexpr std::string_view kSafe =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/:@";
  std::string out;
  for (const char c : text) {
    if (kSafe.find(c) != std::string_view::npos) {
      out += c;
    } else {
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return out;
}

}  // namespace

std::string EngineApi::path(std::string_view rest) const { return prefix_ + std::string(rest); }

Result<std::string> EngineApi::expect(const EngineCall& call, unsigned status,
                                      std::string_view what) {
  auto answer = client_.call(call);
  if (!answer) return std::unexpected(std::move(answer).error());
  if (answer->status == status) return std::move(answer->body);
  return not_ready(fmt::format("the container engine did not {} (HTTP {}): {}", what,
                               answer->status, reason_in(answer->body)));
}

Result<EngineVersion> EngineApi::connect() {
  auto body = expect({.path = "/version"}, 200, "say its version");
  if (!body) return std::unexpected(std::move(body).error());
  auto version = read_version(*body);
  if (version) prefix_ = fmt::format("/v{}.{}", version->api.major, version->api.minor);
  return version;
}

Result<EngineInfo> EngineApi::info() {
  auto body = expect({.path = path("/info")}, 200, "describe itself");
  if (!body) return std::unexpected(std::move(body).error());
  return read_info(*body);
}

Result<std::optional<EngineImage>> EngineApi::inspect_image(std::string_view name) {
  auto answer = client_.call({.path = path(fmt::format("/images/{}/json", encoded(name)))});
  if (!answer) return std::unexpected(std::move(answer).error());
  if (answer->status == 404) return std::optional<EngineImage>();
  if (answer->status != 200) {
    return not_ready(fmt::format("the container engine did not describe an image (HTTP {}): {}",
                                 answer->status, reason_in(answer->body)));
  }
  auto image = read_image(answer->body);
  if (!image) return std::unexpected(std::move(image).error());
  return std::optional<EngineImage>(*std::move(image));
}

Result<std::string> EngineApi::create(const std::string& spec, std::string_view name) {
  auto body = expect({.method = "POST",
                      .path = path(fmt::format("/containers/create?name={}", encoded(name))),
                      .body = spec,
                      .timeout = kCreateTimeout},
                     201, "create a container");
  if (!body) return body;
  return read_created_id(*body);
}

Result<std::unique_ptr<guest::ByteStream>> EngineApi::attach(std::string_view id) {
  return client_.hijack(
      path(fmt::format("/containers/{}/attach?stream=1&stdin=1&stdout=1&stderr=1", id)),
      kStartTimeout);
}

Result<void> EngineApi::start(std::string_view id, const std::stop_token& cancel) {
  auto body = expect({.method = "POST",
                      .path = path(fmt::format("/containers/{}/start", id)),
                      .timeout = kStartTimeout,
                      .cancel = cancel},
                     204, "start a container");
  if (!body) return std::unexpected(std::move(body).error());
  return {};
}

Result<ContainerState> EngineApi::inspect(std::string_view id, const std::stop_token& cancel) {
  auto body = expect({.path = path(fmt::format("/containers/{}/json", id)), .cancel = cancel}, 200,
                     "describe a container");
  if (!body) return std::unexpected(std::move(body).error());
  return read_state(*body);
}

Result<void> EngineApi::wait(std::string_view id, milliseconds timeout) {
  auto body = expect(
      {.method = "POST", .path = path(fmt::format("/containers/{}/wait", id)), .timeout = timeout},
      200, "see a container's end");
  if (!body) return std::unexpected(std::move(body).error());
  return {};
}

Result<void> EngineApi::remove(std::string_view id) {
  auto answer = client_.call({.method = "DELETE",
                              .path = path(fmt::format("/containers/{}?force=1&v=1", id)),
                              .timeout = kRemoveTimeout});
  if (!answer) return std::unexpected(std::move(answer).error());
  if (answer->status == 204 || answer->status == 404) return {};
  return not_ready(fmt::format("the container engine did not remove a container (HTTP {}): {}",
                               answer->status, reason_in(answer->body)));
}

Result<std::vector<ContainerEntry>> EngineApi::list(std::string_view label) {
  auto body =
      expect({.path = path(fmt::format("/containers/json?all=1&filters={}",
                                       encoded(fmt::format(R"({{"label":["{}"]}})", label)))),
              .max_answer_bytes = kMaxListBytes},
             200, "list containers");
  if (!body) return std::unexpected(std::move(body).error());
  return read_entries(*body);
}

}  // namespace plimsoll::docker
