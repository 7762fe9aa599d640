// Writes what a document comes to. Pure: the same API gives the same bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>

#include "specgen/api_model.h"
#include "specgen/refs.h"

namespace plimsoll::specgen {

enum class Artifact : std::uint8_t {
  kGrants,       // a profiles file with one profile
  kAllow,        // the routes of the selected operations
  kPreamble,     // the client's methods
  kDescription,  // for a model
  kCatalog,      // the routes of all operations
  kHealth,       // the health check's route; empty without one
  kTypes,        // the client's types
};

// "grants", "allow", "preamble", "description", "catalog", "health", "types".
[[nodiscard]] std::string_view to_string(Artifact artifact) noexcept;
[[nodiscard]] std::optional<Artifact> artifact_of(std::string_view name) noexcept;
// "grants.json", "allow.json", "preamble.js", "description.txt", "catalog.json",
// "health_check.txt", "types.d.ts".
[[nodiscard]] std::string_view file_name(Artifact artifact) noexcept;

// Of a document that names no server: a name that never resolves (RFC 6761, 6.4).
inline constexpr std::string_view kNoOrigin = "https://api.invalid";
// Who may use the profile is the operator's to say; a profile has to say somebody.
inline constexpr std::string_view kNobody = "replace-with-a-caller-id";
[[nodiscard]] bool is_loopback_origin(std::string_view origin) noexcept;

struct EmitOptions {
  std::string global = "host";
  std::size_t max_description = 16'384;  // bytes, from kMinDescriptionBytes
};
inline constexpr std::size_t kMinDescriptionBytes = 1024;

void emit_allow(const Api& api, Which which, std::ostream& out);
void emit_health(const Api& api, std::ostream& out);
void emit_grants(const Api& api, const EmitOptions& options, std::ostream& out);
void emit_preamble(const Api& api, const EmitOptions& options, std::ostream& out);
void emit_types(const Api& api, Refs& refs, const EmitOptions& options, std::ostream& out);
void emit_description(const Api& api, Refs& refs, const EmitOptions& options, std::ostream& out);

void emit(Artifact artifact, const Api& api, Refs& refs, const EmitOptions& options,
          std::ostream& out);

}  // namespace plimsoll::specgen
