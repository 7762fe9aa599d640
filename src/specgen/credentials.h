// What credential the API wants: the broker sends "Authorization: Bearer" and nothing else, so an
// operation that wants a key elsewhere will be answered 401, and whoever makes the grant should
// know.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <unordered_map>

#include "specgen/diagnostics.h"
#include "specgen/document.h"
#include "specgen/refs.h"

namespace plimsoll::specgen {

class Credentials {
 public:
  Credentials(const Node& root, Refs& refs, Diagnostics& diagnostics)
      : root_(root), refs_(refs), diagnostics_(diagnostics) {}

  // The "security" of an operation; null: that of the document holds.
  void use(const Node* security);

  // The one warning, if any operation cannot be served by a bearer token.
  void finish();

 private:
  [[nodiscard]] bool bearer_serves(const Node& security);
  [[nodiscard]] std::string unserved(const std::string& scheme);

  const Node& root_;
  Refs& refs_;
  Diagnostics& diagnostics_;
  std::set<std::string> wanted_;                  // "ApiKey (header 'X-API-Key')"
  std::unordered_map<const Node*, bool> served_;  // by the list; most operations share one
  std::size_t operations_ = 0;
};

}  // namespace plimsoll::specgen
