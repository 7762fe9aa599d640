#include "specgen/type_text.h"

#include <algorithm>
#include <unordered_set>
#include <vector>

#include "specgen/names.h"
#include "specgen/text.h"

namespace plimsoll::specgen {
namespace {

constexpr std::string_view kUnknown = "unknown";
constexpr std::string_view kAnyObject = "{ [key: string]: unknown }";
constexpr std::size_t kDocBytes = 300;

// Each of them once, in the order in which they come; there may be very many.
class Types {
 public:
  void add(std::string type) {
    if (known_.insert(type).second) all_.push_back(std::move(type));
  }
  void remove(std::string_view type) {
    if (known_.erase(std::string(type)) != 0) std::erase(all_, type);
  }
  [[nodiscard]] bool has(std::string_view type) const { return known_.contains(std::string(type)); }
  [[nodiscard]] const std::vector<std::string>& all() const noexcept { return all_; }

 private:
  std::vector<std::string> all_;
  std::unordered_set<std::string> known_;
};

bool needs_parentheses(std::string_view type) {
  // Within braces and quotes a mark binds nothing outside.
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < type.size(); ++i) {
    const char c = type[i];
    if (quoted) {
      if (c == '\\') ++i;
      if (c == '"') quoted = false;
      continue;
    }
    if (c == '"') quoted = true;
    if (c == '{' || c == '(') ++depth;
    if (c == '}' || c == ')') --depth;
    if (depth == 0 && (c == '|' || c == '&')) return true;
  }
  return false;
}

std::string grouped(const std::string& type) {
  return needs_parentheses(type) ? "(" + type + ")" : type;
}

std::string joined(const Types& types, std::string_view between, bool group) {
  std::string text;
  for (const std::string& type : types.all()) {
    if (!text.empty()) text += between;
    text += group && types.all().size() > 1 ? grouped(type) : type;
  }
  return text;
}

// What contains everything takes all the others in.
std::string union_of(const Types& types) {
  if (types.all().empty() || types.has(kUnknown)) return std::string(kUnknown);
  return joined(types, " | ", false);
}

std::string intersection_of(Types types) {
  types.remove(kUnknown);
  return types.all().empty() ? std::string(kUnknown) : joined(types, " & ", true);
}

std::unordered_set<std::string_view> required_of(const Node& schema) {
  std::unordered_set<std::string_view> names;
  const Node* required = schema.find("required");
  if (required == nullptr) return names;
  for (const Node* one : required->items) {
    if (one->is(Kind::kString)) names.insert(one->text);
  }
  return names;
}

bool is_flag(const Node& schema, std::string_view name) {
  const Node* flag = schema.find(name);
  return flag != nullptr && flag->is_true();
}

}  // namespace

std::string literal_type(const Node& value) {
  switch (value.kind) {
    case Kind::kString:
      return js_string(value.text);
    case Kind::kArray:
    case Kind::kObject:
      return std::string(kUnknown);
    case Kind::kNull:
      return "null";
    default:
      return value.text;
  }
}

std::string TypeText::of(const Node* schema) {
  declared_ = nullptr;
  return schema == nullptr ? std::string(kUnknown) : text(*schema, false);
}

std::string TypeText::reference(const Node& schema, bool direct) {
  const Node* target = refs_.step(schema);
  if (target == nullptr) return std::string(kUnknown);
  const std::string_view name = names_.name_of(*target);
  if (name.empty()) return std::string(kUnknown);
  if (direct && declared_ != nullptr && !names_.may_be_direct(*declared_, *target)) {
    return std::string(kUnknown);
  }
  return std::string(name);
}

// `direct`: the declared type is this one itself, and does not only hold it.
std::string TypeText::text(const Node& schema, bool direct) {
  if (schema.is(Kind::kBool)) return schema.is_true() ? std::string(kUnknown) : "never";
  if (!schema.is(Kind::kObject)) return std::string(kUnknown);
  if (schema.find("$ref") != nullptr) return reference(schema, direct);
  Types parts;
  parts.add(base(schema));
  if (const Node* all = schema.find("allOf"); all != nullptr) {
    for (const Node* one : all->items) parts.add(text(*one, direct));
  }
  for (const std::string_view list : {"oneOf", "anyOf"}) {
    const Node* alternatives = schema.find(list);
    if (alternatives == nullptr || alternatives->items.empty()) continue;
    Types types;
    for (const Node* one : alternatives->items) types.add(text(*one, direct));
    parts.add(union_of(types));
  }
  const bool alternatives = parts.all().size() > 1;
  // "type: object" beside alternatives says nothing that they do not say better.
  if (alternatives && parts.all().front() == kAnyObject) parts.remove(kAnyObject);
  std::string type = intersection_of(std::move(parts));
  if (is_flag(schema, "nullable") && type != kUnknown && type != "null") type += " | null";
  return type;
}

