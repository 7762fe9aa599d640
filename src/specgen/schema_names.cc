#include "specgen/schema_names.h"

#include <algorithm>
#include <array>
#include <optional>

#include "specgen/names.h"

namespace plimsoll::specgen {
namespace {

constexpr int kLastWords = 3;
constexpr std::array<std::string_view, 3> kLists = {"allOf", "oneOf", "anyOf"};

// What TypeScript's types have of their own, and what the file has.
constexpr std::string_view kTypeWords[] = {
    "any",     "bigint", "boolean", "never",       "number",   "object",    "string",  "symbol",
    "unknown", "Client", "Promise", "NonNullable", "abstract", "as",        "asserts", "declare",
    "get",     "infer",  "is",      "keyof",       "module",   "namespace", "of",      "readonly",
    "require", "set",    "type",    "unique",      "global",
};

std::string type_name(std::string_view ref) {
  std::string name;
  if (const auto component = Refs::schema_name(ref)) {
    name = is_identifier(*component) ? *component : camel_case(*component);
  } else {
    // "#/components/schemas/Pet/properties/tag" by its last words: "PetPropertiesTag".
    std::size_t at = ref.size();
    for (int words = 0; words < kLastWords && at != 0 && at != std::string_view::npos; ++words) {
      at = ref.rfind('/', at - 1);
    }
    name = camel_case(at == std::string_view::npos ? ref : ref.substr(at));
  }
  if (name.size() > 80) name.resize(80);
  if (name.empty()) name = "Schema";
  if (name.front() >= 'a' && name.front() <= 'z' && !is_identifier(ref)) {
    name.front() = static_cast<char>(name.front() - 'a' + 'A');
  }
  if (is_reserved_word(name) || std::ranges::find(kTypeWords, name) != std::end(kTypeWords)) {
    name += '_';
  }
  return name;
}

void add(std::vector<const Node*>& list, const Node* schema) {
  if (schema != nullptr && schema->is(Kind::kObject)) list.push_back(schema);
}

// What a schema is itself: its alternatives and its parts, not what its values hold.
std::vector<const Node*> direct_of(const Node& schema) {
  std::vector<const Node*> found;
  for (const std::string_view name : kLists) {
    const Node* list = schema.find(name);
    if (list == nullptr) continue;
    for (const Node* item : list->items) add(found, item);
  }
  return found;
}

}  // namespace

std::vector<const Node*> subschemas_of(const Node& schema) {
  std::vector<const Node*> found = direct_of(schema);
  add(found, schema.find("items"));
  add(found, schema.find("additionalProperties"));
  if (const Node* properties = schema.find("properties"); properties != nullptr) {
    for (const Member& one : properties->members) add(found, one.value);
  }
  return found;
}

SchemaNames::SchemaNames(const Api& api, Refs& refs) : refs_(refs) {
  for (const Operation& operation : api.operations) {
    if (!operation.selected) continue;
    for (const auto* list : {&operation.path_parameters, &operation.query}) {
      for (const Parameter& parameter : *list) collect(parameter.schema);
    }
    if (operation.body) collect(operation.body->schema);
    for (const Node* schema : operation.answers.schemas) collect(schema);
  }
  break_circles();
}

void SchemaNames::collect(const Node* root) {
  std::vector<const Node*> waiting;
  add(waiting, root);
  while (!waiting.empty()) {
    const Node& schema = *waiting.back();
    waiting.pop_back();
    if (!seen_.insert(&schema).second) continue;
    if (const auto ref = Refs::ref_of(&schema)) {
      const Node* target = refs_.step(schema);
      if (target == nullptr || refs_.resolve(target) == nullptr) continue;
      name(*target, *ref);
      add(waiting, target);
      continue;
    }
    std::vector<const Node*> inner = subschemas_of(schema);
    std::ranges::reverse(inner);
    waiting.insert(waiting.end(), inner.begin(), inner.end());
  }
}

void SchemaNames::name(const Node& target, std::string_view ref) {
  const auto [place, is_new] = names_.try_emplace(&target);
  if (!is_new) return;
  const std::string wanted = type_name(ref);
  std::string free = wanted;
  std::size_t& number = next_.try_emplace(wanted, 2).first->second;
  while (!taken_.insert(free).second) free = wanted + "_" + std::to_string(number++);
  place->second = std::move(free);
  order_.push_back(&target);
}

std::string_view SchemaNames::name_of(const Node& target) const {
  const auto found = names_.find(&target);
  return found == names_.end() ? std::string_view() : std::string_view(found->second);
}

bool SchemaNames::may_be_direct(const Node& from, const Node& to) const {
  const auto found = broken_.find(&from);
  return found == broken_.end() || !found->second.contains(&to);
}

// Depth first, by hand: an edge back to a schema that is still under way closes a circle.
void SchemaNames::break_circles() {
  enum class State : std::uint8_t { kUnderWay, kDone };
  struct Step {
    const Node* schema = nullptr;
    std::vector<const Node*> targets{};
    std::size_t next = 0;
  };
  std::unordered_map<const Node*, State> states;
  std::vector<Step> path;
  const auto enter = [&](const Node* schema) {
    states[schema] = State::kUnderWay;
    path.push_back({.schema = schema, .targets = direct_targets(*schema)});
  };
  for (const Node* root : order_) {
    if (states.contains(root)) continue;
    enter(root);
    while (!path.empty()) {
      Step& step = path.back();
      if (step.next == step.targets.size()) {
        states[step.schema] = State::kDone;
        path.pop_back();
        continue;
      }
      const Node* target = step.targets[step.next++];
      const auto state = states.find(target);
      if (state == states.end()) {
        enter(target);
      } else if (state->second == State::kUnderWay) {
        broken_[step.schema].insert(target);
      }
    }
  }
}

// The named schemas that `schema` is itself.
std::vector<const Node*> SchemaNames::direct_targets(const Node& schema) const {
  std::vector<const Node*> targets;
  std::vector<const Node*> waiting = {&schema};
  while (!waiting.empty()) {
    const Node& one = *waiting.back();
    waiting.pop_back();
    if (Refs::ref_of(&one)) {
      const Node* target = refs_.step(one);
      if (target != nullptr && names_.contains(target)) targets.push_back(target);
      continue;
    }
    const std::vector<const Node*> direct = direct_of(one);
    waiting.insert(waiting.end(), direct.begin(), direct.end());
  }
  return targets;
}

}  // namespace plimsoll::specgen
