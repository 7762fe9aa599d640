#include "providers/docker/image_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/json_text.h"
#include "providers/docker/engine_json.h"
#include "providers/docker/failure.h"

namespace plimsoll::docker {

namespace {

constexpr std::string_view kMark = "@sha256:";

// "sha256:<hex>" of a name that is pinned, else empty.
std::string_view digest_of(std::string_view name) noexcept {
  const auto at = name.rfind(kMark);
  if (at == std::string_view::npos || !is_hex_id(name.substr(at + kMark.size()))) return {};
  return name.substr(at + 1);
}

}  // namespace

Result<void> check_image(std::string_view name, const EngineImage& image, Pinning pinning) {
  const auto refuse = [name](std::string_view why) {
    return not_ready(fmt::format("the image {} {}", json_string(name), why));
  };
  if (!image.volumes.empty()) {
    return refuse(
        fmt::format("declares the volume {}: it would be writable beyond the limit of the "
                    "disk; build it without",
                    json_string(image.volumes.front())));
  }
  if (image.os != "linux") return refuse("is not for Linux");
  if (image.entrypoint.empty() && image.command.empty()) {
    return refuse("does not say what runs in it; the images of this project start the runner");
  }
  const std::string_view digest = digest_of(name);
  if (digest.empty()) {
    return pinning == Pinning::kOptional
               ? Result<void>()
               : refuse("is not pinned; name it NAME@sha256:<64 hex digits>");
  }
  const bool is_it = image.id == digest || std::ranges::any_of(image.repo_digests, [&](auto& one) {
                       return std::string_view(one).ends_with(fmt::format("@{}", digest));
                     });
  return is_it ? Result<void>() : refuse("is another one than its digest says");
}

Result<EngineImage> choose_image(EngineApi& engine, const std::string& name, Pinning pinning) {
  auto image = engine.inspect_image(name);
  if (image && !*image && !digest_of(name).empty()) image = engine.inspect_image(digest_of(name));
  if (!image) return std::unexpected(std::move(image).error());
  if (!*image) {
    return not_ready(
        fmt::format("the container engine has no image {}; build or pull it (images "
                    "are never pulled by a run)",
                    json_string(name)));
  }
  if (auto valid = check_image(name, **image, pinning); !valid) {
    return std::unexpected(std::move(valid).error());
  }
  return *std::move(*image);
}

}  // namespace plimsoll::docker
