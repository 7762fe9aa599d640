#include "microvm/slot.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace plimsoll::microvm {

namespace {

// Up to this many pages stay writable and are copied after each run, which is cheaper than faulting
// them in again.
constexpr std::size_t kKeepDirtyPages = 1'024;
// Up to this many do while at least half of them are written by each run. All are given back by the
// first run that writes fewer, so that one greedy run does not leave the machine fat and slow.
constexpr std::size_t kKeepBusyPages = 2'304;

template <class Visit>
void for_each_page(std::span<const std::uint64_t> dirty, Visit visit) {
  for (std::size_t i = 0; i < dirty.size(); ++i) {
    for (std::uint64_t word = dirty[i]; word != 0; word &= word - 1) {
      visit(i * 64 + static_cast<std::size_t>(std::countr_zero(word)));
    }
  }
}

bool is_worth_keeping(std::span<const std::uint64_t> dirty, std::size_t pages,
                      const Template& origin, const GuestMemory& memory) {
  if (pages <= kKeepDirtyPages) return true;
  if (pages > kKeepBusyPages) return false;
  std::size_t written = 0;
  for_each_page(dirty, [&](std::uint64_t page) {
    if (!origin.is_page(memory, page)) ++written;
  });
  return written >= pages / 2;
}

}  // namespace

std::span<std::uint8_t> Slot::run_area(std::size_t payload) noexcept {
  run_bytes_ = payload;
  return machine_.memory().at(kRunArea, payload);
}

std::span<std::uint8_t> Slot::reply_area(std::size_t bytes) noexcept {
  reply_bytes_ = std::max(reply_bytes_, bytes);
  return machine_.memory().at(kReplyArea, bytes);
}

bool Slot::restore_memory() noexcept {
  const auto dirty = machine_.dirty_pages();
  if (dirty.empty()) return false;
  std::size_t pages = 0;
  for (const std::uint64_t word : dirty) pages += static_cast<std::size_t>(std::popcount(word));
  if (!is_worth_keeping(dirty, pages, origin_, machine_.memory())) {
    run_bytes_ = reply_bytes_ = 0;
    return machine_.clear_dirty_pages() && machine_.memory().forget();
  }
  for_each_page(dirty, [&](std::uint64_t page) { origin_.restore_page(machine_.memory(), page); });
  origin_.restore_page(machine_.memory(), kMailbox / kPage);
  for (auto [area, bytes] : {std::pair{kRunArea, &run_bytes_}, {kReplyArea, &reply_bytes_}}) {
    const auto written = machine_.memory().at(area, std::exchange(*bytes, 0));
    std::memset(written.data(), 0, written.size());
  }
  return true;
}

bool Slot::reset() noexcept {
  return machine_.settle() && restore_memory() && write_state(machine_.vcpu_fd(), origin_.state());
}

}  // namespace plimsoll::microvm
