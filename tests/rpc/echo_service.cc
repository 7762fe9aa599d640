#include "echo_service.h"

#include <echo.pb.h>

#include <condition_variable>
#include <mutex>
#include <stdexcept>

#include "rpc/health.h"

namespace plimsoll::rpc {

namespace {

using plimsoll::test::v1::EchoRequest;
using plimsoll::test::v1::EchoResponse;
using plimsoll::test::v1::StatsRequest;
using plimsoll::test::v1::StatsResponse;

class NamedPrincipal final : public Principal {
 public:
  explicit NamedPrincipal(std::string name) : name_(std::move(name)) {}
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  const std::string name_;
};

Detail detail(const std::string& reason) {
  plimsoll::test::v1::Detail message;
  message.set_reason(reason);
  return {.type = message.GetTypeName(), .value = message.SerializeAsString()};
}

// Whether it slept to the end.
bool sleep(std::uint32_t ms, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any wake;
  std::unique_lock lock(mutex);
  wake.wait_for(lock, stop, std::chrono::milliseconds(ms), [] { return false; });
  return !stop.stop_requested();
}

Status echo(EchoCounts& counts, const CallContext& context, const EchoRequest& request,
            EchoResponse& response) {
  ++counts.started;
  if (request.throws()) throw std::runtime_error("as asked");
  if (request.sleep_ms() != 0) {
    ++counts.running;
    const bool whole = sleep(request.sleep_ms(), context.stop);
    --counts.running;
    if (!whole) {
      ++counts.stopped;
      return {.code = Code::kCanceled, .message = "stopped"};
    }
  }
  if (request.fail_code() != 0) {
    Status status{.code = static_cast<Code>(request.fail_code()),
                  .message = request.fail_message(),
                  .details = {detail("first"), detail("second")}};
    if (request.retry_after_s() != 0)
      status.retry_after = std::chrono::seconds(request.retry_after_s());
    return status;
  }
  response.set_data(request.answer_bytes() != 0 ? std::string(request.answer_bytes(), 'x')
                                                : request.data());
  response.set_text(request.text());
  response.set_number(request.number());
  if (const auto* caller = dynamic_cast<const NamedPrincipal*>(context.principal.get())) {
    response.set_caller(caller->name());
  }
  response.set_protocol(std::string(to_string(context.protocol)));
  response.set_has_deadline(context.deadline.has_value());
  return {};
}

Method echo_method(EchoCounts& counts, std::string path, Effects effects) {
  return {.path = std::move(path),
          .effects = effects,
          .request = &EchoRequest::default_instance(),
          .response = &EchoResponse::default_instance(),
          .handle = [&counts](const CallContext& context, const google::protobuf::Message& request,
                              google::protobuf::Message& response) {
            return echo(counts, context, dynamic_cast<const EchoRequest&>(request),
                        dynamic_cast<EchoResponse&>(response));
          }};
}

Method stats_method(EchoCounts& counts) {
  return {.path = "/plimsoll.test.v1.EchoService/Stats",
          .access = Access::kOpen,
          .runs = Runs::kInline,
          .request = &StatsRequest::default_instance(),
          .response = &StatsResponse::default_instance(),
          .handle = [&counts](const CallContext&, const google::protobuf::Message&,
                              google::protobuf::Message& message) -> Status {
            auto& response = dynamic_cast<StatsResponse&>(message);
            response.set_started(counts.started);
            response.set_stopped(counts.stopped);
            response.set_running(counts.running);
            response.set_refused(counts.refused);
            if (const Server* server = counts.server)
              response.set_connections(server->connections());
            return {};
          }};
}

}  // namespace

ListenerOptions echo_listener(EchoCounts& counts) {
  ListenerOptions options;
  options.methods = {
      echo_method(counts, "/plimsoll.test.v1.EchoService/Echo", Effects::kSideEffects),
      echo_method(counts, "/plimsoll.test.v1.EchoService/Describe", Effects::kNone),
      stats_method(counts),
      health_check([] { return true; }, {"plimsoll.test.v1.EchoService"}),
  };
  options.endpoints = {
      {.path = "/healthz", .answer = [] { return PlainAnswer{.body = "ok\n"}; }},
      {.path = "/readyz",
       .runs = Runs::kOnWorker,
       .keep = std::chrono::seconds(1),
       .answer =
           [&counts] {
             ++counts.readiness_checks;
             return PlainAnswer{.body = "ready\n"};
           }},
  };
  return options;
}

Hooks echo_hooks(EchoCounts& counts) {
  return {
      .authenticate = [](const RequestHead& head, const Peer&,
                         const Method&) -> std::expected<std::shared_ptr<const Principal>, Status> {
        if (head.headers.find("authorization") == std::string("Bearer ") + kEchoToken) {
          return std::make_shared<NamedPrincipal>("tester");
        }
        return std::unexpected(
            Status{.code = Code::kUnauthenticated, .message = "the bearer token is not known"});
      },
      .refused =
          [&counts](Refusal why, const Method&, const Peer&, const Principal*, Status& status) {
            ++counts.refused;
            status.details.push_back(detail(why == Refusal::kCaller    ? "caller"
                                            : why == Refusal::kRequest ? "request"
                                                                       : "overloaded"));
          },
  };
}

}  // namespace plimsoll::rpc
