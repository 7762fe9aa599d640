// What a provider can do and what it does it with: for Describe, for records, and for the checks
// that come before a dispatch.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll {

struct ProviderInfo {
  bool runs_javascript = false;
  bool runs_projects = false;
  // Whether snippets, and projects, may be granted an API.
  bool javascript_grants = false;
  bool project_grants = false;
  // What snippets run in, as a content address ("quickjs-wasm:sha256:<hex>"), never a name that
  // could come to mean something else. Empty: no snippets.
  std::string environment{};
  // What a caller's software rule is compared with. Empty: the provider cannot say.
  std::string software_identity{};
  // The same two of projects; empty: no projects.
  std::string project_environment{};
  std::string project_software_identity{};
  std::vector<std::string> languages{};
  // The envelope of one run, as it is enforced; 0: that dimension is not.
  std::uint32_t memory_mb = 0;
  double cpus = 0;
  std::uint32_t pids = 0;
  std::uint32_t disk_mb = 0;
};

}  // namespace plimsoll
