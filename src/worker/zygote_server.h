// What every zygote does once it is prepared and jailed: forks a process for each one that the
// library asks for, and tells how it died.
#pragma once

#include <string_view>

#include "base/unique_fd.h"
#include "worker/jail.h"

namespace plimsoll::worker {

struct ZygoteChild {
  // In a freshly forked process: becomes what was asked for, with this end of its channel.
  void (*become)(UniqueFd channel, void* context) noexcept = nullptr;
  void* context = nullptr;
};

// Tells the library that there will be no zygote, and why. Returns 1, for main().
int report_no_zygote(std::string_view step, int error) noexcept;

// Says hello, and serves until the library closes its end or breaks the protocol. For main().
int serve_zygote(const JailResult& jail, const ZygoteChild& child) noexcept;

}  // namespace plimsoll::worker
