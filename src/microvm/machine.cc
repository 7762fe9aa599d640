#include "microvm/machine.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace plimsoll::microvm {

Try<Machine> Machine::create(const Kvm& kvm, GuestMemory memory) {
  auto vm = kvm.create_machine();
  if (!vm) return std::unexpected(vm.error());
  Machine machine(std::move(*vm), std::move(memory));
  const int fd = machine.vm_.get();
  kvm_enable_cap manual{};
  manual.cap = KVM_CAP_MANUAL_DIRTY_LOG_PROTECT2;
  manual.args[0] = KVM_DIRTY_LOG_MANUAL_PROTECT_ENABLE;
  if (::ioctl(fd, KVM_ENABLE_CAP, &manual) != 0) return failed("the manual dirty log");
  kvm_userspace_memory_region region{};
  region.flags = KVM_MEM_LOG_DIRTY_PAGES;
  region.memory_size = machine.memory_.size();
  region.userspace_addr = reinterpret_cast<std::uintptr_t>(machine.memory_.base());
  if (::ioctl(fd, KVM_SET_USER_MEMORY_REGION, &region) != 0) {
    return failed("KVM_SET_USER_MEMORY_REGION");
  }
  machine.vcpu_.reset(::ioctl(fd, KVM_CREATE_VCPU, 0));
  if (!machine.vcpu_) return failed("KVM_CREATE_VCPU");
  if (::ioctl(machine.vcpu_.get(), kSetCpuid, &kvm.cpuid()) != 0) return failed("KVM_SET_CPUID2");
  void* run =
      ::mmap(nullptr, kvm.run_bytes(), PROT_READ | PROT_WRITE, MAP_SHARED, machine.vcpu_.get(), 0);
  if (run == MAP_FAILED) return failed("the processor's run page");
  machine.run_ = static_cast<kvm_run*>(run);
  machine.run_bytes_ = kvm.run_bytes();
  constexpr std::size_t kBits = 64;
  machine.dirty_.resize((machine.memory_.size() / kPage + kBits - 1) / kBits);
  return machine;
}

Machine::Machine(Machine&& other) noexcept
    : memory_(std::move(other.memory_)),
      vm_(std::move(other.vm_)),
      vcpu_(std::move(other.vcpu_)),
      run_(std::exchange(other.run_, nullptr)),
      run_bytes_(other.run_bytes_),
      dirty_(std::move(other.dirty_)) {}

Machine::~Machine() {
  if (run_ != nullptr) ::munmap(run_, run_bytes_);
}

MachineExit Machine::enter() noexcept {
  if (::ioctl(vcpu_.get(), KVM_RUN, 0) == 0) return classify(*run_, run_bytes_);
  if (errno == EINTR || errno == EAGAIN) return {.kind = MachineExit::Kind::kInterrupted};
  return {.fault = guest::FaultReason::kRunRefused, .detail = static_cast<std::uint32_t>(errno)};
}

bool Machine::settle() noexcept {
  const std::uint8_t before = std::exchange(run_->immediate_exit, std::uint8_t{1});
  const bool left = ::ioctl(vcpu_.get(), KVM_RUN, 0) != 0 && errno == EINTR;
  run_->immediate_exit = before;
  return left;
}

std::span<const std::uint64_t> Machine::dirty_pages() noexcept {
  kvm_dirty_log log{};
  log.dirty_bitmap = dirty_.data();
  if (::ioctl(vm_.get(), KVM_GET_DIRTY_LOG, &log) != 0) return {};
  return dirty_;
}

bool Machine::clear_dirty_pages() noexcept {
  kvm_clear_dirty_log log{};
  log.num_pages = static_cast<std::uint32_t>(memory_.size() / kPage);
  log.dirty_bitmap = dirty_.data();
  return ::ioctl(vm_.get(), KVM_CLEAR_DIRTY_LOG, &log) == 0;
}

Machine::Position Machine::position() const noexcept {
  kvm_regs regs{};
  kvm_sregs sregs{};
  if (::ioctl(vcpu_.get(), KVM_GET_REGS, &regs) != 0) return {};
  if (::ioctl(vcpu_.get(), KVM_GET_SREGS, &sregs) != 0) return {};
  return {.rip = regs.rip, .cr2 = sregs.cr2};
}

std::uint64_t Machine::tsc_khz() const noexcept {
  const int khz = ::ioctl(vcpu_.get(), KVM_GET_TSC_KHZ, 0);
  return khz > 0 ? static_cast<std::uint64_t>(khz) : 0;
}

Try<UniqueFd> Machine::statistics() const {
  UniqueFd file(::ioctl(vcpu_.get(), kGetStatsFd, 0));
  if (!file) return failed("KVM_GET_STATS_FD");
  return file;
}

bool Machine::renumber(int vm, int vcpu, int free_from) noexcept {
  for (auto [file, number] : {std::pair{&vm_, vm}, std::pair{&vcpu_, vcpu}}) {
    // Out of the way first: the other one may have the number.
    file->reset(::fcntl(file->get(), F_DUPFD_CLOEXEC, free_from));
    if (!*file) return false;
  }
  for (auto [file, number] : {std::pair{&vm_, vm}, std::pair{&vcpu_, vcpu}}) {
    if (::dup3(file->get(), number, O_CLOEXEC) != number) return false;
    file->reset(number);
  }
  return true;
}

}  // namespace plimsoll::microvm
