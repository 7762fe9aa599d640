#include "rpc/handler.h"

namespace plimsoll::rpc {

std::string_view to_string(Protocol protocol) noexcept {
  switch (protocol) {
    case Protocol::kConnect:
      return "connect";
    case Protocol::kGrpc:
      return "grpc";
    case Protocol::kGrpcWeb:
      return "grpc_web";
  }
  return "connect";
}

}  // namespace plimsoll::rpc
