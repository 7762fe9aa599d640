// The table of providers that the contract suite and the hostile suite run against. A new provider
// adds one row here and passes every test unchanged.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstddef>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "plimsoll/isolation.h"
#include "plimsoll/request.h"
#include "plimsoll/sandbox.h"
#include "providers/provider.h"
#include "sandbox/provider_factory.h"

namespace plimsoll::contract {

// What a test wants of a sandbox, whatever the provider calls it.
struct Shape {
  std::size_t output_cap_bytes = 65'536;
  unsigned max_concurrent = 8;
  unsigned memory_mb = 64;
  WorkerReuse reuse = WorkerReuse::kCaller;
};

// Whether a guest can catch an allocation that its limit forbids, or is ended by it.
enum class OutOfMemory { kCatchable, kFatal };

// What a guest can import: nothing, or the modules of a language runtime in its own file system.
enum class Modules { kNone, kOfTheRuntime };

struct ProviderUnderTest {
  std::string id;  // what results carry; also the suffix of the tests' names
  Isolation tier;  // what it must show on the machines that run these tests
  Millis max_timeout;
  OutOfMemory out_of_memory;
  Modules modules;
  std::string lone_surrogate;  // the bytes that console.log("\udc00") writes
  SandboxConfig (*config)(const Shape&);
  // What this machine lacks for it; empty: nothing. Then its tests are skipped, and the gate, which
  // takes no skipped test, fails.
  std::string (*lacks)() = [] { return std::string(); };

  // The provider itself, for the tests that put a counter in front of it.
  [[nodiscard]] std::unique_ptr<Provider> make(const Shape& shape) const {
    return make_provider(config(shape));
  }

  // How GoogleTest prints it: the same in each process.
  friend void PrintTo(const ProviderUnderTest& provider, std::ostream* out) { *out << provider.id; }
};

inline SandboxConfig wasm_config(const Shape& shape) {
  SandboxConfig config;
  config.provider = ProviderKind::kWasm;
  config.wasm.pool = 2;
  config.wasm.max_concurrent = shape.max_concurrent;
  config.wasm.reuse = shape.reuse;
  config.wasm.memory_mb = shape.memory_mb;
  config.wasm.output_cap_bytes = shape.output_cap_bytes;
  return config;
}

inline SandboxConfig microvm_config(const Shape& shape) {
  SandboxConfig config;
  config.provider = ProviderKind::kMicrovm;
  config.microvm.pool = 2;
  config.microvm.max_concurrent = shape.max_concurrent;
  config.microvm.reuse = shape.reuse;
  config.microvm.memory_mb = shape.memory_mb;
  config.microvm.output_cap_bytes = shape.output_cap_bytes;
  return config;
}

inline std::string lacks_kvm() {
  return ::access("/dev/kvm", R_OK | W_OK) == 0 ? std::string() : "no /dev/kvm that may be opened";
}

inline std::vector<ProviderUnderTest> providers_under_test() {
  return {
      {.id = "wasm",
       .tier = Isolation::kProcess,
       .max_timeout = kMaxWasmTimeout,
       .out_of_memory = OutOfMemory::kFatal,
       .modules = Modules::kNone,
       .lone_surrogate = "\xed\xb0\x80",  // as the guest wrote it
       .config = wasm_config},
      {.id = "microvm",
       .tier = Isolation::kVm,
       .max_timeout = kMaxMicrovmTimeout,
       .out_of_memory = OutOfMemory::kFatal,
       .modules = Modules::kNone,
       .lone_surrogate = "\xed\xb0\x80",
       .config = microvm_config,
       .lacks = lacks_kvm},
  };
}

// The third argument of INSTANTIATE_TEST_SUITE_P.
inline std::string provider_name(const ::testing::TestParamInfo<ProviderUnderTest>& info) {
  return info.param.id;
}

}  // namespace plimsoll::contract
