// KVM's interface as the kernel has it. The headers say it in C; in C++ their structures with a
// flexible array have another size, so that the numbers of the requests come out wrong and the
// kernel answers EINVAL (some kernel headers declare that array inside an empty struct, which takes
// a byte in C++). Those requests are spelled out here with C's sizes, and so are the structures.
#pragma once

#include <linux/kvm.h>
#include <sys/ioctl.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace plimsoll::microvm {

inline constexpr std::size_t kMaxCpuidEntries = 256;
struct CpuidTable {
  std::uint32_t count = kMaxCpuidEntries;
  std::uint32_t padding = 0;
  std::array<kvm_cpuid_entry2, kMaxCpuidEntries> entries{};
};

inline constexpr std::size_t kMaxMsrs = 16;
struct MsrTable {
  std::uint32_t count = 0;
  std::uint32_t padding = 0;
  std::array<kvm_msr_entry, kMaxMsrs> entries{};
};

// What KVM_GET_XSAVE2 and KVM_SET_XSAVE move is as long as KVM_CAP_XSAVE2 says, 4,096 at least.
inline constexpr std::size_t kMinXsaveBytes = 4'096;

constexpr unsigned long request(unsigned direction, unsigned number, std::size_t size) noexcept {
  return (static_cast<unsigned long>(direction) << _IOC_DIRSHIFT) |
         (static_cast<unsigned long>(KVMIO) << _IOC_TYPESHIFT) |
         (static_cast<unsigned long>(number) << _IOC_NRSHIFT) |
         (static_cast<unsigned long>(size) << _IOC_SIZESHIFT);
}

constexpr std::size_t kListHead = 8;  // a count and a padding
inline constexpr unsigned long kGetSupportedCpuid =
    request(_IOC_READ | _IOC_WRITE, 0x05, kListHead);
inline constexpr unsigned long kSetCpuid = request(_IOC_WRITE, 0x90, kListHead);
inline constexpr unsigned long kGetMsrs = request(_IOC_READ | _IOC_WRITE, 0x88, kListHead);
inline constexpr unsigned long kSetMsrs = request(_IOC_WRITE, 0x89, kListHead);
inline constexpr unsigned long kGetXsave = request(_IOC_READ, 0xa4, kMinXsaveBytes);
inline constexpr unsigned long kSetXsave = request(_IOC_WRITE, 0xa5, kMinXsaveBytes);
inline constexpr unsigned long kGetXsave2 = request(_IOC_READ, 0xcf, kMinXsaveBytes);
inline constexpr unsigned long kGetStatsFd = request(_IOC_NONE, 0xce, 0);

// The numbers as strace and the kernel know them, on x86-64.
static_assert(kGetSupportedCpuid == 0xc008'ae05 && kSetCpuid == 0x4008'ae90);
static_assert(kGetMsrs == 0xc008'ae88 && kSetMsrs == 0x4008'ae89);
static_assert(kGetXsave == 0x9000'aea4 && kSetXsave == 0x5000'aea5 && kGetXsave2 == 0x9000'aecf);
static_assert(kGetStatsFd == 0xaece);
// Of the headers' own, those that are used; here the sizes are the same in both languages.
static_assert(KVM_GET_REGS == 0x8090'ae81 && KVM_SET_REGS == 0x4090'ae82);
static_assert(KVM_GET_SREGS == 0x8138'ae83 && KVM_SET_SREGS == 0x4138'ae84);
static_assert(KVM_GET_XCRS == 0x8188'aea6 && KVM_SET_XCRS == 0x4188'aea7);
static_assert(KVM_GET_DEBUGREGS == 0x8080'aea1 && KVM_SET_DEBUGREGS == 0x4080'aea2);
static_assert(KVM_GET_VCPU_EVENTS == 0x8040'ae9f && KVM_SET_VCPU_EVENTS == 0x4040'aea0);
static_assert(KVM_SET_USER_MEMORY_REGION == 0x4020'ae46 && KVM_GET_DIRTY_LOG == 0x4010'ae42);
static_assert(KVM_CLEAR_DIRTY_LOG == 0xc018'aec0 && KVM_ENABLE_CAP == 0x4068'aea3);
static_assert(KVM_RUN == 0xae80 && KVM_CREATE_VM == 0xae01 && KVM_CREATE_VCPU == 0xae41);
static_assert(sizeof(kvm_cpuid_entry2) == 40 && sizeof(kvm_msr_entry) == 16);
static_assert(offsetof(CpuidTable, entries) == kListHead &&
              offsetof(MsrTable, entries) == kListHead);

}  // namespace plimsoll::microvm
