// A client's timeout, as each protocol writes it.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace plimsoll::rpc {

// Connect-Timeout-Ms: 1 to 10 digits, more than zero. nullopt: anything else.
[[nodiscard]] std::optional<std::chrono::milliseconds> parse_connect_timeout(
    std::string_view text) noexcept;

// grpc-timeout: 1 to 8 digits and a unit of H M S m u n (gRPC over HTTP/2). Rounded up to whole
// milliseconds, and at least one: a timeout of zero is a valid one that has passed. nullopt:
// anything else. The largest, 99999999H, fits.
[[nodiscard]] std::optional<std::chrono::milliseconds> parse_grpc_timeout(
    std::string_view text) noexcept;

}  // namespace plimsoll::rpc
