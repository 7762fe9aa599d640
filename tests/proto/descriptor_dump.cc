#include "descriptor_dump.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <vector>

namespace plimsoll {
namespace {

namespace pb = google::protobuf;
using Out = std::back_insert_iterator<std::string>;

std::string type_of(const pb::FieldDescriptor& field) {
  std::string type = field.type_name();
  if (field.message_type() != nullptr) type = field.message_type()->full_name();
  if (field.enum_type() != nullptr) type = field.enum_type()->full_name();
  return field.is_repeated() ? "repeated " + type : type;
}

void dump(const pb::EnumDescriptor& enumeration, Out out) {
  fmt::format_to(out, "enum {}\n", enumeration.full_name());
  for (int i = 0; i < enumeration.value_count(); ++i) {
    fmt::format_to(out, "  {} {}\n", enumeration.value(i)->number(), enumeration.value(i)->name());
  }
}

void dump(const pb::Descriptor& message, Out out) {
  fmt::format_to(out, "message {}\n", message.full_name());
  std::vector<const pb::FieldDescriptor*> fields;
  for (int i = 0; i < message.field_count(); ++i) fields.push_back(message.field(i));
  std::ranges::sort(fields, {}, &pb::FieldDescriptor::number);
  for (const pb::FieldDescriptor* field : fields) {
    const pb::OneofDescriptor* oneof = field->containing_oneof();
    fmt::format_to(out, "  {} {}: {}, json {}{}\n", field->number(), field->name(), type_of(*field),
                   field->json_name(), oneof == nullptr ? "" : ", oneof " + oneof->name());
  }
  for (int i = 0; i < message.reserved_range_count(); ++i) {
    const auto* range = message.reserved_range(i);
    fmt::format_to(out, "  reserved {} to {}\n", range->start, range->end - 1);
  }
  for (int i = 0; i < message.enum_type_count(); ++i) dump(*message.enum_type(i), out);
  for (int i = 0; i < message.nested_type_count(); ++i) dump(*message.nested_type(i), out);
}

void dump(const pb::ServiceDescriptor& service, Out out) {
  fmt::format_to(out, "service {}\n", service.full_name());
  for (int i = 0; i < service.method_count(); ++i) {
    const pb::MethodDescriptor& method = *service.method(i);
    const bool reads = method.options().idempotency_level() == pb::MethodOptions::NO_SIDE_EFFECTS;
    fmt::format_to(out, "  {}: {}{} -> {}{}{}\n", method.name(),
                   method.client_streaming() ? "stream " : "", method.input_type()->full_name(),
                   method.server_streaming() ? "stream " : "", method.output_type()->full_name(),
                   reads ? ", no side effects" : "");
  }
}

}  // namespace

std::string dump_of(const pb::FileDescriptor& file) {
  std::string text;
  const Out out(text);
  fmt::format_to(out, "file {}\n", file.name());
  for (int i = 0; i < file.service_count(); ++i) dump(*file.service(i), out);
  for (int i = 0; i < file.message_type_count(); ++i) dump(*file.message_type(i), out);
  for (int i = 0; i < file.enum_type_count(); ++i) dump(*file.enum_type(i), out);
  return text;
}

}  // namespace plimsoll
