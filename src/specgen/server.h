// What a "servers" list says: the origin, which is the profile's business, and the base path, which
// becomes a part of each route.
#pragma once

#include <optional>
#include <string>

#include "specgen/diagnostics.h"
#include "specgen/document.h"
#include "specgen/refs.h"

namespace plimsoll::specgen {

struct Server {
  std::string origin;     // "https://api.example.com"; empty: the document does not say
  std::string base_path;  // "" or "/v1"; no trailing slash

  friend bool operator==(const Server&, const Server&) = default;
};

// The first of the list, with its variables at their defaults; a warning when the others differ
// from it, when it is no URL, and when http: or a user in it is dropped. nullopt: there is no list,
// or an empty one.
[[nodiscard]] std::optional<Server> read_servers(const Node* servers, Diagnostics& diagnostics);

}  // namespace plimsoll::specgen
