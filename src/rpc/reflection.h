// grpc.reflection.v1: tells tools such as grpcurl what is served.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::rpc {

inline constexpr std::string_view kReflectionPath =
    "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";

// Answers one ServerReflectionRequest with one ServerReflectionResponse, both serialized. Only the
// files of `services` (full names; those that the program has no descriptor of are listed but not
// described) and what they import are told. Pure. nullopt: not a request.
[[nodiscard]] std::optional<std::string> answer_reflection(const std::vector<std::string>& services,
                                                           std::string_view request);

}  // namespace plimsoll::rpc
