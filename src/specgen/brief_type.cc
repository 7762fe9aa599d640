#include "specgen/brief_type.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "specgen/names.h"
#include "specgen/required_first.h"
#include "specgen/text.h"

namespace plimsoll::specgen {
namespace {

constexpr std::size_t kCollected = 40;
constexpr std::size_t kValues = 8;
constexpr std::size_t kWordBytes = 40;
constexpr std::size_t kBytes = 200;
constexpr unsigned kMostLevels = 8;
// Schemas that are looked at; lists of lists of the same schemas have more of them than there are
// atoms.
constexpr unsigned kMostSchemas = 1000;

class Brief {
 public:
  Brief(Refs& refs, std::size_t fields) : refs_(refs), most_fields_(fields) {}

  // `levels` bounds what is looked through without a brace of its own: arrays, allOf, oneOf.
  std::string of(const Node* node, unsigned depth, unsigned levels) {
    const Node* schema = node == nullptr || levels == 0 ? nullptr : look_at(node);
    if (schema == nullptr || !schema->is(Kind::kObject)) return "any";
    if (const Node* value = schema->find("const"); value != nullptr) return literal(*value);
    if (const Node* values = schema->find("enum"); values != nullptr && !values->items.empty()) {
      return alternatives(*values);
    }
    const std::string_view type = type_of(*schema);
    if (type == "array" || schema->find("items") != nullptr) {
      return array_of(of(schema->find("items"), depth, levels - 1));
    }
    const Fields fields = fields_of(*schema, levels);
    if (!fields.empty()) return object(fields, depth, levels);
    for (const std::string_view list : {"oneOf", "anyOf", "allOf"}) {
      const Node* choices = schema->find(list);
      if (choices != nullptr && !choices->items.empty()) return one_of(*choices, depth, levels);
    }
    if (type == "integer" || type == "number") return "number";
    if (type == "object") return "object";
    return type.empty() ? "any" : std::string(type);
  }

 private:
  struct Field {
    std::string_view name;
    const Node* schema = nullptr;
    bool required = false;
  };
  using Fields = std::vector<Field>;

  // Null: there is none, or it is one too many.
  const Node* look_at(const Node* node) {
    if (left_ == 0) return nullptr;
    --left_;
    return refs_.resolve(node);
  }

  static std::string array_of(const std::string& type) {
    const bool loose = type.find(" | ") != std::string::npos && !type.starts_with('{');
    return (loose ? "(" + type + ")" : type) + "[]";
  }

  static std::string literal(const Node& value) {
    if (value.is(Kind::kArray) || value.is(Kind::kObject)) return "any";
    if (value.is(Kind::kNull)) return "null";
    if (!value.is(Kind::kString)) return value.text;
    std::string word = cut_at_word(plain_line(value.text), kWordBytes);
    std::ranges::replace(word, '\'', ' ');
    return "'" + word + "'";
  }

  static std::string alternatives(const Node& values) {
    std::string text;
    for (std::size_t i = 0; i < values.items.size() && i < kValues; ++i) {
      text += (i == 0 ? "" : " | ") + literal(*values.items[i]);
    }
    return values.items.size() > kValues ? text + " | ..." : text;
  }

  // The first that is not null.
  static std::string_view type_of(const Node& schema) {
    const Node* type = schema.find("type");
    if (type == nullptr) return {};
    if (type->is(Kind::kString)) return known(type->text);
    for (const Node* one : type->items) {
      if (one->text != "null") return known(one->text);
    }
    return {};
  }

  static std::string_view known(std::string_view type) {
    static constexpr std::string_view kTypes[] = {"string", "integer", "number", "boolean",
                                                  "array",  "object",  "null"};
    const auto* found = std::ranges::find(kTypes, type);
    return found == std::end(kTypes) ? std::string_view() : *found;
  }

  // Its own, and those of the parts of an allOf; the required ones first.
  Fields fields_of(const Node& schema, unsigned levels) {
    Fields fields;
    add_fields(schema, levels, fields);
    put_required_first(fields);
    return fields;
  }

  void add_fields(const Node& schema, unsigned levels, Fields& fields) {
    if (levels == 0 || fields.size() > kCollected) return;
    if (const Node* all = schema.find("allOf"); all != nullptr) {
      for (const Node* part : all->items) {
        const Node* resolved = look_at(part);
        if (left_ == 0) break;
        if (resolved != nullptr) add_fields(*resolved, levels - 1, fields);
      }
    }
    const Node* properties = schema.find("properties");
    if (properties == nullptr) return;
    const Node* required = schema.find("required");
    for (const Member& one : properties->members) {
      if (std::ranges::find(fields, one.name, &Field::name) != fields.end()) continue;
      const bool needed =
          required != nullptr && std::ranges::any_of(required->items, [&](const Node* name) {
            return name->text == one.name;
          });
      fields.push_back({.name = one.name, .schema = one.value, .required = needed});
      if (fields.size() > kCollected) return;
    }
  }

  std::string object(const Fields& fields, unsigned depth, unsigned levels) {
    if (depth == 0) return "{...}";
    std::string text;
    for (std::size_t i = 0; i < fields.size() && i < most_fields_; ++i) {
      const Field& field = fields[i];
      text += text.empty() ? "" : ", ";
      text += is_identifier(field.name) ? std::string(field.name) : js_name(field.name);
      text += field.required ? ": " : "?: ";
      text += of(field.schema, depth - 1, levels - 1);
    }
    return "{" + text + (fields.size() > most_fields_ ? ", ...}" : "}");
  }

  static std::string js_name(std::string_view name) {
    return "'" + cut_at_word(plain_line(name), kWordBytes) + "'";
  }

  std::string one_of(const Node& choices, unsigned depth, unsigned levels) {
    std::vector<std::string> types;
    for (const Node* choice : choices.items) {
      std::string type = of(choice, depth, levels - 1);
      if (std::ranges::find(types, type) == types.end()) types.push_back(std::move(type));
      if (types.size() == 4 || left_ == 0) break;
    }
    std::string text;
    for (const std::string& type : types) text += (text.empty() ? "" : " | ") + type;
    return text;
  }

  Refs& refs_;
  std::size_t most_fields_;
  unsigned left_ = kMostSchemas;
};

}  // namespace

std::string brief_type(const Node* schema, Refs& refs, unsigned depth) {
  struct Effort {
    unsigned depth;
    std::size_t fields;
  };
  // Less of it, until it is brief.
  for (const Effort effort : {Effort{2, 10}, Effort{1, 10}, Effort{1, 5}, Effort{0, 0}}) {
    if (effort.depth > depth) continue;
    std::string type = Brief(refs, effort.fields).of(schema, effort.depth, kMostLevels);
    if (type.size() <= kBytes) return type;
  }
  return "object";
}

}  // namespace plimsoll::specgen
