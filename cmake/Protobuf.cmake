# The wire messages. plimsoll_proto: objects of the C++ that protoc generates from proto/, and of gRPC's
# health and reflection services from Debian's grpc-proto. Generated below gen/proto/ of the build, never
# kept in the repository. Who links it includes <plimsoll/v1/sandbox.pb.h>, with angle brackets: it is
# not our code, and warnings are off for it.

find_package(Protobuf 3.21 REQUIRED)
find_path(PLIMSOLL_GRPC_PROTO grpc/health/v1/health.proto PATHS /usr/share/grpc-proto REQUIRED)

# plimsoll_protobuf(TARGET FOLDER x.proto y.proto): adds what protoc makes of FOLDER/x.proto to TARGET.
function(plimsoll_protobuf target folder)
  set(gen ${CMAKE_BINARY_DIR}/gen/proto)
  file(MAKE_DIRECTORY ${gen})
  list(TRANSFORM ARGN PREPEND ${folder}/ OUTPUT_VARIABLE inputs)
  foreach(proto IN LISTS ARGN)
    string(REGEX REPLACE "\\.proto$" ".pb" name ${gen}/${proto})
    add_custom_command(
      OUTPUT ${name}.cc ${name}.h
      COMMAND protobuf::protoc --proto_path=${folder} --cpp_out=${gen} ${proto}
      DEPENDS ${inputs}
      COMMENT "Generating C++ of ${proto}"
      VERBATIM)
    target_sources(${target} PRIVATE ${name}.cc)
  endforeach()
endfunction()

add_library(plimsoll_proto OBJECT EXCLUDE_FROM_ALL)
target_include_directories(plimsoll_proto SYSTEM PUBLIC ${CMAKE_BINARY_DIR}/gen/proto)
target_compile_options(plimsoll_proto PRIVATE -w)
target_link_libraries(plimsoll_proto
  PRIVATE plimsoll_flags plimsoll_sanitize PUBLIC protobuf::libprotobuf)
plimsoll_protobuf(plimsoll_proto ${PROJECT_SOURCE_DIR}/proto
  google/rpc/error_details.proto
  google/rpc/status.proto
  plimsoll/v1/evidence.proto
  plimsoll/v1/payload.proto
  plimsoll/v1/result.proto
  plimsoll/v1/run.proto
  plimsoll/v1/sandbox.proto
  plimsoll/v1/session.proto)
plimsoll_protobuf(plimsoll_proto ${PLIMSOLL_GRPC_PROTO}
  grpc/health/v1/health.proto
  grpc/reflection/v1/reflection.proto)
