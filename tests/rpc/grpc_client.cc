// Debian's gRPC against the echo server: rpc-grpc-client PORT TLS_PORT CERTIFICATE. Exits 1 with
// the check that failed.

#include <echo.grpc.pb.h>

#include <chrono>
#include <string>
#include <thread>

#include "grpc_checks.h"

namespace plimsoll::test {
namespace {

using v1::EchoRequest;
using v1::EchoResponse;
using v1::EchoService;

void check_echo(EchoService::Stub& stub) {
  EchoRequest request;
  for (int i = 0; i < 256; ++i) request.mutable_data()->push_back(static_cast<char>(i));
  for (const auto compression : {GRPC_COMPRESS_NONE, GRPC_COMPRESS_GZIP}) {
    EchoResponse response;
    const auto with = context();
    with->set_compression_algorithm(compression);
    const grpc::Status status = stub.Echo(with.get(), request, &response);
    check(status.ok() && response.data() == request.data(),
          "every byte: " + status.error_message());
  }
  request.set_answer_bytes(3'000'000);
  EchoResponse response;
  check(stub.Echo(context().get(), request, &response).ok(), "a large answer");
  check(response.data().size() == 3'000'000, "its size");
}

void check_failures(EchoService::Stub& stub) {
  EchoRequest request;
  EchoResponse response;
  grpc::ClientContext stranger;
  check(stub.Echo(&stranger, request, &response).error_code() == grpc::UNAUTHENTICATED,
        "a stranger");
  request.set_fail_code(8);
  request.set_fail_message("100% \xC3\xBC\n");
  const grpc::Status failed = stub.Echo(context().get(), request, &response);
  check(failed.error_code() == grpc::RESOURCE_EXHAUSTED, "its code");
  check(failed.error_message() == request.fail_message(), "its message");
  check(failed.error_details().size() > 50, "its details");
  request.Clear();
  request.set_sleep_ms(60'000);
  const auto hurried = context();
  hurried->set_deadline(std::chrono::system_clock::now() + std::chrono::milliseconds(200));
  check(stub.Echo(hurried.get(), request, &response).error_code() == grpc::DEADLINE_EXCEEDED,
        "a deadline");
  const auto canceled = context();
  std::thread canceler([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    canceled->TryCancel();
  });
  check(stub.Echo(canceled.get(), request, &response).error_code() == grpc::CANCELLED, "a cancel");
  canceler.join();
}

}  // namespace
}  // namespace plimsoll::test

int main(int argc, char** argv) {
  for (const auto& channel : plimsoll::test::channels(argc, argv)) {
    const auto stub = plimsoll::test::v1::EchoService::NewStub(channel);
    plimsoll::test::check_echo(*stub);
    plimsoll::test::check_failures(*stub);
    plimsoll::test::check_health(channel);
    plimsoll::test::check_reflection(channel, 3, "plimsoll.test.v1.EchoService.Echo");
  }
  return 0;
}
