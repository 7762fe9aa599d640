// The names and numbers of a proto file as text: what a client depends on, and nothing else.
#pragma once

#include <google/protobuf/descriptor.pb.h>

#include <string>

namespace plimsoll {

// Services, messages and enumerations in the order of the file, one element a line; fields by
// number.
[[nodiscard]] std::string dump_of(const google::protobuf::FileDescriptor& file);

}  // namespace plimsoll
