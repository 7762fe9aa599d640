#include "specgen/parameter_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "specgen/required_first.h"
#include "specgen/route_template.h"

namespace plimsoll::specgen {
namespace {

std::string text_of(const Node& node, std::string_view name) {
  const Node* value = node.find(name);
  return value != nullptr && value->is(Kind::kString) ? value->text : std::string();
}

bool is_flag(const Node& node, std::string_view name, bool otherwise) {
  const Node* value = node.find(name);
  return value != nullptr && value->is(Kind::kBool) ? value->is_true() : otherwise;
}

bool equals_ignoring_case(std::string_view a, std::string_view b) {
  const auto lower = [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  };
  return std::ranges::equal(a, b, {}, lower, lower);
}

// Headers that are no parameters (OpenAPI 3.1, 4.8.12.1): the broker sets them.
bool is_broker_header(std::string_view name) {
  return equals_ignoring_case(name, "Accept") || equals_ignoring_case(name, "Content-Type") ||
         equals_ignoring_case(name, "Authorization");
}

bool has_type(const Node* schema, std::string_view type) {
  const Node* found = schema == nullptr ? nullptr : schema->find("type");
  if (found == nullptr) return false;
  if (found->is(Kind::kString)) return found->text == type;
  return std::ranges::any_of(found->items, [type](const Node* one) { return one->text == type; });
}

class Reader {
 public:
  Reader(Refs& refs, Diagnostics& diagnostics) : refs_(refs), diagnostics_(diagnostics) {}

  void read(const Node* list) {
    if (list == nullptr) return;
    if (!list->is(Kind::kArray)) {
      diagnostics_.error(list->mark, "parameters is no array");
      return;
    }
    for (const Node* item : list->items) {
      const Node* parameter = refs_.resolve(item);
      if (parameter == nullptr) continue;
      std::string name = text_of(*parameter, "name");
      std::string in = text_of(*parameter, "in");
      if (name.empty() || in.empty()) {
        diagnostics_.error(item->mark, "is a parameter without 'name' and 'in'");
        continue;
      }
      const auto key = std::pair(std::move(in), std::move(name));
      const auto known = places_.find(key);
      if (known != places_.end()) {
        parameters_[known->second].second = parameter;
      } else {
        places_.emplace(key, parameters_.size());
        parameters_.emplace_back(key, parameter);
      }
    }
  }

  ReadParameters take() {
    for (const auto& [key, node] : parameters_) {
      const auto& [in, name] = key;
      if (in == "path") {
        result_.path.push_back(common(name, *node));
      } else if (in == "query") {
        add_query(name, *node);
      } else if (in == "header" && is_broker_header(name)) {
        continue;
      } else if (in == "header" || in == "cookie") {
        leave_out(*node, SkipReason::kHeader, fmt::format("the {} {}", in, quoted(name)),
                  "is not sent: the broker sends its own headers only");
      } else {
        diagnostics_.error(node->mark, fmt::format("parameter {} is in {}; path, query, header and "
                                                   "cookie are known",
                                                   quoted(name), quoted(in)));
      }
    }
    bound_query();
    return std::move(result_);
  }

 private:
  Parameter common(const std::string& name, const Node& node) {
    return {.name = name,
            .identifier = {},
            .required = is_flag(node, "required", false),
            .schema = node.find("schema"),
            .description = text_of(node, "description")};
  }

  void leave_out(const Node& node, SkipReason reason, const std::string& what,
                 std::string_view why) {
    if (!is_flag(node, "required", false)) {
      diagnostics_.warn(node.mark, fmt::format("{} {}; it is left out", what, why));
    } else if (!result_.skip) {
      result_.skip =
          Skip{.reason = reason, .text = fmt::format("it needs {}, which {}", what, why)};
    }
  }

  void add_query(const std::string& name, const Node& node) {
    const std::string what = fmt::format("the query parameter {}", quoted(name));
    if (!is_query_name(name)) {
      leave_out(node, SkipReason::kQuery, what, "has a name that a route cannot have");
      return;
    }
    Parameter parameter = common(name, node);
    const auto shape = shape_of(node, parameter);
    if (!shape) {
      leave_out(node, SkipReason::kQuery, what,
                "is an object, whose fields have names that no route can list");
      return;
    }
    parameter.shape = *shape;
    result_.query.push_back(std::move(parameter));
  }

  // nullopt: an object, in a style that makes its fields parameters.
  std::optional<QueryShape> shape_of(const Node& node, Parameter& parameter) {
    if (const Node* content = node.find("content"); content != nullptr) {
      const Node* media = content->members.empty() ? nullptr : content->members.front().value;
      parameter.schema = media == nullptr ? nullptr : media->find("schema");
      return QueryShape::kJson;
    }
    const Node* schema = parameter.schema == nullptr ? nullptr : refs_.resolve(parameter.schema);
    const std::string style = text_of(node, "style");
    const bool explodes = is_flag(node, "explode", style.empty() || style == "form");
    const bool is_object =
        has_type(schema, "object") || (schema != nullptr && schema->find("properties") != nullptr);
    if (style == "deepObject" || is_object) return std::nullopt;
    if (!has_type(schema, "array")) return QueryShape::kText;
    if (explodes) return QueryShape::kOne;
    if (style == "spaceDelimited") return QueryShape::kBlanks;
    return style == "pipeDelimited" ? QueryShape::kPipes : QueryShape::kCommas;
  }

  // A route names so many at most; the required ones first.
  void bound_query() {
    if (result_.query.size() <= kMaxRouteQueryNames) return;
    put_required_first(result_.query);
    if (result_.query[kMaxRouteQueryNames].required && !result_.skip) {
      result_.skip =
          Skip{.reason = SkipReason::kQuery,
               .text = fmt::format("it needs more than {} query parameters", kMaxRouteQueryNames)};
    }
    diagnostics_.warn(parameters_.back().second->mark,
                      fmt::format("is one of {} query parameters; a route names {} at most, and "
                                  "the last of them are left out",
                                  result_.query.size(), kMaxRouteQueryNames));
    result_.query.resize(kMaxRouteQueryNames);
  }

  using Key = std::pair<std::string, std::string>;
  Refs& refs_;
  Diagnostics& diagnostics_;
  std::map<Key, std::size_t> places_;
  std::vector<std::pair<Key, const Node*>> parameters_;
  ReadParameters result_;
};

}  // namespace

ReadParameters read_parameters(const Node* of_path, const Node* of_operation, Refs& refs,
                               Diagnostics& diagnostics) {
  Reader reader(refs, diagnostics);
  reader.read(of_path);
  reader.read(of_operation);
  return reader.take();
}

}  // namespace plimsoll::specgen
