#include "vm_tier.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/kvm.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>

#include "output.h"
#include "smoke_check.h"

namespace plimsoll::cli {
namespace {

constexpr const char* kDevice = "/dev/kvm";
#if defined(__x86_64__)
constexpr InThisBuild kBuilt = InThisBuild::kYes;
#else
constexpr InThisBuild kBuilt = InThisBuild::kNo;
#endif
constexpr std::size_t kMaxCpuinfoBytes = std::size_t{64} << 10;  // the first processor is enough

std::string read_start_of(const char* path) {
  std::string bytes(kMaxCpuinfoBytes, '\0');
  std::size_t size = 0;
  const int fd = ::open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return {};
  while (size < bytes.size()) {
    const ssize_t got = ::read(fd, bytes.data() + size, bytes.size() - size);
    if (got <= 0) break;
    size += static_cast<std::size_t>(got);
  }
  ::close(fd);
  bytes.resize(size);
  return bytes;
}

HostCheck explain_open(int error) {
  HostCheck check{.name = kDevice, .finding = Finding::kMissing, .detail = {}};
  check.detail = fmt::format("cannot be opened: {}", describe_errno(error));
  if (error == EACCES || error == EPERM) {
    check.remedy = "add this user to the group of the device (kvm), or pass it into the container";
  } else if (error == ENOENT) {
    check.remedy =
        "load kvm_intel or kvm_amd; in a virtual machine, turn nested virtualisation on; in a "
        "container, pass the device in";
  } else {
    check.remedy = "see the kernel's log";
  }
  return check;
}

HostCheck check_api(int fd) {
  const int version = ::ioctl(fd, KVM_GET_API_VERSION, 0);
  HostCheck check{.name = "KVM API", .detail = fmt::format("version {}", version)};
  if (version == KVM_API_VERSION) return check;
  check.finding = Finding::kMissing;
  check.remedy = fmt::format("version {} is needed", KVM_API_VERSION);
  return check;
}

// Without the processor's flags a KVM that answers is a paravirtual one (PVM): slower, still KVM.
HostCheck check_processor() {
  const std::string cpuinfo = read_start_of("/proc/cpuinfo");
  const std::string_view flag = virtualisation_flag(cpuinfo);
  if (!flag.empty()) {
    return {.name = "processor", .detail = fmt::format("{}: kvm/{}", flag, flag)};
  }
  const bool pvm = ::access("/sys/module/kvm_pvm", F_OK) == 0;
  return {.name = "processor",
          .finding = Finding::kWeaker,
          .detail = pvm ? "neither vmx nor svm: kvm/pvm" : "neither vmx nor svm",
          .remedy = "turn nested virtualisation on for hardware-backed machines"};
}

}  // namespace

std::string_view virtualisation_flag(std::string_view cpuinfo) noexcept {
  const auto line = cpuinfo.find("\nflags");
  if (line == std::string_view::npos) return {};
  std::string_view flags = cpuinfo.substr(line + 1);
  flags = flags.substr(0, flags.find('\n'));
  while (!flags.empty()) {
    const auto space = flags.find(' ');
    const std::string_view word = flags.substr(0, space);
    if (word == "vmx" || word == "svm") return word;
    if (space == std::string_view::npos) break;
    flags.remove_prefix(space + 1);
  }
  return {};
}

TierReport examine_vm_tier() {
  TierReport report{.tier = Isolation::kVm,
                    .what = "microvm: JavaScript in a virtual machine on KVM",
                    .in_this_build = kBuilt,
                    .checks = {}};
  const int fd = ::open(kDevice, O_RDWR | O_CLOEXEC);
  if (fd < 0) {
    report.checks.push_back(explain_open(errno));
  } else {
    report.checks.push_back({.name = kDevice, .detail = "can be opened for reading and writing"});
    report.checks.push_back(check_api(fd));
    ::close(fd);
  }
  report.checks.push_back(check_processor());
  if (kBuilt == InThisBuild::kYes && report.host_has_it()) {
    report.checks.push_back(start_for_real({.provider = ProviderKind::kMicrovm}, report.evidence));
  }
  return report;
}

}  // namespace plimsoll::cli
