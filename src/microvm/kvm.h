// The host's KVM: its device, and what this VMM needs it to be able to do.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/unique_fd.h"
#include "microvm/failure.h"
#include "microvm/kvm_abi.h"

namespace plimsoll::microvm {

class Kvm {
 public:
  // `device` is an open /dev/kvm. Fails for another API version, a missing capability, and a
  // processor that the guest image is not for, and says which.
  [[nodiscard]] static Try<Kvm> open(UniqueFd device);

  // A new, empty virtual machine of the calling process.
  [[nodiscard]] Try<UniqueFd> create_machine() const;

  [[nodiscard]] std::size_t run_bytes() const noexcept { return run_bytes_; }
  [[nodiscard]] std::size_t xsave_bytes() const noexcept { return xsave_bytes_; }
  [[nodiscard]] const CpuidTable& cpuid() const noexcept { return cpuid_; }

 private:
  explicit Kvm(UniqueFd device) noexcept : device_(std::move(device)) {}

  UniqueFd device_;
  std::size_t run_bytes_ = 0;
  std::size_t xsave_bytes_ = kMinXsaveBytes;
  CpuidTable cpuid_;
};

}  // namespace plimsoll::microvm
