// What a document says, as far as a grant and its client can express it. The emitters read this,
// and the schemas of the document.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "specgen/diagnostics.h"
#include "specgen/document.h"
#include "specgen/server.h"

namespace plimsoll::specgen {

// How a value becomes the text of a query parameter.
enum class QueryShape : std::uint8_t {
  kText,    // a string, number or boolean
  kOne,     // an array that would repeat the parameter: one value can be sent
  kCommas,  // an array, joined
  kBlanks,
  kPipes,
  kJson,  // whatever it is, as JSON
};

struct Parameter {
  std::string name;        // as the document has it
  std::string identifier;  // of a path parameter: what the client calls it
  bool required = false;
  QueryShape shape = QueryShape::kText;
  const Node* schema = nullptr;  // null: any
  std::string description;       // raw
};

struct Body {
  bool required = false;
  const Node* schema = nullptr;  // null: any
};

// What a method resolves to, of all answers of 2xx.
struct Answers {
  bool nothing = false;  // null
  bool text = false;     // a string
  std::vector<const Node*> schemas{};
};

struct Operation {
  std::string method;  // "GET"
  std::string path;    // as the document has it: "/orders/{id}"
  std::string route;   // "/v1/orders/*"
  std::string id;      // operationId; may be empty
  std::string name;    // of the client's method
  std::string group;   // its first tag, or the first segment of its path
  std::string summary;
  std::string description;  // both raw
  bool deprecated = false;
  bool selected = true;  // by -include and -exclude
  std::vector<Parameter> path_parameters{};
  std::vector<Parameter> query{};
  std::optional<Body> body{};
  Answers answers{};
  Mark mark;
};

// Why an operation has neither a route nor a method.
enum class SkipReason : std::uint8_t {
  kMethod,  // HEAD, OPTIONS, TRACE
  kPath,    // no route expresses it
  kHeader,  // needs a header or a cookie
  kQuery,   // needs a query parameter that a route cannot name
  kBody,    // needs a body that is no JSON
  kOrigin,  // is at another server
};
inline constexpr std::size_t kSkipReasons = 6;

// "method", "path", "header", "query", "body", "origin".
[[nodiscard]] std::string_view to_string(SkipReason reason) noexcept;

// One line of an allow list.
struct Route {
  std::string method;
  std::string path;
  std::vector<std::string> query{};

  [[nodiscard]] std::string text() const;  // "GET /v1/orders?limit"
};

// Valid as long as the document that it was read from.
struct Api {
  std::string title;
  std::string version;
  std::string description;  // all raw
  Server server;
  std::vector<Operation> operations{};  // those that have a method, in the order of the document
  std::array<std::size_t, kSkipReasons> skipped{};
  std::optional<std::string> health_check{};  // "GET /health"

  [[nodiscard]] std::size_t skipped_in_all() const;
};

// The routes of the selected operations or of all, one for each method and path, with the query
// parameters of all that share it; in the order of the document.
enum class Which : std::uint8_t { kSelected, kAll };
[[nodiscard]] std::vector<Route> routes_of(const Api& api, Which which);

}  // namespace plimsoll::specgen
