// The table of providers that the contract suite and the hostile suite run against. A new provider
// adds one row here and passes every test unchanged. Those that need an engine are in programs of
// their own, built with PLIMSOLL_TEST_ENGINE, which tools/with-docker runs.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
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
  std::string id;    // what results carry
  std::string name;  // the suffix of the tests' names
  Isolation tier;    // what it must show on the machines that run these tests
  Millis max_timeout;
  OutOfMemory out_of_memory;
  Modules modules;
  std::string lone_surrogate;  // the bytes that console.log("\udc00") writes
  unsigned overhead_mb;        // of the limit of memory, what the runtime itself takes
  Millis start_time;           // how long a run may take to begin, on a busy machine
  int weight;                  // how much longer than a worker's a run takes: fewer are made
  SandboxConfig (*config)(const Shape&);
  // What this machine lacks for it; empty: nothing. Then its tests are skipped, and the gate, which
  // takes no skipped test, fails.
  std::string (*lacks)() = [] { return std::string(); };

  // The provider itself, for the tests that put a counter in front of it.
  [[nodiscard]] std::unique_ptr<Provider> make(const Shape& shape) const {
    return make_provider(config(shape));
  }

  // How GoogleTest prints it: the same in each process.
  friend void PrintTo(const ProviderUnderTest& provider, std::ostream* out) {
    *out << provider.name;
  }
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

#ifdef PLIMSOLL_TEST_ENGINE
inline std::string from_environment(const char* name, const char* fallback) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nobody changes it
  return value == nullptr ? fallback : value;
}

inline std::string lacks_engine() {
  const bool has_one = std::getenv("DOCKER_HOST") != nullptr;  // NOLINT(concurrency-mt-unsafe)
  return has_one ? std::string() : "no engine: tools/with-docker has one";
}

inline constexpr unsigned kNodeMb = 96;

inline SandboxConfig docker_config(const Shape& shape, std::string runtime) {
  SandboxConfig config;
  config.provider = ProviderKind::kDocker;
  config.docker.host = from_environment("DOCKER_HOST", "unix:///no/engine");
  config.docker.image = "plimsoll/snippet:latest";
  config.docker.runtime = std::move(runtime);
  config.docker.seccomp = PLIMSOLL_SOURCE_DIR "/images/seccomp.json";
  config.docker.max_concurrent = shape.max_concurrent;
  config.docker.memory_mb = shape.memory_mb + kNodeMb;
  config.docker.output_cap_bytes = shape.output_cap_bytes;
  return config;
}

inline std::vector<ProviderUnderTest> providers_under_test() {
  const ProviderUnderTest runc{
      .id = "docker",
      .name = "runc",
      .tier = Isolation::kContainer,
      .max_timeout = Millis{120'000},
      .out_of_memory = OutOfMemory::kFatal,
      .modules = Modules::kOfTheRuntime,
      .lone_surrogate = "\xef\xbf\xbd",
      .overhead_mb = kNodeMb,
      .start_time = Millis{4'000},
      .weight = 10,
      .config = [](const Shape& shape) { return docker_config(shape, "runc"); },
      .lacks = lacks_engine};
  ProviderUnderTest runsc = runc;
  runsc.name = "runsc";
  runsc.tier = Isolation::kKernel;
  runsc.config = [](const Shape& shape) { return docker_config(shape, "runsc"); };
  return {runc, runsc};
}
#else
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
       .name = "wasm",
       .tier = Isolation::kProcess,
       .max_timeout = kMaxWasmTimeout,
       .out_of_memory = OutOfMemory::kFatal,
       .modules = Modules::kNone,
       .lone_surrogate = "\xed\xb0\x80",  // as the guest wrote it
       .overhead_mb = 0,
       .start_time = Millis{0},
       .weight = 1,
       .config = wasm_config},
      {.id = "microvm",
       .name = "microvm",
       .tier = Isolation::kVm,
       .max_timeout = kMaxMicrovmTimeout,
       .out_of_memory = OutOfMemory::kFatal,
       .modules = Modules::kNone,
       .lone_surrogate = "\xed\xb0\x80",
       .overhead_mb = 0,
       .start_time = Millis{0},
       .weight = 1,
       .config = microvm_config,
       .lacks = lacks_kvm},
  };
}
#endif

// The third argument of INSTANTIATE_TEST_SUITE_P.
inline std::string provider_name(const ::testing::TestParamInfo<ProviderUnderTest>& info) {
  return info.param.name;
}

}  // namespace plimsoll::contract
