#include "specgen/api_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "specgen/content_reader.h"
#include "specgen/credentials.h"
#include "specgen/names.h"
#include "specgen/parameter_reader.h"
#include "specgen/route_bounds.h"
#include "specgen/route_template.h"

namespace plimsoll::specgen {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kMethods = {{
    {"get", "GET"},
    {"put", "PUT"},
    {"post", "POST"},
    {"delete", "DELETE"},
    {"patch", "PATCH"},
}};
constexpr std::array<std::string_view, 4> kOtherMethods = {"head", "options", "trace", "query"};

constexpr std::string_view kHealthFlag = "x-plimsoll-health-check";

std::string text_of(const Node& node, std::string_view name) {
  const Node* value = node.find(name);
  return value != nullptr && value->is(Kind::kString) ? value->text : std::string();
}

// The first tag; else the first segment of the path that says something.
std::string group_of(const Node& node, std::string_view path) {
  const Node* tags = node.find("tags");
  if (tags != nullptr && !tags->items.empty() && tags->items.front()->is(Kind::kString)) {
    return tags->items.front()->text;
  }
  while (!path.empty()) {
    path.remove_prefix(1);
    const std::size_t end = std::min(path.find('/'), path.size());
    if (end != 0 && path.front() != '{') return std::string(path.substr(0, end));
    path.remove_prefix(end);
  }
  return "other";
}

class Reader {
 public:
  Reader(const Document& document, Refs& refs, Expansion& expansion, Diagnostics& diagnostics)
      : root_(document.root()), refs_(refs), expansion_(expansion), diagnostics_(diagnostics) {}

  Api read() {
    if (!check_version()) return {};
    read_info();
    read_origin();
    read_paths();
    for (const Operation& lost : bound_routes(api_.operations, diagnostics_)) {
      skip(lost.mark, lost.method, lost.path,
           {.reason = SkipReason::kPath, .text = "its route would be longer than a grant takes"});
    }
    if (api_.operations.empty() && !diagnostics_.has_errors()) {
      diagnostics_.warn(root_.mark,
                        "the document has no operation that a grant can express: the grant reaches "
                        "nothing");
    }
    name_operations(api_.operations, diagnostics_);
    credentials_.finish();
    return std::move(api_);
  }

 private:
  bool check_version() {
    if (!root_.is(Kind::kObject)) {
      diagnostics_.error(root_.mark, fmt::format("the document is {}, and no OpenAPI document",
                                                 to_string(root_.kind)));
      return false;
    }
    if (const Node* swagger = root_.find("swagger"); swagger != nullptr) {
      diagnostics_.error(swagger->mark,
                         "the document is Swagger 2.0; OpenAPI 3.0 and 3.1 are read. Convert it, "
                         "for example with 'npx swagger2openapi' or by 'Convert to OpenAPI 3' of "
                         "editor.swagger.io");
      return false;
    }
    const Node* version = root_.find("openapi");
    if (version == nullptr) {
      diagnostics_.error(root_.mark, "the document has no 'openapi'; it is no OpenAPI 3 document");
      return false;
    }
    // An unquoted 3.1 is a number in YAML.
    const bool known = version->text == "3.0" || version->text == "3.1" ||
                       version->text.starts_with("3.0.") || version->text.starts_with("3.1.");
    if (!known) {
      diagnostics_.error(version->mark,
                         fmt::format("is OpenAPI {}; 3.0 and 3.1 are read", quoted(version->text)));
    }
    return known;
  }

  void read_info() {
    const Node* info = root_.find("info");
    if (info == nullptr) return;
    api_.title = text_of(*info, "title");
    const Node* version = info->find("version");
    if (version != nullptr) api_.version = version->text;
    api_.description = text_of(*info, "description");
  }

  void read_origin() {
    if (const auto server = read_servers(root_.find("servers"), diagnostics_)) {
      api_.server = *server;
      return;
    }
    // Without a server of the document, the first that a path or an operation has speaks for all.
    Diagnostics said_later;
    const Node* paths = root_.find("paths");
    for (const Member& path : paths == nullptr ? std::vector<Member>() : paths->members) {
      std::vector<const Node*> places = {path.value};
      for (const Member& member : path.value->members) places.push_back(member.value);
      for (const Node* place : places) {
        if (const auto server = read_servers(place->find("servers"), said_later)) {
          api_.server = *server;
          return;
        }
      }
    }
  }

  void read_paths() {
    const Node* paths = root_.find("paths");
    if (paths == nullptr || !paths->is(Kind::kObject)) {
      if (paths != nullptr) diagnostics_.error(paths->mark, "paths is no object");
    } else {
      for (const Member& one : paths->members) {
        if (expansion_.exceeded()) return;
        if (!one.name.starts_with("x-")) read_path(one);
      }
    }
  }

  void read_path(const Member& path) {
    const Node* item = refs_.resolve(path.value);
    if (item == nullptr) return;
    if (!item->is(Kind::kObject)) {
      diagnostics_.error(path.mark, fmt::format("the path {} is no object", quoted(path.name)));
      return;
    }
    for (const Member& one : item->members) {
      const auto* method = std::ranges::find(kMethods, one.name,
                                             &std::pair<std::string_view, std::string_view>::first);
      const bool other = std::ranges::find(kOtherMethods, one.name) != kOtherMethods.end();
      if (method != kMethods.end()) {
        read_operation(method->second, path, *item, one);
        if (!count(*item, one)) return;
      } else if (other && one.value->is(Kind::kObject)) {
        skip(one.mark, one.name, path.name,
             {.reason = SkipReason::kMethod,
              .text = "a grant has GET, PUT, POST, DELETE and PATCH only"});
      }
    }
  }

