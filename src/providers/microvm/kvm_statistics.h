// KVM's own counters of one virtual processor, read by whoever holds their descriptor. The kernel
// counts; nothing that the guest or its monitor says is in them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/unique_fd.h"
#include "plimsoll/result.h"

namespace plimsoll::microvm {

class KvmStatistics {
 public:
  // `machine`: the machine that they are of. It is held until they are closed: kernels before 6.5
  // free the counters with their machine, whoever has them open. Errors: kNotReady, one of the two
  // is no such descriptor, or the counters that evidence needs are not there.
  [[nodiscard]] static Result<KvmStatistics> open(UniqueFd file, UniqueFd machine);

  // "kvm-PID/vcpu-0", with the PID of the process that made the machine, as the kernel's first
  // namespace numbers it.
  [[nodiscard]] const std::string& id() const noexcept { return id_; }

  // How often the processor has left its guest so far. nullopt: it could not be read.
  [[nodiscard]] std::optional<std::uint64_t> exits() const noexcept;

 private:
  UniqueFd machine_;  // before its counters: closed after them
  UniqueFd file_;
  std::string id_;
  std::int64_t exits_at_ = 0;
};

}  // namespace plimsoll::microvm
