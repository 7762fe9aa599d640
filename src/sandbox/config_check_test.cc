#include "sandbox/config_check.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

namespace plimsoll {
namespace {

struct Case {
  std::string name;
  std::function<void(SandboxConfig&)> edit;
  std::string message;  // empty: it is accepted
};

const std::vector<Case>& cases() {
  static const std::string kFloor =
      "minimum_isolation is unknown; none, process, container, kernel, vm are accepted";
  static const std::vector<Case> kCases = {
      {"the defaults", [](SandboxConfig&) {}, ""},
      {"pool at its most", [](auto& c) { c.wasm.pool = 64; }, ""},
      {"pool above", [](auto& c) { c.wasm.pool = 65; },
       "wasm.pool is 65; 0 to 64 are accepted (0: one per processor)"},
      {"one run at a time", [](auto& c) { c.wasm.max_concurrent = 1; }, ""},
      {"1024 at a time", [](auto& c) { c.wasm.max_concurrent = 1024; }, ""},
      {"none at a time", [](auto& c) { c.wasm.max_concurrent = 0; },
       "wasm.max_concurrent is 0; 1 to 1024 are accepted"},
      {"1025 at a time", [](auto& c) { c.wasm.max_concurrent = 1025; },
       "wasm.max_concurrent is 1025; 1 to 1024 are accepted"},
      {"no reuse", [](auto& c) { c.wasm.reuse = WorkerReuse::kNever; }, ""},
      {"a reuse that is none", [](auto& c) { c.wasm.reuse = static_cast<WorkerReuse>(7); },
       "wasm.reuse is 7; kNever (0) and kCaller (1) are accepted"},
      {"least memory", [](auto& c) { c.wasm.memory_mb = 16; }, ""},
      {"most memory", [](auto& c) { c.wasm.memory_mb = 1024; }, ""},
      {"too little memory", [](auto& c) { c.wasm.memory_mb = 15; },
       "wasm.memory_mb is 15; 16 to 1024 are accepted (MiB)"},
      {"too much memory", [](auto& c) { c.wasm.memory_mb = 1025; },
       "wasm.memory_mb is 1025; 16 to 1024 are accepted (MiB)"},
      {"cap of one byte", [](auto& c) { c.wasm.output_cap_bytes = 1; }, ""},
      {"largest cap", [](auto& c) { c.wasm.output_cap_bytes = 67'108'864; }, ""},
      {"cap of nothing", [](auto& c) { c.wasm.output_cap_bytes = 0; },
       "wasm.output_cap_bytes is 0; 1 to 67108864 are accepted"},
      {"cap too large", [](auto& c) { c.wasm.output_cap_bytes = 67'108'865; },
       "wasm.output_cap_bytes is 67108865; 1 to 67108864 are accepted"},
      {"path with a NUL", [](auto& c) { c.wasm.worker_path = std::string("/a\0b", 4); },
       "wasm.worker_path holds a NUL byte; a path of a file, or nothing, is accepted"},
      {"minimum of vm", [](auto& c) { c.minimum_isolation = Isolation::kVm; }, ""},
      {"minimum of unknown", [](auto& c) { c.minimum_isolation = Isolation::kUnknown; }, kFloor},
      {"minimum out of range", [](auto& c) { c.minimum_isolation = static_cast<Isolation>(77); },
       kFloor},
      {"provider out of range", [](auto& c) { c.provider = static_cast<ProviderKind>(9); },
       "provider is 9; kDisabled (0), kWasm (1), kDocker (2) are accepted"},
      {"a disabled provider's other settings do not matter",
       [](auto& c) {
         c.provider = ProviderKind::kDisabled;
         c.wasm.memory_mb = 1;
       },
       ""},
      {"every mistake at once",
       [](auto& c) {
         c.minimum_isolation = Isolation::kUnknown;
         c.wasm.pool = 100;
         c.wasm.max_concurrent = 0;
         c.wasm.memory_mb = 0;
         c.wasm.output_cap_bytes = 0;
       },
       kFloor + "; wasm.pool is 100; 0 to 64 are accepted (0: one per processor)"
                "; wasm.max_concurrent is 0; 1 to 1024 are accepted"
                "; wasm.memory_mb is 0; 16 to 1024 are accepted (MiB)"
                "; wasm.output_cap_bytes is 0; 1 to 67108864 are accepted"},
  };
  return kCases;
}

TEST(ConfigCheck, NamesEveryMistakeAndWhatIsAccepted) {
  for (const Case& c : cases()) {
    SandboxConfig config;
    config.provider = ProviderKind::kWasm;
    c.edit(config);
    const auto checked = check_config(config);
    EXPECT_EQ(checked.has_value(), c.message.empty()) << c.name;
    if (!checked) {
      EXPECT_EQ(checked.error().code, ErrorCode::kInvalidConfig) << c.name;
      EXPECT_EQ(checked.error().message, c.message) << c.name;
    }
  }
}

}  // namespace
}  // namespace plimsoll
