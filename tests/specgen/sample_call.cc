#include "tests/specgen/sample_call.h"

#include "specgen/signature.h"
#include "specgen/text.h"

namespace plimsoll::specgen {
namespace {

std::string_view sample_value(QueryShape shape) {
  switch (shape) {
    case QueryShape::kText:
      return "\"v !'()*/?&=%\xC3\xA9\"";
    case QueryShape::kOne:
      return R"(["v"])";
    case QueryShape::kJson:
      return R"({"a": [1]})";
    default:
      return R"(["v", 2])";
  }
}

}  // namespace

std::string sample_call(const Operation& operation, const std::string& global) {
  std::string arguments;
  for (const Argument& one : arguments_of(operation)) {
    if (!arguments.empty()) arguments += ", ";
    if (one.kind == ArgumentKind::kPath) arguments += R"("p-1@:$&'()*+,=!~_.")";
    if (one.kind == ArgumentKind::kBody) arguments += R"({"sample": true})";
    if (one.kind != ArgumentKind::kQuery) continue;
    arguments += '{';
    for (const Parameter& parameter : operation.query) {
      if (arguments.back() != '{') arguments += ", ";
      arguments += js_string(parameter.name) + ": " + std::string(sample_value(parameter.shape));
    }
    arguments += '}';
  }
  return "await " + global + "." + operation.name + "(" + arguments + ");\n";
}

}  // namespace plimsoll::specgen
