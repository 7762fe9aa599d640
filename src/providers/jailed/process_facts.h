// What the kernel shows the host of one jailed process.
#pragma once

#include <string>
#include <string_view>

#include "plimsoll/evidence.h"
#include "plimsoll/result.h"

namespace plimsoll::jailed {

// Facts that this host has measured now.
class Facts {
 public:
  Facts();
  void add(std::string name, std::string value);
  // In place of the one of that name, if there is one.
  static void replace(IsolationEvidence& evidence, std::string_view name, std::string value);
  IsolationEvidence evidence{};

 private:
  std::int64_t now_;
};

struct ProcessFacts {
  std::string pid{};    // as this host numbers it
  bool jailed = false;  // filtered system calls, no_new_privs, and not one capability
};

// Reads /proc/PID of a process that has reported ready (its jail stands, and cannot be taken down
// by it), and adds to `facts` what it finds, each name with `prefix` ("worker."). The namespaces
// and the empty root are stated as they are found. Whoever calls this proves afterwards by
// still_alive() that it was one process all the time. Errors: kNotReady, it could not be read.
[[nodiscard]] Result<ProcessFacts> measure_process(int pidfd, std::string_view prefix,
                                                   Facts& facts);

// Whether the process has not ended, as `pidfd` says.
[[nodiscard]] bool still_alive(int pidfd) noexcept;

}  // namespace plimsoll::jailed
