#include "microvm/template.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "microvm/guest_image.h"

namespace plimsoll::microvm {

namespace {

// What the guest has touched of its stack when it waits; a page would do.
constexpr std::size_t kStackUsed = std::size_t{64} << 10;

// Where the parts of a snapshot file are (engine/snapshot.h): a page of header, then the memory.
constexpr std::size_t kHeaderBytes = kPage;

Try<void> fill_thread_block(const GuestMemory& memory) {
  // The thread pointer points to itself (System V ABI, x86-64, variant II).
  const std::uint64_t self = kThreadPointer;
  std::memcpy(memory.at(kThreadPointer, sizeof self).data(), &self, sizeof self);
  std::uint64_t canary = 0;
  if (::getrandom(&canary, sizeof canary, 0) != sizeof canary) return failed("getrandom");
  canary &= ~std::uint64_t{0xff};  // a string cannot contain it
  std::memcpy(memory.at(kThreadPointer + kCanaryOffset, sizeof canary).data(), &canary,
              sizeof canary);
  return {};
}

Try<void> expect(Machine& machine, Hypercall call, const char* otherwise) {
  MachineExit exit{.kind = MachineExit::Kind::kInterrupted};
  while (exit.kind == MachineExit::Kind::kInterrupted) exit = machine.enter();
  if (exit.kind != MachineExit::Kind::kHypercall || exit.call != call) return refused(otherwise);
  return {};
}

bool write_all(int file, std::span<const std::uint8_t> bytes, std::uint64_t offset) noexcept {
  while (!bytes.empty()) {
    const ssize_t wrote = ::pwrite(file, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (wrote <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(wrote));
    offset += static_cast<std::uint64_t>(wrote);
  }
  return true;
}

}  // namespace

Try<Template> Template::make(const Kvm& kvm, std::span<const std::uint8_t> image,
                             std::span<const std::uint8_t> snapshot, std::size_t memory_bytes) {
  if (snapshot.size() <= kHeaderBytes || snapshot.size() - kHeaderBytes > memory_bytes ||
      snapshot.size() % kPage != 0) {
    return refused("the memory limit is below what the engine needs");
  }
  Template made(memory_bytes);
  const std::size_t linear_bytes = linear_bytes_of(memory_bytes);
  auto memory = GuestMemory::zero(linear_bytes);
  if (!memory) return std::unexpected(memory.error());
  const auto entry = load_guest_image(*memory, image, linear_bytes);
  if (!entry) return std::unexpected(entry.error());
  if (auto filled = fill_thread_block(*memory); !filled) return std::unexpected(filled.error());
  std::memcpy(memory->at(kHeader, kHeaderBytes).data(), snapshot.data(), kHeaderBytes);
  auto machine = Machine::create(kvm, std::move(*memory));
  if (!machine) return std::unexpected(machine.error());
  made.tsc_khz_ = machine->tsc_khz();
  if (made.tsc_khz_ == 0) return refused("the frequency of the time-stamp counter is not known");
  machine->mailbox().memory_bytes = static_cast<std::uint32_t>(memory_bytes);
  auto state = initial_state(machine->vcpu_fd(), *entry, kvm.xsave_bytes());
  if (!state) return std::unexpected(state.error());
  if (auto at = expect(*machine, Hypercall::kBooted, "the guest image does not boot"); !at) {
    return std::unexpected(at.error());
  }
  const auto linear = snapshot.subspan(kHeaderBytes);
  std::memcpy(machine->memory().at(kLinear, linear.size()).data(), linear.data(), linear.size());
  if (auto at = expect(*machine, Hypercall::kReady, "the guest is not ready"); !at) {
    return std::unexpected(at.error());
  }
  if (!machine->settle()) return failed("the guest cannot be stopped");
  auto ready = read_state(machine->vcpu_fd(), kvm.xsave_bytes());
  if (!ready) return std::unexpected(ready.error());
  made.state_ = std::move(*ready);
  if (auto saved = made.save(*machine, linear.size()); !saved) {
    return std::unexpected(saved.error());
  }
  return made;
}

// All that is not zero has to lie in an extent.
Try<void> Template::save(const Machine& machine, std::size_t linear_used) {
  const std::uint64_t stack_top = kStack + kStackBytes;
  extents_ = {{.at = 0, .size = kFixedEnd, .offset = 0},
              {.at = stack_top - kStackUsed, .size = kStackUsed, .offset = kFixedEnd},
              {.at = kLinear, .size = linear_used, .offset = kFixedEnd + kStackUsed}};
  const std::size_t size = kFixedEnd + kStackUsed + linear_used;
  UniqueFd file(::memfd_create("plimsoll-template", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!file || ::ftruncate(file.get(), static_cast<off_t>(size)) != 0) {
    return failed("no memfd for the template");
  }
  for (const Extent& extent : extents_) {
    const auto from = machine.memory().at(extent.at, extent.size);
    for (std::size_t at = 0; at < from.size(); at += kPage) {
      const auto bytes = from.subspan(at, kPage);
      const bool zero =
          bytes[0] == 0 && std::memcmp(bytes.data(), bytes.data() + 1, kPage - 1) == 0;
      if (!zero && !write_all(file.get(), bytes, extent.offset + at)) {
        return failed("the template could not be written");
      }
    }
  }
  constexpr int kSeals = F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
  if (::fcntl(file.get(), F_ADD_SEALS, kSeals) != 0) return failed("the template's seals");
  void* view = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file.get(), 0);
  if (view == MAP_FAILED) return failed("the template could not be mapped");
  view_ = {static_cast<const std::uint8_t*>(view), size};
  file_ = std::move(file);
  return {};
}

Template::Template(Template&& other) noexcept
    : memory_bytes_(other.memory_bytes_),
      file_(std::move(other.file_)),
      extents_(std::move(other.extents_)),
      view_(std::exchange(other.view_, {})),
      state_(std::move(other.state_)),
      tsc_khz_(other.tsc_khz_) {}

Template::~Template() {
  if (!view_.empty()) ::munmap(const_cast<std::uint8_t*>(view_.data()), view_.size());
}

Try<Machine> Template::start(const Kvm& kvm) const {
  auto memory = GuestMemory::of_file(linear_bytes_of(memory_bytes_), file_.get(), extents_);
  if (!memory) return std::unexpected(memory.error());
  auto machine = Machine::create(kvm, std::move(*memory));
  if (!machine) return machine;
  if (!write_state(machine->vcpu_fd(), state_)) return failed("the template's state");
  return machine;
}

std::span<const std::uint8_t> Template::page(std::uint64_t number) const noexcept {
  const std::uint64_t at = number * kPage;
  for (const Extent& extent : extents_) {
    if (at >= extent.at && at - extent.at < extent.size) {
      return view_.subspan(extent.offset + (at - extent.at), kPage);
    }
  }
  return {};
}

void Template::restore_page(const GuestMemory& memory, std::uint64_t number) const noexcept {
  const auto to = memory.at(number * kPage, kPage);
  const auto from = page(number);
  if (from.empty()) {
    std::memset(to.data(), 0, to.size());
  } else {
    std::memcpy(to.data(), from.data(), to.size());
  }
}

bool Template::is_page(const GuestMemory& memory, std::uint64_t number) const noexcept {
  const auto is = memory.at(number * kPage, kPage);
  const auto from = page(number);
  if (!from.empty()) return std::ranges::equal(is, from);
  return std::ranges::all_of(is, [](std::uint8_t byte) { return byte == 0; });
}

}  // namespace plimsoll::microvm
