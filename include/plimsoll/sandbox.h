// The library's front door: a sandbox that runs untrusted code behind a boundary which it reports.
//
//   auto sandbox = plimsoll::Sandbox::build({.provider = plimsoll::ProviderKind::kWasm});
//   if (!sandbox) ...                             // sandbox.error().message lists every mistake
//   if (auto ready = sandbox->ensure_ready(); !ready) ...
//   auto outcome = sandbox->run_javascript({.code = "console.log(6*7)",
//                                           .minimum_isolation = plimsoll::Isolation::kProcess});
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>

#include "plimsoll/evidence.h"
#include "plimsoll/outcome.h"
#include "plimsoll/request.h"
#include "plimsoll/result.h"

namespace plimsoll {

class Provider;

// Which isolation runs the code.
enum class ProviderKind : std::uint8_t {
  kDisabled,  // the default: every run is refused with ErrorCode::kDisabled
  kWasm,      // JavaScript in a jailed QuickJS worker; tier: process
  kDocker,    // Node.js in a container, of a Docker engine; tier: container, or kernel with gVisor
  kMicrovm,   // the same engine in a virtual machine of its own, on this host's KVM; tier: vm
};

// Whether a worker may serve a second run.
enum class WorkerReuse : std::uint8_t {
  kNever,   // each run gets a new process
  kCaller,  // a worker whose memory was reset may serve the same caller again, never another
};

// The wasm provider's settings.
struct WasmConfig {
  // Idle workers kept ready; 1 to 64. Zero: the number of processors.
  unsigned pool = 0;
  // Runs in flight at most, over all callers; 1 to 1024. Further ones wait for their turn.
  unsigned max_concurrent = 8;
  WorkerReuse reuse = WorkerReuse::kCaller;
  // The guest's memory in MiB, 16 to 1024.
  unsigned memory_mb = 64;
  // What is kept of each output stream, in bytes; 1 to 64 MiB.
  std::size_t output_cap_bytes = 65'536;
  // Where plimsoll-worker is. Empty: the copy that is embedded in this library, executed from a
  // sealed memfd; on hosts that forbid that, name an installed file.
  std::string worker_path{};
};

// Whether an image may be named by a tag, which can come to mean another image.
enum class ImagePinning : std::uint8_t {
  kOptional,  // the image that the name means when the sandbox becomes ready is kept to
  kRequired,  // only NAME@sha256:<64 hex digits>
};

// The docker provider's settings. docs/providers.md says what holds a run.
struct DockerConfig {
  // The engine: "unix:///PATH", or "tcp://HOST:PORT" with `certs`, a folder that holds ca.pem,
  // cert.pem and key.pem. Whoever can talk to an engine is root on its host.
  std::string host = "unix:///var/run/docker.sock";
  std::string certs{};
  // The image of snippets; its entry point is the runner (images/). Never pulled.
  std::string image = "node:22-alpine";
  // The image of projects. Empty: there are no projects.
  std::string project_image{};
  // A runtime that the engine knows, e.g. "runsc". Empty: the engine's default.
  std::string runtime{};
  // The system call filter: the absolute path of a profile, "unconfined", or empty for the
  // engine's.
  std::string seccomp{};
  ImagePinning pinning = ImagePinning::kOptional;
  // Containers kept ready; each serves one run. 0 to 64.
  unsigned pool = 0;
  // Runs in flight at most, over all callers; 1 to 1024. Further ones wait for their turn.
  unsigned max_concurrent = 8;
  // What one container may use: memory in MiB, without swap, 32 to 1,048,576; processors, 0.01 to
  // 1024; processes and threads, 16 to 32,768; everything that it can write together in MiB, 8 to
  // 65,536, which counts as memory as well.
  unsigned memory_mb = 256;
  double cpus = 1;
  unsigned pids = 128;
  unsigned disk_mb = 64;
  // What is kept of each output stream, in bytes; 1 to 64 MiB.
  std::size_t output_cap_bytes = 65'536;
};

// The microvm provider's settings. x86-64 only.
struct MicrovmConfig {
  // Idle machines kept ready; 1 to 64. Zero: the number of processors.
  unsigned pool = 0;
  // Runs in flight at most, over all callers; 1 to 1024. Further ones wait for their turn.
  unsigned max_concurrent = 8;
  // kCaller: a machine that was reset, byte for byte, may serve the same caller again.
  WorkerReuse reuse = WorkerReuse::kCaller;
  // The guest's memory in MiB, 16 to 1024.
  unsigned memory_mb = 64;
  // What is kept of each output stream, in bytes; 1 to 64 MiB.
  std::size_t output_cap_bytes = 65'536;
  // Where plimsoll-vmm is. Empty: the copy that is embedded in this library, as for the worker.
  std::string vmm_path{};
};

// Everything that Sandbox::build() checks.
struct SandboxConfig {
  ProviderKind provider = ProviderKind::kDisabled;
  // ensure_ready() fails when the provider's measured tier is weaker than this.
  Isolation minimum_isolation = Isolation::kNone;
  WasmConfig wasm{};
  DockerConfig docker{};
  MicrovmConfig microvm{};
};

// Threads: every method may be called from any thread, concurrently. Nothing here throws, but for
// std::bad_alloc. Destruction kills what still runs; no call may be in flight then.
class Sandbox {
 public:
  // Checks the whole configuration and starts nothing. Errors: kInvalidConfig, every mistake named.
  [[nodiscard]] static Result<Sandbox> build(const SandboxConfig& config);

  Sandbox(Sandbox&&) noexcept;
  Sandbox& operator=(Sandbox&&) noexcept;
  ~Sandbox();

  // Preflight and smoke test: starts the workers and attacks throwaway ones, which must hold.
  // Idempotent; a later call returns the evidence as it is now. Errors: kNotReady with what failed,
  // kIsolation, kDisabled.
  [[nodiscard]] Result<IsolationEvidence> ensure_ready();

  // Runs one snippet and waits for its end. Errors before dispatch have not_dispatched set:
  // kInvalidRequest, kDisabled, kNotReady, kIsolation, kCapacity. After dispatch: kInfrastructure.
  // A request on `cancel`, from any thread, gives a waiting run up and kills a running one:
  // kCanceled.
  [[nodiscard]] Result<Outcome> run_javascript(const RunRequest& request,
                                               std::stop_token cancel = {});

 private:
  explicit Sandbox(std::unique_ptr<Provider> provider, Isolation minimum_isolation);

  std::unique_ptr<Provider> provider_;
  Isolation minimum_isolation_;
};

}  // namespace plimsoll
