// A guest that is up to no good, in place of the engine: does what its order says (acts.h).
#include <cstddef>
#include <cstdint>

#include "guest/frame.h"
#include "microvm/attack/acts.h"
#include "microvm/guest/mailbox_host.h"
#include "microvm/layout.h"

namespace plimsoll::microvm::attack {
namespace {

template <class T>
T& at(std::uint64_t address) noexcept {
  return *reinterpret_cast<T*>(address);
}

[[noreturn]] void end(std::uint8_t exit_code) noexcept {
  volatile Mailbox& shared = mailbox();
  for (auto& byte : shared.done) byte = 0;
  shared.done[3] = exit_code;
  for (;;) hypercall(Hypercall::kDone);
}

void print(const void* bytes, std::size_t size) noexcept {
  const auto* from = static_cast<const std::uint8_t*>(bytes);
  for (std::size_t i = 0; i < size; ++i) at<volatile std::uint8_t>(kOutputArea + i) = from[i];
  mailbox().output_bytes[0] = static_cast<std::uint32_t>(size);
}

bool has_avx512() noexcept {
  std::uint32_t a = 7;
  std::uint32_t b = 0;
  std::uint32_t c = 0;
  std::uint32_t d = 0;
  asm volatile("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
  return (b & (1u << 16)) != 0;
}

#define PLIMSOLL_ALL_VECTORS(X) \
  X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15)

// In the argument: 1 for AVX, 2 for AVX-512, for a processor that lets them through.
void leave_state(std::uint64_t vectors) noexcept {
  alignas(64) static constexpr std::uint8_t kSecret[64] = {
      's', 'e', 'c', 'r', 'e', 't', 's', 'e', 'c', 'r', 'e', 't', 's', 'e', 'c', 'r',
      's', 'e', 'c', 'r', 'e', 't', 's', 'e', 'c', 'r', 'e', 't', 's', 'e', 'c', 'r',
      's', 'e', 'c', 'r', 'e', 't', 's', 'e', 'c', 'r', 'e', 't', 's', 'e', 'c', 'r',
      's', 'e', 'c', 'r', 'e', 't', 's', 'e', 'c', 'r', 'e', 't', 's', 'e', 'c', 'r'};
  if (vectors == 2 && has_avx512()) {
#define PLIMSOLL_SET(n) asm volatile("vmovdqu64 %0, %%zmm" #n : : "m"(kSecret));
    PLIMSOLL_ALL_VECTORS(PLIMSOLL_SET)
#undef PLIMSOLL_SET
  } else if (vectors >= 1) {
#define PLIMSOLL_SET(n) asm volatile("vmovdqu %0, %%ymm" #n : : "m"(kSecret));
    PLIMSOLL_ALL_VECTORS(PLIMSOLL_SET)
#undef PLIMSOLL_SET
  } else {
#define PLIMSOLL_SET(n) asm volatile("movdqu %0, %%xmm" #n : : "m"(kSecret));
    PLIMSOLL_ALL_VECTORS(PLIMSOLL_SET)
#undef PLIMSOLL_SET
  }
  const std::uint32_t mxcsr = 0x7f80;  // another rounding
  const std::uint16_t control = 0x0f7f;
  asm volatile("ldmxcsr %0; fldcw %1; fldpi; fldpi; fldl2e" : : "m"(mxcsr), "m"(control));
  const std::uint16_t null = 0;
  asm volatile("mov %0, %%ds; mov %0, %%es" : : "r"(null));
  asm volatile("pushfq; orq $0x240400, (%%rsp); popfq" : : : "cc", "memory");  // ID, AC, DF
}

void report_state(std::uint64_t vectors) noexcept {
  static State state;
  if (vectors == 2 && has_avx512()) {
#define PLIMSOLL_GET(n) asm volatile("vmovdqu64 %%zmm" #n ", %0" : "=m"(state.vectors[n]));
    PLIMSOLL_ALL_VECTORS(PLIMSOLL_GET)
#undef PLIMSOLL_GET
  } else if (vectors >= 1) {
#define PLIMSOLL_GET(n) asm volatile("vmovdqu %%ymm" #n ", %0" : "=m"(state.vectors[n]));
    PLIMSOLL_ALL_VECTORS(PLIMSOLL_GET)
#undef PLIMSOLL_GET
  } else {
#define PLIMSOLL_GET(n) asm volatile("movdqu %%xmm" #n ", %0" : "=m"(state.vectors[n]));
    PLIMSOLL_ALL_VECTORS(PLIMSOLL_GET)
#undef PLIMSOLL_GET
  }
  asm volatile("stmxcsr %0" : "=m"(state.mxcsr));
  alignas(16) static std::uint8_t image[512];
  asm volatile("fxsave64 %0" : "=m"(image));
  state.x87_control = static_cast<std::uint16_t>(image[0] | image[1] << 8);
  for (std::size_t i = 0; i < 8; ++i) {
    for (std::size_t byte = 0; byte < 10; ++byte) state.x87[i][byte] = image[32 + 16 * i + byte];
  }
  asm volatile("mov %%ds, %0" : "=r"(state.segments[0]));
  asm volatile("mov %%es, %0" : "=r"(state.segments[1]));
  asm volatile("mov %%fs, %0" : "=r"(state.segments[2]));
  asm volatile("mov %%gs, %0" : "=r"(state.segments[3]));
  std::uint64_t flags = 0;
  asm volatile("pushfq; popq %0" : "=r"(flags));
  state.flags = flags & 0x240400;
  print(&state, sizeof state);
}

void dirty(std::uint64_t from, std::uint64_t size) noexcept {
  for (std::uint64_t page = from; page < from + size; page += kPage) {
    at<volatile std::uint64_t>(page + 8) = ~page;
  }
}

void dirty_everything() noexcept {
  dirty(kOutputArea, 2 * kOutputWindow);
  dirty(kCallArea, guest::kMaxHostCallPayload);
  dirty(kTls, kPage / 2);
  dirty(kStackAddress, kStackBytes - (std::uint64_t{64} << 10));  // but the part that this is on
  dirty(kLinearAddress, mailbox().memory_bytes);
  for (auto& byte : mailbox().random) byte = 0xaa;
}

// NOLINTNEXTLINE(readability-function-size): a case for each instruction
void instruction(Act act) noexcept {
  struct [[gnu::packed]] Pointer {
    std::uint16_t limit = 0xffff;
    std::uint64_t base = kImage;
  } pointer;
  const std::uint64_t zero = 0;
  switch (act) {
    case Act::kHlt:
      asm volatile("hlt");
      break;
    case Act::kCpuid:
      for (std::uint32_t leaf : {0u, 1u, 7u, 0x4000'0000u, 0x4000'0001u, 0x8000'0000u, ~0u}) {
        std::uint32_t b = 0;
        std::uint32_t c = 0;
        std::uint32_t d = 0;
        asm volatile("cpuid" : "+a"(leaf), "=b"(b), "+c"(c), "=d"(d));
      }
      break;
    case Act::kRdmsr:
      asm volatile("rdmsr" : : "c"(0x1b) : "rax", "rdx");
      break;
    case Act::kWrmsr:
      asm volatile("wrmsr" : : "c"(0xc000'0080), "a"(0), "d"(0));
      break;
    case Act::kReadCr0:
      asm volatile("mov %%cr0, %%rax" : : : "rax");
      break;
    case Act::kWriteCr0:
      asm volatile("mov %0, %%cr0" : : "r"(zero));
      break;
    case Act::kReadCr3:
      asm volatile("mov %%cr3, %%rax" : : : "rax");
      break;
    case Act::kWriteCr3:
      asm volatile("mov %0, %%cr3" : : "r"(zero));
      break;
    case Act::kWriteCr4:
      asm volatile("mov %0, %%cr4" : : "r"(zero));
      break;
    case Act::kReadDr7:
      asm volatile("mov %%db7, %%rax" : : : "rax");
      break;
    case Act::kWriteDr7:
      asm volatile("mov %0, %%db7" : : "r"(zero));
      break;
    case Act::kLgdt:
      asm volatile("lgdt %0" : : "m"(pointer));
      break;
    case Act::kLidt:
      asm volatile("lidt %0" : : "m"(pointer));
      break;
    case Act::kLtr:
      asm volatile("ltr %0" : : "r"(std::uint16_t{0x28}));
      break;
    case Act::kLldt:
      asm volatile("lldt %0" : : "r"(std::uint16_t{0x28}));
      break;
    case Act::kSysenter:
      asm volatile("sysenter" : : : "memory");
      break;
    case Act::kSyscall:
      asm volatile("syscall" : : "a"(60) : "rcx", "r11", "memory");
      break;
    case Act::kInt80:
      asm volatile("int $0x80");
      break;
    case Act::kInt3:
      asm volatile("int3");
      break;
    case Act::kUd2:
      asm volatile("ud2");
      break;
    case Act::kInvlpg:
      asm volatile("invlpg (%0)" : : "r"(kImage));
      break;
    case Act::kWbinvd:
      asm volatile("wbinvd");
      break;
    case Act::kClts:
      asm volatile("clts");
      break;
    case Act::kCli:
      asm volatile("cli");
      break;
    case Act::kSti:
      asm volatile("sti");
      break;
    case Act::kIret:  // to ring 0
      asm volatile(
          "mov %%rsp, %%rax; push $0x10; push %%rax; pushfq; push $8; lea 1f(%%rip), %%rax;"
          "push %%rax; iretq; 1:"
          :
          :
          : "rax", "memory");
      break;
    case Act::kSwapgs:
      asm volatile("swapgs");
      break;
    case Act::kXsetbv:
      asm volatile("xsetbv" : : "c"(0), "a"(7), "d"(0));
      break;
    case Act::kRdpmc:
      asm volatile("rdpmc" : : "c"(0) : "rax", "rdx");
      break;
    case Act::kMonitor:
      asm volatile("monitor" : : "a"(kImage), "c"(0), "d"(0));
      break;
    case Act::kVmcall:
      asm volatile("vmcall" : : "a"(0) : "memory");
      break;
    case Act::kVmmcall:
      asm volatile("vmmcall" : : "a"(0) : "memory");
      break;
    case Act::kWrfsbase:
      asm volatile("wrfsbase %0" : : "r"(zero));
      break;
    case Act::kDivide:
      asm volatile("div %0" : : "r"(zero), "a"(1), "d"(0));
      break;
    case Act::kLoadNullSegments:
      asm volatile("mov %0, %%fs; mov %0, %%gs" : : "r"(std::uint16_t{0}));
      break;
    default:
      break;
  }
}

void port(Act act, std::uint64_t argument) noexcept {
  const auto number = static_cast<std::uint16_t>(argument);
  switch (act) {
    case Act::kIn8:
      asm volatile("inb %%dx, %%al" : : "d"(number) : "rax");
      break;
    case Act::kIn16:
      asm volatile("inw %%dx, %%ax" : : "d"(number) : "rax");
      break;
    case Act::kIn32:
      asm volatile("inl %%dx, %%eax" : : "d"(number) : "rax");
      break;
    case Act::kOut8:
      asm volatile("outb %%al, %%dx" : : "d"(number), "a"(0xff));
      break;
    case Act::kOut16:
      asm volatile("outw %%ax, %%dx" : : "d"(number), "a"(0xffff));
      break;
    case Act::kOut32:
      asm volatile("outl %%eax, %%dx" : : "d"(number), "a"(~0u));
      break;
    default:
      break;
  }
}

void lie(Act act, std::uint64_t argument) noexcept {
  volatile Mailbox& shared = mailbox();
  switch (act) {
    case Act::kOutputBytes:
      shared.output_bytes[0] = static_cast<std::uint32_t>(argument);
      break;
    case Act::kCallBytes:
      shared.call_bytes = static_cast<std::uint32_t>(argument);
      hypercall(Hypercall::kCall);
      break;
    case Act::kCallGarbage:
      for (std::size_t i = 0; i < 64; ++i) at<volatile std::uint8_t>(kCallArea + i) = 0xff;
      shared.call_bytes = 64;
      hypercall(Hypercall::kCall);
      break;
    case Act::kDoneByte:
      for (auto& byte : shared.done) byte = 0;
      shared.done[argument & 0xf] = static_cast<std::uint8_t>(argument >> 8);
      hypercall(Hypercall::kDone);
      break;
    case Act::kHypercall:
      hypercall(static_cast<Hypercall>(argument));
      break;
    case Act::kHypercallStorm:
      for (;;) hypercall(Hypercall::kRandom);
    case Act::kEndlessFlush:
      for (;;) {
        shared.output_bytes[0] = kOutputWindow;
        hypercall(Hypercall::kFlush);
      }
    case Act::kSleepForever:
      for (;;) {
        shared.sleep_ns = ~std::uint64_t{0};
        hypercall(Hypercall::kSleep);
      }
    case Act::kLoop:
      for (;;) asm volatile("pause");
    default:
      break;
  }
}

void perform(const Order& order) noexcept {
  if (order.act <= Act::kLoadNullSegments) return instruction(order.act);
  if (order.act <= Act::kOut32) return port(order.act, order.argument);
  switch (order.act) {
    case Act::kRead: {
      [[maybe_unused]] const std::uint8_t byte = at<volatile std::uint8_t>(order.argument);
      return;
    }
    case Act::kWrite:
      at<volatile std::uint8_t>(order.argument) = 1;
      return;
    case Act::kExecute:
      reinterpret_cast<void (*)()>(order.argument)();
      return;
    case Act::kDirtyEverything:
      return dirty_everything();
    case Act::kLeaveState:
      return leave_state(order.argument);
    case Act::kReportState:
      return report_state(order.argument);
    case Act::kTicks: {
      const std::uint64_t ticks = __builtin_ia32_rdtsc();
      return print(&ticks, sizeof ticks);
    }
    default:
      return lie(order.act, order.argument);
  }
}

}  // namespace
}  // namespace plimsoll::microvm::attack

extern "C" [[noreturn]] void plimsoll_guest_start();
void plimsoll_guest_start() {
  using plimsoll::microvm::hypercall;
  using plimsoll::microvm::Hypercall;
  namespace attack = plimsoll::microvm::attack;
  hypercall(Hypercall::kBooted);
  hypercall(Hypercall::kReady);
  attack::perform(*reinterpret_cast<const attack::Order*>(plimsoll::microvm::kRunArea +
                                                          plimsoll::guest::kRunHeaderBytes));
  attack::end(attack::kSurvived);
}
