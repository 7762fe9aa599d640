// What the host's KVM is made of.
#pragma once

#include <string>
#include <string_view>

namespace plimsoll::microvm {

struct KvmBackend {
  std::string name{};    // "kvm/vmx", "kvm/svm", "kvm/pvm"; empty: it could not be told
  std::string nested{};  // "yes": this host is itself a virtual machine; "no"
};

// From the flags of the first processor in `cpuinfo` (proc(5)), and from which of KVM's modules is
// loaded. A KVM without vmx or svm is a paravirtual one.
[[nodiscard]] KvmBackend backend_of(std::string_view cpuinfo, bool pvm_loaded);

// Of this host, now.
[[nodiscard]] KvmBackend measure_backend();

}  // namespace plimsoll::microvm
