#include "microvm/kvm.h"

namespace plimsoll::microvm {

namespace {

struct Capability {
  int number;
  const char* missing;
};
constexpr Capability kNeeded[] = {
    {KVM_CAP_USER_MEMORY, "KVM cannot map memory of ours"},
    {KVM_CAP_IMMEDIATE_EXIT, "KVM cannot leave a machine at once (KVM_CAP_IMMEDIATE_EXIT)"},
    {KVM_CAP_MANUAL_DIRTY_LOG_PROTECT2, "KVM has no manual dirty log"},
    {KVM_CAP_XSAVE, "KVM cannot save the state of vector registers"},
    {KVM_CAP_XCRS, "KVM cannot save XCR0"},
    {KVM_CAP_DEBUGREGS, "KVM cannot save the debug registers"},
    {KVM_CAP_VCPU_EVENTS, "KVM cannot save pending events"},
    {KVM_CAP_GET_TSC_KHZ, "KVM does not tell the frequency of the time-stamp counter"},
    {KVM_CAP_BINARY_STATS_FD, "KVM keeps no statistics, and so there would be no evidence"},
};

}  // namespace

Try<Kvm> Kvm::open(UniqueFd device) {
  Kvm kvm(std::move(device));
  const int fd = kvm.device_.get();
  if (::ioctl(fd, KVM_GET_API_VERSION, 0) != KVM_API_VERSION) return refused("KVM API version");
  for (const Capability& capability : kNeeded) {
    if (::ioctl(fd, KVM_CHECK_EXTENSION, capability.number) <= 0)
      return refused(capability.missing);
  }
  if (!__builtin_cpu_supports("sse4.1")) return refused("the processor has no SSE 4.1");
  const int run_bytes = ::ioctl(fd, KVM_GET_VCPU_MMAP_SIZE, 0);
  if (run_bytes < static_cast<int>(sizeof(kvm_run))) return failed("KVM_GET_VCPU_MMAP_SIZE");
  kvm.run_bytes_ = static_cast<std::size_t>(run_bytes);
  const int xsave = ::ioctl(fd, KVM_CHECK_EXTENSION, KVM_CAP_XSAVE2);
  if (xsave > static_cast<int>(kMinXsaveBytes)) kvm.xsave_bytes_ = static_cast<std::size_t>(xsave);
  if (::ioctl(fd, kGetSupportedCpuid, &kvm.cpuid_) != 0) return failed("KVM_GET_SUPPORTED_CPUID");
  return kvm;
}

Try<UniqueFd> Kvm::create_machine() const {
  UniqueFd machine(::ioctl(device_.get(), KVM_CREATE_VM, 0));
  if (!machine) return failed("KVM_CREATE_VM");
  return machine;
}

}  // namespace plimsoll::microvm
