#include "microvm/vcpu_state.h"

#include <cstring>

#include "microvm/guest_image.h"
#include "microvm/layout.h"

namespace plimsoll::microvm {

namespace {

constexpr std::uint64_t kCr0 = 0x8001'0033;   // PE, MP, ET, NE, WP, PG
constexpr std::uint64_t kCr4 = 0x0000'0620;   // PAE, OSFXSR, OSXMMEXCPT
constexpr std::uint64_t kEfer = 0x0000'0d00;  // LME, LMA, NXE
constexpr std::uint64_t kRflags = 2;          // IOPL 0: the task's bitmap of ports decides
constexpr std::uint64_t kXcr0 = 3;            // x87 and SSE: all that the image is compiled for

// What could be asked of ring 0 if there were one: 0 in a new processor, and stays so.
constexpr std::uint32_t kMsrs[] = {
    0x174,        // IA32_SYSENTER_CS
    0x175,        // IA32_SYSENTER_ESP
    0x176,        // IA32_SYSENTER_EIP
    0x277,        // IA32_PAT
    0xc000'0081,  // IA32_STAR
    0xc000'0082,  // IA32_LSTAR
    0xc000'0083,  // IA32_CSTAR
    0xc000'0084,  // IA32_FMASK
    0xc000'0102,  // IA32_KERNEL_GS_BASE
};
static_assert(std::size(kMsrs) <= kMaxMsrs);

kvm_segment segment(std::uint16_t selector, std::uint8_t type, bool code) noexcept {
  kvm_segment result{};
  result.selector = selector;
  result.limit = 0xffff'ffff;
  result.type = type;
  result.present = 1;
  result.dpl = 3;
  result.s = 1;
  result.g = 1;
  result.l = code ? 1 : 0;
  result.db = code ? 0 : 1;
  return result;
}

bool read_xsave(int vcpu, std::vector<std::byte>& xsave) noexcept {
  const unsigned long request = xsave.size() > kMinXsaveBytes ? kGetXsave2 : kGetXsave;
  return ::ioctl(vcpu, request, xsave.data()) == 0;
}

}  // namespace

Try<VcpuState> read_state(int vcpu, std::size_t xsave_bytes) {
  VcpuState state;
  state.xsave.resize(xsave_bytes);
  if (::ioctl(vcpu, KVM_GET_REGS, &state.regs) != 0) return failed("KVM_GET_REGS");
  if (::ioctl(vcpu, KVM_GET_SREGS, &state.sregs) != 0) return failed("KVM_GET_SREGS");
  if (::ioctl(vcpu, KVM_GET_XCRS, &state.xcrs) != 0) return failed("KVM_GET_XCRS");
  if (::ioctl(vcpu, KVM_GET_DEBUGREGS, &state.debug) != 0) return failed("KVM_GET_DEBUGREGS");
  if (::ioctl(vcpu, KVM_GET_VCPU_EVENTS, &state.events) != 0) return failed("KVM_GET_VCPU_EVENTS");
  if (!read_xsave(vcpu, state.xsave)) return failed("KVM_GET_XSAVE");
  for (const std::uint32_t index : kMsrs) state.msrs.entries[state.msrs.count++].index = index;
  const int read = ::ioctl(vcpu, kGetMsrs, &state.msrs);
  if (read != static_cast<int>(state.msrs.count)) return failed("KVM_GET_MSRS");
  return state;
}

Try<VcpuState> initial_state(int vcpu, std::uint64_t entry, std::size_t xsave_bytes) {
  auto state = read_state(vcpu, xsave_bytes);
  if (!state) return state;
  kvm_sregs& sregs = state->sregs;
  sregs.cr0 = kCr0;
  sregs.cr3 = kPageTableRoot;
  sregs.cr4 = kCr4;
  sregs.efer = kEfer;
  sregs.gdt = {};
  sregs.idt = {};
  sregs.cs = segment(0x23, 11, true);
  sregs.ss = sregs.ds = sregs.es = sregs.fs = sregs.gs = segment(0x1b, 3, false);
  sregs.fs.base = kThreadPointer;
  sregs.gs.base = kLinearAddress;
  sregs.ldt = {};
  sregs.ldt.unusable = 1;
  sregs.tr = {};
  sregs.tr.selector = 0x28;
  sregs.tr.type = 11;
  sregs.tr.present = 1;
  sregs.tr.base = kTask;
  sregs.tr.limit = kTaskBytes - 1;
  state->regs = {};
  state->regs.rip = entry;
  // As after a call: the ABI wants it 8 below a multiple of 16.
  state->regs.rsp = kStackAddress + kStackBytes - 8;
  state->regs.rflags = kRflags;
  state->xcrs.nr_xcrs = 1;
  state->xcrs.xcrs[0] = {.xcr = 0, .reserved = 0, .value = kXcr0};
  if (!write_state(vcpu, *state)) return failed("the processor's first state");
  return state;
}

bool write_state(int vcpu, const VcpuState& state) noexcept {
  // Writing these makes KVM forget its shadow page tables; they rarely change.
  kvm_sregs now{};
  if (::ioctl(vcpu, KVM_GET_SREGS, &now) != 0) return false;
  if (std::memcmp(&now, &state.sregs, sizeof now) != 0 &&
      ::ioctl(vcpu, KVM_SET_SREGS, &state.sregs) != 0) {
    return false;
  }
  return ::ioctl(vcpu, KVM_SET_REGS, &state.regs) == 0 &&
         ::ioctl(vcpu, KVM_SET_XCRS, &state.xcrs) == 0 &&
         ::ioctl(vcpu, kSetXsave, state.xsave.data()) == 0 &&
         ::ioctl(vcpu, KVM_SET_DEBUGREGS, &state.debug) == 0 &&
         ::ioctl(vcpu, KVM_SET_VCPU_EVENTS, &state.events) == 0 &&
         ::ioctl(vcpu, kSetMsrs, &state.msrs) == static_cast<int>(state.msrs.count);
}

bool same_state(const VcpuState& a, const VcpuState& b) noexcept {
  const auto same = [](const auto& x, const auto& y) { return std::memcmp(&x, &y, sizeof x) == 0; };
  return same(a.regs, b.regs) && same(a.sregs, b.sregs) && same(a.xcrs, b.xcrs) &&
         same(a.debug, b.debug) && same(a.events, b.events) && same(a.msrs, b.msrs) &&
         a.xsave == b.xsave;
}

}  // namespace plimsoll::microvm
