#include "rpc/health.h"

#include <grpc/health/v1/health.pb.h>

#include <algorithm>
#include <utility>

namespace plimsoll::rpc {

Method health_check(std::function<bool()> serving, std::vector<std::string> services) {
  using grpc::health::v1::HealthCheckRequest;
  using grpc::health::v1::HealthCheckResponse;
  return {.path = "/grpc.health.v1.Health/Check",
          .effects = Effects::kNone,
          .access = Access::kOpen,
          .runs = Runs::kInline,
          .request = &HealthCheckRequest::default_instance(),
          .response = &HealthCheckResponse::default_instance(),
          .handle = [serving = std::move(serving), services = std::move(services)](
                        const CallContext&, const google::protobuf::Message& request,
                        google::protobuf::Message& response) -> Status {
            const auto& asked = static_cast<const HealthCheckRequest&>(request).service();
            if (!asked.empty() && std::ranges::find(services, asked) == services.end()) {
              return {.code = Code::kNotFound, .message = "no such service"};
            }
            static_cast<HealthCheckResponse&>(response).set_status(
                serving() ? HealthCheckResponse::SERVING : HealthCheckResponse::NOT_SERVING);
            return {};
          }};
}

}  // namespace plimsoll::rpc
