// One virtual machine with one processor, owned by the process and the thread that made it.
#pragma once

#include <cstdint>
#include <vector>

#include "base/unique_fd.h"
#include "microvm/failure.h"
#include "microvm/guest_memory.h"
#include "microvm/kvm.h"
#include "microvm/machine_exit.h"
#include "microvm/mailbox.h"
#include "microvm/vcpu_state.h"

namespace plimsoll::microvm {

class Machine {
 public:
  // The processor's state is KVM's; set one before entering.
  [[nodiscard]] static Try<Machine> create(const Kvm& kvm, GuestMemory memory);

  Machine(Machine&& other) noexcept;
  Machine& operator=(Machine&&) = delete;
  ~Machine();

  // Runs the guest until it wants something, ends, or a signal comes.
  [[nodiscard]] MachineExit enter() noexcept;
  // Ends what the last exit left half done. Before the state is read or written. False: in doubt.
  [[nodiscard]] bool settle() noexcept;
  // When not 0, enter() returns at once with kInterrupted; a signal handler of this thread sets it.
  [[nodiscard]] volatile std::uint8_t& leave_at_once() noexcept { return run_->immediate_exit; }

  // The pages that the guest has written since they were last cleared, one bit each; valid until
  // the next call. Empty: KVM refused, and the machine must not be used again.
  [[nodiscard]] std::span<const std::uint64_t> dirty_pages() noexcept;
  [[nodiscard]] bool clear_dirty_pages() noexcept;

  // Where the guest stands, for the log.
  struct Position {
    std::uint64_t rip = 0;
    std::uint64_t cr2 = 0;
  };
  [[nodiscard]] Position position() const noexcept;

  // The frequency of the guest's time-stamp counter; 0: unknown.
  [[nodiscard]] std::uint64_t tsc_khz() const noexcept;
  // KVM's own counters of the processor, to be read by whoever gets the descriptor.
  [[nodiscard]] Try<UniqueFd> statistics() const;

  [[nodiscard]] const GuestMemory& memory() const noexcept { return memory_; }
  [[nodiscard]] Mailbox& mailbox() const noexcept {
    return *reinterpret_cast<Mailbox*>(memory_.base() + kMailbox);
  }
  [[nodiscard]] int vm_fd() const noexcept { return vm_.get(); }
  [[nodiscard]] int vcpu_fd() const noexcept { return vcpu_.get(); }
  // Gives the descriptors these numbers, for a system call filter that knows them, by way of
  // numbers from `free_from` on. Whatever had the numbers is closed.
  [[nodiscard]] bool renumber(int vm, int vcpu, int free_from) noexcept;

 private:
  Machine(UniqueFd vm, GuestMemory memory) noexcept
      : memory_(std::move(memory)), vm_(std::move(vm)) {}

  GuestMemory memory_;  // outlives the descriptors
  UniqueFd vm_;
  UniqueFd vcpu_;
  kvm_run* run_ = nullptr;
  std::size_t run_bytes_ = 0;
  std::vector<std::uint64_t> dirty_;
};

}  // namespace plimsoll::microvm
