// Which image runs: a name is looked up once, and from then on only its content counts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "plimsoll/result.h"
#include "providers/docker/engine_api.h"

namespace plimsoll::docker {

enum class Pinning : std::uint8_t { kOptional, kRequired };

// Looks the image up, and refuses one that is not there, declares volumes (which would be writable
// beyond the limit of the disk, and left behind), is not for Linux, says nothing that runs, or, if
// pinning is required, is not named by a digest. A name with a digest, "NAME@sha256:<hex>", means
// the manifest of a registry or, for an image that was built here and has none, its own content id.
// Errors: kNotReady, naming the image.
[[nodiscard]] Result<EngineImage> choose_image(EngineApi& engine, const std::string& name,
                                               Pinning pinning);

// The rules above for an image that was found. Pure.
[[nodiscard]] Result<void> check_image(std::string_view name, const EngineImage& image,
                                       Pinning pinning);

}  // namespace plimsoll::docker
