#include "rpc/reflection.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>
#include <grpc/reflection/v1/reflection.pb.h>

#include <set>

#include "rpc/status.h"

namespace plimsoll::rpc {

namespace {

namespace pb = google::protobuf;
using grpc::reflection::v1::ServerReflectionRequest;
using grpc::reflection::v1::ServerReflectionResponse;

using Files = std::set<const pb::FileDescriptor*>;

void add_with_imports(const pb::FileDescriptor* file, Files& files) {
  if (file == nullptr || !files.insert(file).second) return;
  for (int i = 0; i < file->dependency_count(); ++i) add_with_imports(file->dependency(i), files);
}

// What may be told: a program knows more descriptors than it serves.
Files served_files(const std::vector<std::string>& services) {
  Files files;
  for (const std::string& name : services) {
    if (const auto* service = pb::DescriptorPool::generated_pool()->FindServiceByName(name)) {
      add_with_imports(service->file(), files);
    }
  }
  return files;
}

void set_error(ServerReflectionResponse& response, Code code, const std::string& message) {
  auto& error = *response.mutable_error_response();
  error.set_error_code(static_cast<int>(code));
  error.set_error_message(message);
}

void set_file(ServerReflectionResponse& response, const Files& served,
              const pb::FileDescriptor* file) {
  if (file == nullptr || !served.contains(file)) {
    set_error(response, Code::kNotFound, "not served here");
    return;
  }
  // The file that was asked for comes first.
  Files all;
  add_with_imports(file, all);
  auto& out = *response.mutable_file_descriptor_response();
  const auto add = [&out](const pb::FileDescriptor* one) {
    pb::FileDescriptorProto proto;
    one->CopyTo(&proto);
    out.add_file_descriptor_proto(proto.SerializeAsString());
  };
  add(file);
  all.erase(file);
  for (const auto* one : all) add(one);
}

}  // namespace

std::optional<std::string> answer_reflection(const std::vector<std::string>& services,
                                             std::string_view request) {
  ServerReflectionRequest asked;
  if (!asked.ParseFromArray(request.data(), static_cast<int>(request.size()))) return std::nullopt;
  ServerReflectionResponse response;
  response.set_valid_host(asked.host());
  *response.mutable_original_request() = asked;
  const auto* pool = pb::DescriptorPool::generated_pool();
  switch (asked.message_request_case()) {
    case ServerReflectionRequest::kListServices:
      for (const std::string& name : services) {
        response.mutable_list_services_response()->add_service()->set_name(name);
      }
      break;
    case ServerReflectionRequest::kFileByFilename:
      set_file(response, served_files(services), pool->FindFileByName(asked.file_by_filename()));
      break;
    case ServerReflectionRequest::kFileContainingSymbol:
      set_file(response, served_files(services),
               pool->FindFileContainingSymbol(asked.file_containing_symbol()));
      break;
    default:
      set_error(response, Code::kNotFound, "there are no extensions");
      break;
  }
  return response.SerializeAsString();
}

}  // namespace plimsoll::rpc
