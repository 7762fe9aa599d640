#include "rpc/sandbox_methods.h"

#include <plimsoll/v1/sandbox.pb.h>

#include <memory>
#include <string_view>
#include <utility>

#include "rpc/wire_messages.h"

namespace plimsoll::rpc {

namespace {

constexpr std::string_view kService = "/plimsoll.v1.SandboxService/";
constexpr std::string_view kRun = "/plimsoll.v1.SandboxService/Run";

// The file of the service holds no message that anything refers to. A linker leaves such a member
// of an archive out, and reflection would know the service by its name only.
// NOLINTNEXTLINE(cppcoreguidelines-interfaces-global-init): its address is a constant
[[gnu::used]] const void* const kServiceFile = &descriptor_table_plimsoll_2fv1_2fsandbox_2eproto;

class Caller final : public Principal {
 public:
  explicit Caller(Authenticated authenticated) : authenticated_(std::move(authenticated)) {}
  [[nodiscard]] const Authenticated& authenticated() const noexcept { return authenticated_; }

 private:
  Authenticated authenticated_;
};

// The hooks below make every principal.
const Authenticated& caller_of(const Principal& principal) {
  return dynamic_cast<const Caller&>(principal).authenticated();
}

template <class Message>
const Message& as(const google::protobuf::Message& message) {
  return dynamic_cast<const Message&>(message);
}
template <class Message>
Message& as(google::protobuf::Message& message) {
  return dynamic_cast<Message&>(message);
}

Method method(std::string_view name, const google::protobuf::Message& request,
              const google::protobuf::Message& response) {
  Method result;
  result.path = std::string(kService) + std::string(name);
  result.request = &request;
  result.response = &response;
  return result;
}

Status run(RunService& service, const CallContext& context, const v1::RunRequest& request,
           v1::RunResponse& response) {
  const RunCall call{.asked = to_asked_run(request),
                     .trace_id = request.trace_id(),
                     .deadline = context.deadline,
                     .stop = context.stop,
                     .arrived = context.arrived};
  const RunReply reply = service.run(caller_of(*context.principal), call);
  if (const auto* failure = std::get_if<RunFailure>(&reply)) return to_status(*failure);
  fill_response(std::get<RunAnswer>(reply), response);
  return {};
}

Status no_sessions() {
  Status status{.code = Code::kUnimplemented,
                .message = "no provider of this service keeps sessions; use Run"};
  mark_not_dispatched(NotDispatchedReason::kUnsupported, status);
  return status;
}

NotDispatchedReason reason_of(Refusal refusal) noexcept {
  switch (refusal) {
    case Refusal::kCaller:
      return NotDispatchedReason::kPermission;
    case Refusal::kRequest:
      return NotDispatchedReason::kRequest;
    case Refusal::kOverloaded:
    case Refusal::kDraining:
      break;
  }
  return NotDispatchedReason::kCapacity;
}

AuditRefusal audit_reason_of(Refusal refusal) noexcept {
  switch (refusal) {
    case Refusal::kCaller:
      return AuditRefusal::kUnauthenticated;
    case Refusal::kRequest:
      return AuditRefusal::kDecode;
    case Refusal::kOverloaded:
      return AuditRefusal::kConcurrency;
    case Refusal::kDraining:
      break;
  }
  return AuditRefusal::kDraining;
}

}  // namespace

std::vector<Method> sandbox_methods(RunService& service) {
  std::vector<Method> methods;

  Method run_method =
      method("Run", v1::RunRequest::default_instance(), v1::RunResponse::default_instance());
  run_method.handle = [&service](const CallContext& context,
                                 const google::protobuf::Message& request,
                                 google::protobuf::Message& response) {
    return run(service, context, as<v1::RunRequest>(request), as<v1::RunResponse>(response));
  };
  methods.push_back(std::move(run_method));

  Method describe_method = method("Describe", v1::DescribeRequest::default_instance(),
                                  v1::DescribeResponse::default_instance());
  describe_method.effects = Effects::kNone;
  describe_method.runs = Runs::kInline;
  describe_method.handle = [&service](const CallContext&, const google::protobuf::Message&,
                                      google::protobuf::Message& response) {
    fill_description(service.describe(), as<v1::DescribeResponse>(response));
    return Status{};
  };
  methods.push_back(std::move(describe_method));

  const auto session_method = [&methods](std::string_view name,
                                         const google::protobuf::Message& request,
                                         const google::protobuf::Message& response) {
    Method unserved = method(name, request, response);
    unserved.runs = Runs::kInline;
    unserved.handle = [](const CallContext&, const google::protobuf::Message&,
                         google::protobuf::Message&) { return no_sessions(); };
    methods.push_back(std::move(unserved));
  };
  session_method("OpenSession", v1::OpenSessionRequest::default_instance(),
                 v1::OpenSessionResponse::default_instance());
  session_method("SessionRun", v1::SessionRunRequest::default_instance(),
                 v1::SessionRunResponse::default_instance());
  session_method("CloseSession", v1::CloseSessionRequest::default_instance(),
                 v1::CloseSessionResponse::default_instance());
  return methods;
}

Hooks sandbox_hooks(RunService& service, const Authenticator& authenticator) {
  Hooks hooks;
  hooks.authenticate =
      [&service, &authenticator](
          const RequestHead& head, const Peer&,
          const Method& called) -> std::expected<std::shared_ptr<const Principal>, Status> {
    std::vector<std::string_view> fields;
    for (const Header& header : head.headers) {
      if (header.name == "authorization") fields.emplace_back(header.value);
    }
    auto caller = authenticator.authenticate(fields);
    if (!caller) {
      return std::unexpected(
          Status{.code = Code::kUnauthenticated, .message = std::string(kUnauthenticatedMessage)});
    }
    // The scope comes before the body, and is audited here, where the caller is known.
    if (called.path == kRun && !may_run_code(*caller)) {
      const RunFailure failure = scope_missing();
      service.refused(&*caller, failure);
      return std::unexpected(Status{.code = Code::kPermissionDenied, .message = failure.message});
    }
    return std::make_shared<const Caller>(*std::move(caller));
  };
  hooks.refused = [&service](Refusal refusal, const Method& refused, const Peer&,
                             const Principal* principal, Status& status) {
    const NotDispatchedReason reason = reason_of(refusal);
    mark_not_dispatched(reason, status);
    if (refused.path != kRun || status.code == Code::kPermissionDenied) return;
    service.refused(principal == nullptr ? nullptr : &caller_of(*principal),
                    {.code = FailureCode::kInternal,
                     .message = {},
                     .not_dispatched = reason,
                     .retry_after = std::nullopt,
                     .refusal = audit_reason_of(refusal)});
  };
  return hooks;
}

}  // namespace plimsoll::rpc