std::string TypeText::base(const Node& schema) {
  if (const Node* value = schema.find("const"); value != nullptr) return literal_type(*value);
  if (const Node* values = schema.find("enum");
      values != nullptr && values->is(Kind::kArray) && !values->items.empty()) {
    Types types;
    for (const Node* value : values->items) types.add(literal_type(*value));
    return union_of(types);
  }
  const Node* type = schema.find("type");
  if (type != nullptr && type->is(Kind::kString)) return of_type(type->text, schema);
  if (type != nullptr && type->is(Kind::kArray)) {
    Types types;
    for (const Node* one : type->items) types.add(of_type(one->text, schema));
    return union_of(types);
  }
  if (schema.find("properties") != nullptr || schema.find("additionalProperties") != nullptr) {
    return object(schema);
  }
  return schema.find("items") != nullptr ? of_type("array", schema) : std::string(kUnknown);
}

std::string TypeText::of_type(std::string_view type, const Node& schema) {
  if (type == "string" || type == "boolean" || type == "null") return std::string(type);
  if (type == "integer" || type == "number") return "number";
  if (type == "array") {
    const Node* items = schema.find("items");
    return grouped(items == nullptr ? std::string(kUnknown) : text(*items, false)) + "[]";
  }
  return type == "object" ? object(schema) : std::string(kUnknown);
}

std::string TypeText::object(const Node& schema) {
  const Node* properties = schema.find("properties");
  const Node* others = schema.find("additionalProperties");
  const bool none = properties == nullptr || properties->members.empty();
  if (none) {
    const bool closed = others != nullptr && others->is(Kind::kBool) && !others->is_true();
    if (closed) return "{ [key: string]: never }";
    const bool typed = others != nullptr && others->is(Kind::kObject);
    return "{ [key: string]: " + (typed ? text(*others, false) : std::string(kUnknown)) + " }";
  }
  std::string fields;
  const auto required = required_of(schema);
  for (const Member& one : properties->members) {
    if (!fields.empty()) fields += "; ";
    fields += is_identifier(one.name) ? one.name : js_string(one.name);
    fields += required.contains(one.name) ? ": " : "?: ";
    fields += text(*one.value, false);
  }
  if (others != nullptr && (others->is(Kind::kObject) || others->is_true())) {
    fields += "; [key: string]: unknown";
  }
  return "{ " + fields + " }";
}

std::string TypeText::declaration(const Node& schema, std::size_t indent) {
  declared_ = &schema;
  const Node* properties = schema.find("properties");
  const bool plain = properties != nullptr && !properties->members.empty() &&
                     schema.find("$ref") == nullptr && schema.find("allOf") == nullptr &&
                     schema.find("oneOf") == nullptr && schema.find("anyOf") == nullptr &&
                     schema.find("enum") == nullptr && schema.find("const") == nullptr &&
                     !is_flag(schema, "nullable") &&
                     (schema.find("type") == nullptr || schema.find("type")->text == "object");
  if (!plain) return text(schema, true);
  const std::string blanks(indent, ' ');
  const auto required = required_of(schema);
  std::string lines = "{\n";
  for (const Member& one : properties->members) {
    const Node* description = one.value->find("description");
    if (description != nullptr && description->is(Kind::kString)) {
      const std::string words = cut_at_sentence(plain_line(description->text), kDocBytes);
      if (!words.empty()) lines.append(blanks).append("  /** ").append(words).append(" */\n");
    }
    lines.append(blanks).append("  ");
    lines += is_identifier(one.name) ? one.name : js_string(one.name);
    lines += required.contains(one.name) ? ": " : "?: ";
    lines += text(*one.value, false) + ";\n";
  }
  const Node* others = schema.find("additionalProperties");
  if (others != nullptr && (others->is(Kind::kObject) || others->is_true())) {
    lines += blanks + "  [key: string]: unknown;\n";
  }
  return lines + blanks + "}";
}

}  // namespace plimsoll::specgen
