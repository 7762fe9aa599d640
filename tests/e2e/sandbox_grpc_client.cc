// Debian's gRPC against plimsolld: sandbox-grpc-client PORT TLS_PORT CERTIFICATE. Exits 1 with the
// check that failed.

#include <google/rpc/status.pb.h>
#include <plimsoll/v1/sandbox.grpc.pb.h>

#include <chrono>
#include <string>

#include "grpc_checks.h"

namespace plimsoll::test {
namespace {

using Stub = v1::SandboxService::Stub;

v1::RunRequest request(const std::string& code) {
  v1::RunRequest made;
  made.set_protocol(2);
  made.mutable_javascript()->set_code(code);
  return made;
}

void check_run(Stub& stub) {
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes.push_back(static_cast<char>(i));
  auto asked = request("process.stdout.write(Uint8Array.from({ length: 256 }, (_, i) => i))");
  asked.set_minimum_isolation("process");
  for (const auto compression : {GRPC_COMPRESS_NONE, GRPC_COMPRESS_GZIP}) {
    v1::RunResponse response;
    const auto with = context();
    with->set_compression_algorithm(compression);
    const grpc::Status status = stub.Run(with.get(), asked, &response);
    check(status.ok(), "a run: " + status.error_message());
    check(response.javascript().stdout() == bytes, "every byte");
    check(response.isolation() == "process", "its isolation");
    check(response.record().record_sha256().size() == 64, "its record");
  }
}

// The call is refused with this code, and the detail says that nothing ran and why.
void check_refusal(const grpc::Status& status, grpc::StatusCode code,
                   v1::NotDispatchedReason reason, const std::string& what) {
  check(status.error_code() == code, what + ": " + status.error_message());
  google::rpc::Status details;
  check(details.ParseFromString(status.error_details()), what + ": its details");
  v1::NotDispatched detail;
  for (const auto& any : details.details()) any.UnpackTo(&detail);
  check(detail.reason() == reason, what + ": its reason");
}

void check_refusals(Stub& stub) {
  v1::RunResponse response;
  auto asked = request("1");
  asked.set_minimum_isolation("vm");
  check_refusal(stub.Run(context().get(), asked, &response), grpc::FAILED_PRECONDITION,
                v1::NOT_DISPATCHED_REASON_ISOLATION, "a floor");
  grpc::ClientContext stranger;
  stranger.AddMetadata("authorization", "Bearer " + std::string(64, '0'));
  check_refusal(stub.Run(&stranger, request("1"), &response), grpc::UNAUTHENTICATED,
                v1::NOT_DISPATCHED_REASON_PERMISSION, "a stranger");
  check_refusal(stub.Run(context().get(), v1::RunRequest(), &response), grpc::INVALID_ARGUMENT,
                v1::NOT_DISPATCHED_REASON_REQUEST, "no bytes at all");
}

void check_deadline(Stub& stub) {
  v1::RunResponse response;
  const auto hurried = context();
  hurried->set_deadline(std::chrono::system_clock::now() + std::chrono::milliseconds(100));
  // It bounds the run as well: either end of the wire may see it first.
  const grpc::Status status = stub.Run(hurried.get(), request("for (;;);"), &response);
  check(status.error_code() == grpc::DEADLINE_EXCEEDED ||
            (status.ok() && response.javascript().timed_out()),
        "a deadline");
}

void check_description(Stub& stub) {
  v1::DescribeResponse response;
  check(stub.Describe(context().get(), v1::DescribeRequest(), &response).ok(), "a description");
  check(response.protocol() == 2 && response.sandbox() == "wasm", "what it says");
}

}  // namespace
}  // namespace plimsoll::test

int main(int argc, char** argv) {
  for (const auto& channel : plimsoll::test::channels(argc, argv)) {
    const auto stub = plimsoll::v1::SandboxService::NewStub(channel);
    plimsoll::test::check_run(*stub);
    plimsoll::test::check_refusals(*stub);
    plimsoll::test::check_deadline(*stub);
    plimsoll::test::check_description(*stub);
    plimsoll::test::check_health(channel);
    plimsoll::test::check_reflection(channel, 3, "plimsoll.v1.SandboxService.Run");
  }
  return 0;
}
