// The client's methods, in JavaScript. Of the document's text only the title stands in it, in a
// comment; everything else is a checked route, an identifier or a string literal.
#include <array>
#include <ostream>

#include "specgen/emitters.h"
#include "specgen/text.h"

namespace plimsoll::specgen {
namespace {

constexpr std::size_t kTitleBytes = 100;

// What is sent is what the broker accepts byte for byte; what it would refuse is refused here,
// where the message can say why.
constexpr std::string_view kCode = R"JS(
const $fail = (route, name, why) => {
  throw new TypeError(`${route}: ${name} ${why}`);
};
const $text = (route, name, value) => {
  const type = typeof value;
  if (value === undefined || value === null) $fail(route, name, 'is missing');
  if (type !== 'string' && type !== 'number' && type !== 'boolean' && type !== 'bigint') {
    $fail(route, name, 'is neither a string nor a number nor a boolean');
  }
  return String(value);
};
const $segment = (route, name, value) => {
  const text = $text(route, name, value);
  if (!/^[A-Za-z0-9\-._~!$&'()*+,=:@]+$/.test(text) || /^\.+$/.test(text)) {
    const shown = JSON.stringify(text.slice(0, 80));
    $fail(route, name, `cannot be sent as a part of a path: ${shown}; ` +
      `letters, digits and -._~!$&'()*+,=:@ are accepted, and not dots alone`);
  }
  return text;
};
const $encode = (route, name, text) => {
  let encoded;
  try {
    encoded = encodeURIComponent(text);
  } catch {
    $fail(route, name, 'is no well-formed text');
  }
  return encoded.replace(/[!'()*]/g, (c) => '%' + c.charCodeAt(0).toString(16).toUpperCase());
};
const $value = (route, name, value, join) => {
  if (join === 'json') value = JSON.stringify(value);
  if (Array.isArray(value)) {
    if (join === undefined && value.length !== 1) {
      $fail(route, name, 'takes one value: a grant admits a query parameter once');
    }
    value = value.map((one) => $text(route, name, one)).join(join);
  }
  const encoded = $encode(route, name, $text(route, name, value));
  const size = encoded.replace(/%../g, '-').length;
  if (size < 1 || size > 256) $fail(route, name, `has ${size} bytes; 1 to 256 are accepted`);
  return encoded;
};
const $query = (route, query, known) => {
  if (query === undefined || query === null) return '';
  if (typeof query !== 'object' || Array.isArray(query)) {
    $fail(route, 'query', 'is no object of query parameters');
  }
  const names = known.map((one) => Array.isArray(one) ? one[0] : one);
  for (const name of Object.keys(query)) {
    if (names.includes(name)) continue;
    $fail(route, name, `is no query parameter; there are: ${names.join(', ')}`);
  }
  const parts = [];
  known.forEach((one, at) => {
    const name = names[at];
    const value = Object.hasOwn(query, name) ? query[name] : undefined;
    if (value === undefined || value === null) return;
    const join = Array.isArray(one) ? one[1] : undefined;
    parts.push(`${$encode(route, name, name)}=${$value(route, name, value, join)}`);
  });
  return parts.length === 0 ? '' : '?' + parts.join('&');
};
const $send = async (method, path, values, query, known, body, needed) => {
  const route = `${method} ${path}`;
  const names = Object.keys(values);
  let at = 0;
  const filled = path.replace(/\*/g, () => $segment(route, names[at], values[names[at++]]));
  const target = filled + $query(route, query, known ?? []);
  if (target.length > 8192) $fail(route, 'the target', 'has more than 8192 bytes');
  if (needed && body === undefined) $fail(route, 'body', 'is missing');
  return $call(method, target, body);
};
)JS";

void add_known(const std::vector<Parameter>& query, std::ostream& out) {
  static constexpr std::array<std::string_view, 6> kJoins = {"", "", ",", " ", "|", "json"};
  out << '[';
  std::string_view between;
  for (const Parameter& one : query) {
    const std::string_view join = kJoins.at(static_cast<std::size_t>(one.shape));
    out << between;
    between = ", ";
    if (join.empty()) {
      out << js_string(one.name);
    } else {
      out << '[' << js_string(one.name) << ", " << js_string(join) << ']';
    }
  }
  out << ']';
}

void add_method(const Operation& operation, const EmitOptions& options, std::ostream& out) {
  std::string arguments;
  const auto add = [&arguments](std::string_view name) {
    if (!arguments.empty()) arguments += ", ";
    arguments += name;
  };
  for (const Parameter& one : operation.path_parameters) add(one.identifier);
  const std::string values = arguments.empty() ? "{}" : "{ " + arguments + " }";
  if (operation.body) add("body");
  if (!operation.query.empty()) add("query");
  out << options.global << '.' << operation.name << " = (" << arguments << ") => $send(\""
      << operation.method << "\", " << js_string(operation.route) << ", " << values;
  if (!operation.query.empty()) {
    out << ", query, ";
    add_known(operation.query, out);
  }
  if (operation.body) {
    out << (operation.query.empty() ? ", undefined, undefined, body" : ", body");
    if (operation.body->required) out << ", true";
  }
  out << ");\n";
}

}  // namespace

void emit_preamble(const Api& api, const EmitOptions& options, std::ostream& out) {
  out << "// Made by plimsoll-specgen";
  const std::string title = cut_at_word(plain_line(api.title), kTitleBytes);
  if (!title.empty()) out << " from '" << title << '\'';
  out << ": the routes of the allow list, as methods.\n";
  out << "const { call: $call } = " << options.global << ";" << kCode;
  for (const Operation& operation : api.operations) {
    if (operation.selected) add_method(operation, options, out);
  }
}

}  // namespace plimsoll::specgen
