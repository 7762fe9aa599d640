#include "grpc_checks.h"

#include <grpc/health/v1/health.grpc.pb.h>
#include <grpc/reflection/v1/reflection.grpc.pb.h>

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>

namespace plimsoll::test {

namespace {

using grpc::reflection::v1::ServerReflectionRequest;
using grpc::reflection::v1::ServerReflectionResponse;

std::string contents(const char* file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace

void check(bool holds, const std::string& what) {
  if (holds) return;
  std::cerr << "failed: " << what << '\n';
  std::exit(1);
}

std::unique_ptr<grpc::ClientContext> context() {
  const char* token = std::getenv("TOKEN");
  check(token != nullptr, "TOKEN");
  auto made = std::make_unique<grpc::ClientContext>();
  made->AddMetadata("authorization", std::string("Bearer ") + token);
  return made;
}

std::vector<std::shared_ptr<grpc::Channel>> channels(int argc, char** argv) {
  check(argc == 4, "PORT TLS_PORT CERTIFICATE");
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(32 << 20);
  return {grpc::CreateCustomChannel(std::string("127.0.0.1:") + argv[1],
                                    grpc::InsecureChannelCredentials(), arguments),
          grpc::CreateCustomChannel(std::string("localhost:") + argv[2],
                                    grpc::SslCredentials({.pem_root_certs = contents(argv[3])}),
                                    arguments)};
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

void check_reflection(const std::shared_ptr<grpc::Channel>& channel, int services,
                      const std::string& symbol) {
  const auto stub = grpc::reflection::v1::ServerReflection::NewStub(channel);
  const auto with = context();
  const auto stream = stub->ServerReflectionInfo(with.get());
  ServerReflectionRequest request;
  ServerReflectionResponse response;
  request.set_list_services("*");
  check(stream->Write(request) && stream->Read(&response), "a list of services");
  check(response.list_services_response().service_size() == services, "the services");
  request.set_file_containing_symbol(symbol);
  check(stream->Write(request) && stream->Read(&response), "a file");
  check(response.file_descriptor_response().file_descriptor_proto_size() >= 1, "its descriptor");
  request.set_file_containing_symbol("google.protobuf.Any");
  check(stream->Write(request) && stream->Read(&response), "what is not served");
  check(response.error_response().error_code() == grpc::NOT_FOUND, "is not told");
  check(stream->WritesDone() && !stream->Read(&response) && stream->Finish().ok(), "an end");
}

}  // namespace plimsoll::test
