// Debian's gRPC against the echo server: rpc-grpc-client PORT TLS_PORT CERTIFICATE. Exits 1 with
// the check that failed.

#include <echo.grpc.pb.h>
#include <grpc/health/v1/health.grpc.pb.h>
#include <grpc/reflection/v1/reflection.grpc.pb.h>
#include <grpcpp/grpcpp.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <string>
#include <thread>

namespace {

using grpc::reflection::v1::ServerReflectionRequest;
using grpc::reflection::v1::ServerReflectionResponse;
using plimsoll::test::v1::EchoRequest;
using plimsoll::test::v1::EchoResponse;
using plimsoll::test::v1::EchoService;

void check(bool holds, const std::string& what) {
  if (holds) return;
  std::cerr << "failed: " << what << '\n';
  std::exit(1);
}

std::unique_ptr<grpc::ClientContext> context() {
  auto made = std::make_unique<grpc::ClientContext>();
  made->AddMetadata("authorization", "Bearer test-token");
  return made;
}

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

void check_health(const std::shared_ptr<grpc::Channel>& channel) {
  const auto stub = grpc::health::v1::Health::NewStub(channel);
  grpc::health::v1::HealthCheckRequest request;
  grpc::health::v1::HealthCheckResponse response;
  grpc::ClientContext whole;
  check(stub->Check(&whole, request, &response).ok(), "health");
  check(response.status() == grpc::health::v1::HealthCheckResponse::SERVING, "serving");
  request.set_service("nothing");
  grpc::ClientContext unknown;
  check(stub->Check(&unknown, request, &response).error_code() == grpc::NOT_FOUND,
        "an unknown service");
  grpc::ClientContext watching;
  check(stub->Watch(&watching, request)->Finish().error_code() == grpc::UNIMPLEMENTED, "Watch");
}

// Two questions on one stream, the second after the first answer, as grpcurl asks.
void check_reflection(const std::shared_ptr<grpc::Channel>& channel) {
  const auto stub = grpc::reflection::v1::ServerReflection::NewStub(channel);
  const auto with = context();
  const auto stream = stub->ServerReflectionInfo(with.get());
  ServerReflectionRequest request;
  ServerReflectionResponse response;
  request.set_list_services("*");
  check(stream->Write(request) && stream->Read(&response), "a list of services");
  check(response.list_services_response().service_size() == 3, "three services");
  request.set_file_containing_symbol("plimsoll.test.v1.EchoService.Echo");
  check(stream->Write(request) && stream->Read(&response), "a file");
  check(response.file_descriptor_response().file_descriptor_proto_size() == 1, "its descriptor");
  request.set_file_containing_symbol("google.protobuf.Any");
  check(stream->Write(request) && stream->Read(&response), "what is not served");
  check(response.error_response().error_code() == grpc::NOT_FOUND, "is not told");
  check(stream->WritesDone() && !stream->Read(&response) && stream->Finish().ok(), "an end");
}

std::string contents(const char* file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(32 << 20);
  const auto clear = grpc::CreateCustomChannel(std::string("127.0.0.1:") + argv[1],
                                               grpc::InsecureChannelCredentials(), arguments);
  const auto secure = grpc::CreateCustomChannel(
      std::string("localhost:") + argv[2],
      grpc::SslCredentials({.pem_root_certs = contents(argv[3])}), arguments);
  for (const auto& channel : {clear, secure}) {
    const auto stub = EchoService::NewStub(channel);
    check_echo(*stub);
    check_failures(*stub);
    check_health(channel);
    check_reflection(channel);
  }
  return 0;
}
