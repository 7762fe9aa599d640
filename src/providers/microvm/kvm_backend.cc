#include "providers/microvm/kvm_backend.h"

#include <unistd.h>

#include "providers/proc_files.h"

namespace plimsoll::microvm {

namespace {

bool has_word(std::string_view words, std::string_view wanted) noexcept {
  while (!words.empty()) {
    const auto space = words.find(' ');
    if (words.substr(0, space) == wanted) return true;
    if (space == std::string_view::npos) break;
    words.remove_prefix(space + 1);
  }
  return false;
}

}  // namespace

KvmBackend backend_of(std::string_view cpuinfo, bool pvm_loaded) {
  const auto line = cpuinfo.find("\nflags");
  if (line == std::string_view::npos) return {};
  std::string_view flags = cpuinfo.substr(line + 1);
  flags = flags.substr(0, flags.find('\n'));
  KvmBackend backend{.nested = has_word(flags, "hypervisor") ? "yes" : "no"};
  // KVM takes one module for the processor at a time: where PVM's is loaded, it serves /dev/kvm,
  // whatever else the processor offers.
  if (pvm_loaded) {
    backend.name = "kvm/pvm";
  } else if (has_word(flags, "vmx")) {
    backend.name = "kvm/vmx";
  } else if (has_word(flags, "svm")) {
    backend.name = "kvm/svm";
  }
  return backend;
}

KvmBackend measure_backend() {
  const auto cpuinfo = read_small_file("/proc/cpuinfo");  // the first processor is enough
  if (!cpuinfo) return {};
  return backend_of(*cpuinfo, ::access("/sys/module/kvm_pvm", F_OK) == 0);
}

}  // namespace plimsoll::microvm