  bool count(const Node& item, const Member& operation) {
    if (expansion_.add_operation(item, *operation.value)) return true;
    diagnostics_.error(operation.mark,
                       fmt::format("the operations up to here have more than {} values, each $ref "
                                   "counted as what it stands for",
                                   expansion_.most()));
    return false;
  }

  void skip(Mark mark, std::string_view method, std::string_view path, const Skip& why) {
    ++api_.skipped[static_cast<std::size_t>(why.reason)];
    std::string verb(method);
    for (char& c : verb) {
      if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    }
    diagnostics_.warn(mark, fmt::format("{} {} is skipped: {}", verb, quoted(path), why.text));
  }

  void read_operation(std::string_view method, const Member& path, const Node& item,
                      const Member& member) {
    const Node& node = *member.value;
    if (!node.is(Kind::kObject)) {
      diagnostics_.error(member.mark, "an operation is no object");
      return;
    }
    const bool is_health_check = has_health_flag(node);
    const auto refuse = [&](const Skip& why) {
      if (is_health_check) not_a_health_check(node);
      skip(member.mark, method, path.name, why);
    };
    if (const auto elsewhere = other_origin(item, node)) return refuse(*elsewhere);
    auto route = read_route_template(api_.server.base_path, path.name);
    if (!route) return refuse({.reason = SkipReason::kPath, .text = route.error()});
    auto parameters =
        read_parameters(item.find("parameters"), node.find("parameters"), refs_, diagnostics_);
    if (parameters.skip) return refuse(*parameters.skip);
    auto body = read_body(node.find("requestBody"), refs_, diagnostics_);
    if (body.skip) return refuse(*body.skip);
    if (is_health_check) {
      const bool bare = method == "GET" && route->parameters.empty() && parameters.query.empty();
      bare ? take_health_check(node, route->path) : not_a_health_check(node);
    }
    Operation operation{.method = std::string(method),
                        .path = path.name,
                        .route = route->path,
                        .id = text_of(node, "operationId"),
                        .name = {},
                        .group = group_of(node, path.name),
                        .summary = text_of(node, "summary"),
                        .description = text_of(node, "description"),
                        .mark = member.mark};
    const Node* deprecated = node.find("deprecated");
    operation.deprecated = deprecated != nullptr && deprecated->is_true();
    operation.path_parameters = in_order(route->parameters, std::move(parameters.path), member);
    operation.query = std::move(parameters.query);
    operation.body = body.body;
    operation.answers = read_answers(node.find("responses"), refs_);
    credentials_.use(node.find("security"));
    api_.operations.push_back(std::move(operation));
  }

  // The parameters of the path in the order in which they stand there.
  std::vector<Parameter> in_order(const std::vector<std::string>& names,
                                  std::vector<Parameter> declared, const Member& operation) {
    std::vector<Parameter> ordered;
    for (const std::string& name : names) {
      const auto found = std::ranges::find(declared, name, &Parameter::name);
      ordered.push_back(found != declared.end() ? *found : Parameter{.name = name});
      ordered.back().required = true;
    }
    for (const Parameter& parameter : declared) {
      if (std::ranges::find(names, parameter.name) == names.end()) {
        diagnostics_.warn(operation.mark,
                          fmt::format("the path parameter {} stands nowhere in the path",
                                      quoted(parameter.name)));
      }
    }
    name_arguments(ordered);
    return ordered;
  }

  std::optional<Skip> other_origin(const Node& item, const Node& operation) {
    for (const Node* level : {&operation, &item}) {
      const auto server = read_servers(level->find("servers"), diagnostics_);
      if (!server) continue;
      const bool same = server->base_path == api_.server.base_path &&
                        (server->origin.empty() || server->origin == api_.server.origin);
      if (same) return std::nullopt;
      return Skip{.reason = SkipReason::kOrigin,
                  .text = fmt::format("it is at the server {}; a grant has one origin, and the "
                                      "routes one base path",
                                      quoted(server->origin + server->base_path))};
    }
    return std::nullopt;
  }

  bool has_health_flag(const Node& operation) {
    const Node* flag = operation.find(kHealthFlag);
    if (flag != nullptr && !flag->is(Kind::kBool)) {
      diagnostics_.error(flag->mark, fmt::format("{} is no boolean", kHealthFlag));
    }
    return flag != nullptr && flag->is_true();
  }

  void not_a_health_check(const Node& operation) {
    diagnostics_.error(
        operation.find(kHealthFlag)->mark,
        fmt::format("{} stands on an operation that is no GET without parameters", kHealthFlag));
  }

  void take_health_check(const Node& operation, const std::string& path) {
    if (api_.health_check) {
      diagnostics_.error(operation.find(kHealthFlag)->mark,
                         fmt::format("{} stands on a second operation", kHealthFlag));
    }
    api_.health_check = "GET " + path;
  }

  const Node& root_;
  Refs& refs_;
  Expansion& expansion_;
  Diagnostics& diagnostics_;
  Api api_;
  Credentials credentials_{root_, refs_, diagnostics_};
};

}  // namespace

Api read_api(const Document& document, Refs& refs, Expansion& expansion, Diagnostics& diagnostics) {
  return Reader(document, refs, expansion, diagnostics).read();
}

}  // namespace plimsoll::specgen
