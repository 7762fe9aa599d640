// The service of echo.proto on the transport under test: in the process of a test, or in a server
// program for clients in other languages.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "rpc/options.h"
#include "rpc/server.h"

namespace plimsoll::rpc {

// The bearer token that is accepted.
inline constexpr char kEchoToken[] = "test-token";

struct EchoCounts {
  std::atomic<std::uint64_t> started{0};
  std::atomic<std::uint64_t> stopped{0};  // handlers that saw a stop request
  std::atomic<std::uint64_t> running{0};
  std::atomic<std::uint64_t> refused{0};
  std::atomic<std::uint64_t> readiness_checks{0};
  std::atomic<const Server*> server{nullptr};
};

// A listener with EchoService, health, /healthz and /readyz. `counts` outlives the server.
[[nodiscard]] ListenerOptions echo_listener(EchoCounts& counts);
[[nodiscard]] Hooks echo_hooks(EchoCounts& counts);

}  // namespace plimsoll::rpc
