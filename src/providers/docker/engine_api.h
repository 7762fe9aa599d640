// The few calls of the Docker Engine API that this provider makes, typed. Which exchange each is
// stands in the .cc; the reference of the Docker Engine API, 1.40 to 1.47, is the source.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "guest/byte_stream.h"
#include "plimsoll/result.h"
#include "providers/docker/engine_answers.h"
#include "providers/docker/engine_client.h"

namespace plimsoll::docker {

// Safe for concurrent use once connect() succeeded. Errors: kNotReady.
class EngineApi {
 public:
  explicit EngineApi(Endpoint endpoint) : client_(std::move(endpoint)) {}

  // Agrees on a version; comes before everything else.
  [[nodiscard]] Result<EngineVersion> connect();
  [[nodiscard]] Result<EngineInfo> info();
  // nullopt: there is no such image.
  [[nodiscard]] Result<std::optional<EngineImage>> inspect_image(std::string_view name);

  // `spec` is the body of the call; the new container's id. It cannot be canceled: of a call that
  // was given up it is not known what came, and no runtime is asked yet that could hang.
  [[nodiscard]] Result<std::string> create(const std::string& spec, std::string_view name);
  [[nodiscard]] Result<std::unique_ptr<guest::ByteStream>> attach(std::string_view id);
  [[nodiscard]] Result<void> start(std::string_view id, const std::stop_token& cancel = {});
  [[nodiscard]] Result<ContainerState> inspect(std::string_view id,
                                               const std::stop_token& cancel = {});
  // Until it has ended, but no longer than `timeout`, which is an error.
  [[nodiscard]] Result<void> wait(std::string_view id, std::chrono::milliseconds timeout);
  // Kills it if it runs, and removes it with its anonymous volumes. One that is not there is well.
  [[nodiscard]] Result<void> remove(std::string_view id);
  // All containers, whatever their state, that have this label.
  [[nodiscard]] Result<std::vector<ContainerEntry>> list(std::string_view label);

  [[nodiscard]] const Endpoint& endpoint() const noexcept { return client_.endpoint(); }

 private:
  [[nodiscard]] std::string path(std::string_view rest) const;
  [[nodiscard]] Result<std::string> expect(const EngineCall& call, unsigned status,
                                           std::string_view what);
  EngineClient client_;
  std::string prefix_;
};

}  // namespace plimsoll::docker
