// What every machine starts from: the guest, booted once up to the point where it waits for a run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/unique_fd.h"
#include "microvm/failure.h"
#include "microvm/guest_memory.h"
#include "microvm/kvm.h"
#include "microvm/machine.h"
#include "microvm/vcpu_state.h"

namespace plimsoll::microvm {

class Template {
 public:
  // Boots `image` (an ELF file) with the snapshot of the engine's memory, its header in its first
  // page. Nothing of any caller's is in the machine, which is gone afterwards. `memory_bytes`: what
  // the machines may use of linear memory. Fails when the guest does not come up.
  [[nodiscard]] static Try<Template> make(const Kvm& kvm, std::span<const std::uint8_t> image,
                                          std::span<const std::uint8_t> snapshot,
                                          std::size_t memory_bytes);

  Template(Template&& other) noexcept;
  Template& operator=(Template&&) = delete;
  ~Template();

  // A new machine that is this template.
  [[nodiscard]] Try<Machine> start(const Kvm& kvm) const;

  // Makes one page of a machine equal to this again.
  void restore_page(const GuestMemory& memory, std::uint64_t number) const noexcept;
  // Whether it is what restore_page() would make of it.
  [[nodiscard]] bool is_page(const GuestMemory& memory, std::uint64_t number) const noexcept;
  // The contents of a page; empty: zero.
  [[nodiscard]] std::span<const std::uint8_t> page(std::uint64_t number) const noexcept;

  [[nodiscard]] const VcpuState& state() const noexcept { return state_; }
  [[nodiscard]] std::uint64_t tsc_khz() const noexcept { return tsc_khz_; }
  [[nodiscard]] std::size_t memory_bytes() const noexcept { return memory_bytes_; }

 private:
  explicit Template(std::size_t memory_bytes) noexcept : memory_bytes_(memory_bytes) {}
  [[nodiscard]] Try<void> save(const Machine& machine, std::size_t linear_used);

  std::size_t memory_bytes_ = 0;
  UniqueFd file_;  // sealed
  std::vector<Extent> extents_;
  std::span<const std::uint8_t> view_;  // of the file
  VcpuState state_;
  std::uint64_t tsc_khz_ = 0;
};

}  // namespace plimsoll::microvm
