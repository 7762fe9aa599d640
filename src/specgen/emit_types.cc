// types.d.ts: a namespace with the client's type and those of its values, and the client.
#include <algorithm>
#include <ostream>
#include <string>
#include <unordered_set>
#include <vector>

#include "specgen/emitters.h"
#include "specgen/names.h"
#include "specgen/schema_names.h"
#include "specgen/signature.h"
#include "specgen/text.h"
#include "specgen/type_text.h"

namespace plimsoll::specgen {
namespace {

constexpr std::size_t kDocBytes = 600;

constexpr std::string_view kOwn = R"TS(
    get(path: string): Promise<unknown>;
    put(path: string, body?: unknown): Promise<unknown>;
    post(path: string, body?: unknown): Promise<unknown>;
    patch(path: string, body?: unknown): Promise<unknown>;
    del(path: string): Promise<unknown>;
    call(method: string, path: string, body?: unknown): Promise<unknown>;
)TS";

std::string namespace_of(const std::string& global) {
  std::string name = global + "Api";
  if (name.front() >= 'a' && name.front() <= 'z') {
    name.front() = static_cast<char>(name.front() - 'a' + 'A');
  }
  return name;
}

// Of whatever array it is, be it a name or a part of a union with null.
std::string element_of(const std::string& type) { return "NonNullable<" + type + ">[number]"; }

class Writer {
 public:
  Writer(const Api& api, Refs& refs, std::ostream& out)
      : api_(api), names_(api, refs), types_(refs, names_), out_(out) {}

  void write(const EmitOptions& options) {
    const std::string title = cut_at_word(plain_line(api_.title), 100);
    const std::string space = namespace_of(options.global);
    out_ << "// Made by plimsoll-specgen" << (title.empty() ? "" : " from '" + title + "'")
         << ".\n";
    out_ << "declare namespace " << space << " {\n";
    for (const Node* schema : names_.schemas()) write_schema(*schema);
    out_ << "  interface Client {" << kOwn;
    for (const Operation& operation : api_.operations) {
      if (operation.selected) write_method(operation);
    }
    out_ << "  }\n}\ndeclare const " << options.global << ": " << space << ".Client;\n";
  }

 private:
  void write_schema(const Node& schema) {
    const Node* description = schema.find("description");
    if (description != nullptr && description->is(Kind::kString)) {
      write_doc({description->text}, "  ");
    }
    out_ << "  type " << names_.name_of(schema) << " = " << types_.declaration(schema, 2) << ";\n";
  }

  void write_doc(std::initializer_list<std::string_view> texts, std::string_view indent) {
    std::string doc;
    for (const std::string_view text : texts) {
      const std::string line = cut_at_sentence(plain_line(text), kDocBytes);
      if (!line.empty() && line != doc) doc += (doc.empty() ? "" : " ") + line;
    }
    if (!doc.empty()) out_ << indent << "/** " << doc << " */\n";
  }

  std::string query_type(const Operation& operation) {
    std::string fields;
    for (const Parameter& one : operation.query) {
      if (!fields.empty()) fields += "; ";
      fields += is_identifier(one.name) ? one.name : js_string(one.name);
      fields += one.required ? ": " : "?: ";
      fields += parameter_type(one);
    }
    return "{ " + fields + " }";
  }

  // What the client can make a part of a path or a query of.
  std::string parameter_type(const Parameter& parameter) {
    std::string type = types_.of(parameter.schema);
    const bool known = type != "unknown";
    switch (parameter.shape) {
      case QueryShape::kText:
        return known ? type : "string | number | boolean";
      case QueryShape::kOne:
        return known ? element_of(type) + " | [" + element_of(type) + "]" : "unknown";
      default:
        return type;
    }
  }

  std::string result_type(const Answers& answers) {
    std::string type;
    const auto add = [&type](const std::string& one) {
      if (!type.empty()) type += " | ";
      type += one;
    };
    std::unordered_set<std::string> seen;
    for (const Node* schema : answers.schemas) {
      std::string one = types_.of(schema);
      if (one == "unknown") return one;
      if (seen.insert(one).second) add(one);
    }
    if (answers.text) add("string");
    if (answers.nothing || type.empty()) add("null");
    return type;
  }

  void write_method(const Operation& operation) {
    write_doc({operation.method + " " + operation.path, operation.summary, operation.description,
               operation.deprecated ? "@deprecated" : ""},
              "    ");
    out_ << "    " << operation.name << '(';
    std::string_view between;
    for (const Argument& one : arguments_of(operation)) {
      out_ << between << one.name << (one.optional ? "?: " : ": ") << argument_type(operation, one);
      between = ", ";
    }
    out_ << "): Promise<" << result_type(operation.answers) << ">;\n";
  }

  std::string argument_type(const Operation& operation, const Argument& argument) {
    std::string type;
    switch (argument.kind) {
      case ArgumentKind::kPath:
        return parameter_type(*argument.parameter);
      case ArgumentKind::kBody:
        type = types_.of(operation.body->schema);
        break;
      case ArgumentKind::kQuery:
        type = query_type(operation);
        break;
    }
    const bool may_be_undefined = !argument.required && !argument.optional;
    return may_be_undefined && type != "unknown" ? type + " | undefined" : type;
  }

  const Api& api_;
  SchemaNames names_;
  TypeText types_;
  std::ostream& out_;
};

}  // namespace

void emit_types(const Api& api, Refs& refs, const EmitOptions& options, std::ostream& out) {
  Writer(api, refs, out).write(options);
}

}  // namespace plimsoll::specgen
