// What the library and the zygote (the process that forks workers) say to each other: one fixed
// datagram each way, over a SOCK_SEQPACKET pair. The zygote is ours and jailed, but it shares its
// kernel object with nobody that runs guest code.
#pragma once

#include <array>
#include <cstdint>

namespace plimsoll::guest {

// The descriptors that the zygote is started with.
inline constexpr int kControlFd = 3;
inline constexpr int kWorkerElfFd = 4;

enum class ZygoteOp : std::uint8_t {
  kSpawn = 1,  // fork a worker; the reply carries its channel and its pidfd
  kReap = 2,   // wait for the worker `pid` (as the zygote numbers it), which has been killed
};

struct ZygoteRequest {
  ZygoteOp op = ZygoteOp::kSpawn;
  std::int32_t pid = 0;
};

// What the zygote achieved, each only where the host permits it.
enum Achieved : std::uint32_t {
  kUserNamespace = 1,
  kMountNamespace = 2,
  kNetNamespace = 4,
  kIpcNamespace = 8,
  kUtsNamespace = 16,
  kCgroupNamespace = 32,
  kPidNamespace = 64,
  kEmptyRoot = 128,
};

// The first datagram (unasked) says whether the jail was built; then one for each request.
struct ZygoteReply {
  std::int32_t error = 0;        // an errno, 0: done
  std::int32_t pid = 0;          // kSpawn: the worker, as the zygote numbers it
  std::int32_t wait_status = 0;  // kReap: as waitpid(2) gives it
  std::uint32_t achieved = 0;    // first datagram: bits of Achieved
  std::array<char, 48> step{};   // first datagram: the step that failed, NUL-terminated
};

}  // namespace plimsoll::guest
