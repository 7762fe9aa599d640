// The JavaScript of the smoke test's look around.
#pragma once

#include <string>
#include <string_view>

#include "providers/docker/container_spec.h"

namespace plimsoll::docker {

// The probe calls this on the API of that name, and prints this when every wall held; else a line
// for each that did not.
inline constexpr std::string_view kProbeGlobal = "host";
inline constexpr std::string_view kProbeTarget = "/probe";
inline constexpr std::string_view kProbeSound = "sound\n";

[[nodiscard]] std::string probe_code(const ContainerSpec& spec);

}  // namespace plimsoll::docker
