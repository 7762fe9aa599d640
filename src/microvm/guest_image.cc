#include "microvm/guest_image.h"

#include <elf.h>

#include <cstring>

#include "microvm/mailbox.h"

namespace plimsoll::microvm {

namespace {

// Bits of a page table entry (Intel SDM volume 3, 4.5). Accessed and dirty are set from the start,
// so that the processor never writes to a table.
constexpr std::uint64_t kPresent = 1;
constexpr std::uint64_t kWritable = 2;
constexpr std::uint64_t kUser = 4;
constexpr std::uint64_t kTouched = 0x60;
constexpr std::uint64_t kLarge = 0x80;
constexpr std::uint64_t kNoExecute = std::uint64_t{1} << 63;

constexpr std::uint64_t kCode = kPresent | kUser | kTouched;
constexpr std::uint64_t kConstants = kCode | kNoExecute;
constexpr std::uint64_t kData = kConstants | kWritable;
constexpr std::uint64_t kOfRing0 = kPresent | kTouched | kNoExecute;
// Permissions are those of the last level.
constexpr std::uint64_t kTable = kPresent | kWritable | kUser | kTouched;

// The tables, one page each: the root, one of 512 times 1 GiB, and three of 512 times 2 MiB, for
// the low addresses, the stack and the linear memory. Then the low addresses' tables of 4 KiB.
constexpr std::uint64_t kGigabytes = kPageTables + kPage;
constexpr std::uint64_t kLow = kGigabytes + kPage;
constexpr std::uint64_t kStackTable = kLow + kPage;
constexpr std::uint64_t kLinearTable = kStackTable + kPage;
constexpr std::uint64_t kSmallTables = kLinearTable + kPage;
constexpr std::size_t kEntries = 512;
constexpr std::size_t kSmallTableCount = kAreasEnd / kLargePage;
static_assert(kSmallTables + kSmallTableCount * kPage <= kImage);
static_assert(kStackBytes <= kEntries * kLargePage && kMaxLinearBytes <= kEntries * kLargePage);
static_assert(kStack % kLargePage == 0 && kLinear % kLargePage == 0);

class Tables {
 public:
  explicit Tables(const GuestMemory& memory) noexcept : memory_(memory) {}

  void set(std::uint64_t table, std::size_t index, std::uint64_t value) const noexcept {
    const auto entry = memory_.at(table + index * sizeof value, sizeof value);
    std::memcpy(entry.data(), &value, sizeof value);
  }

  // The pages of [at, at + size), which lie where they are seen.
  void allow(std::uint64_t at, std::uint64_t size, std::uint64_t what) const noexcept {
    for (std::uint64_t page = at / kPage; page < (at + size + kPage - 1) / kPage; ++page) {
      set(kSmallTables, page, page * kPage | what);
    }
  }

  void allow_large(std::uint64_t table, std::uint64_t at, std::uint64_t size) const noexcept {
    for (std::size_t i = 0; i < size / kLargePage; ++i) {
      set(table, i, (at + i * kLargePage) | kData | kLarge);
    }
  }

 private:
  const GuestMemory& memory_;
};

void write_tables(const Tables& tables, std::size_t linear_bytes) noexcept {
  constexpr std::uint64_t kGigabyte = std::uint64_t{1} << 30;
  tables.set(kPageTableRoot, 0, kGigabytes | kTable);
  tables.set(kGigabytes, 0, kLow | kTable);
  tables.set(kGigabytes, kStackAddress / kGigabyte, kStackTable | kTable);
  tables.set(kGigabytes, kLinearAddress / kGigabyte, kLinearTable | kTable);
  for (std::size_t i = 0; i < kSmallTableCount; ++i) {
    tables.set(kLow, i, (kSmallTables + i * kPage) | kTable);
  }
  tables.allow(kMailbox, 2 * kPage, kData);  // and kTls
  tables.allow(kHeader, kPage, kConstants);
  tables.allow(kTask, kPage, kOfRing0);
  tables.allow(kOutputArea, 2 * kOutputWindow, kData);
  tables.allow(kCallArea, guest::kMaxHostCallPayload, kData);
  tables.allow(kReplyArea, kMaxReplyBytes, kConstants);
  tables.allow(kRunArea, guest::kMaxRunPayload, kConstants);
  tables.allow_large(kStackTable, kStack, kStackBytes);
  tables.allow_large(kLinearTable, kLinear, linear_bytes);
}

// Of all ports, the one.
void write_task(const GuestMemory& memory) noexcept {
  const auto task = memory.at(kTask, kTaskBytes);
  constexpr std::size_t kBitmapPointer = 102;
  task[kBitmapPointer] = kTaskHead;
  std::memset(task.data() + kTaskHead, 0xff, kPortBitmapBytes + 1);
  std::uint8_t& byte = task[kTaskHead + kHypercallPort / 8];
  byte = static_cast<std::uint8_t>(byte & ~(1u << (kHypercallPort % 8)));
}
static_assert(kHypercallPort / 8 < kPortBitmapBytes);

template <class T>
bool read(std::span<const std::uint8_t> file, std::uint64_t at, T& out) noexcept {
  if (at > file.size() || file.size() - at < sizeof out) return false;
  std::memcpy(&out, file.data() + at, sizeof out);
  return true;
}

bool load_segment(const GuestMemory& memory, std::span<const std::uint8_t> image,
                  const Elf64_Phdr& segment) noexcept {
  const bool in_file = segment.p_offset <= image.size() &&
                       segment.p_filesz <= image.size() - segment.p_offset &&
                       segment.p_filesz <= segment.p_memsz;
  const bool in_place = segment.p_vaddr >= kImage && segment.p_vaddr % kPage == 0 &&
                        segment.p_vaddr <= kImageEnd &&
                        segment.p_memsz <= kImageEnd - segment.p_vaddr;
  if (!in_file || !in_place) return false;
  const bool writable = (segment.p_flags & PF_W) != 0;
  const bool executable = (segment.p_flags & PF_X) != 0;
  if (writable && executable) return false;
  if (segment.p_filesz > 0) {
    std::memcpy(memory.at(segment.p_vaddr, segment.p_filesz).data(),
                image.data() + segment.p_offset, segment.p_filesz);
  }
  Tables(memory).allow(segment.p_vaddr, segment.p_memsz,
                       executable ? kCode
                       : writable ? kData
                                  : kConstants);
  return true;
}

}  // namespace

Try<std::uint64_t> load_guest_image(const GuestMemory& memory, std::span<const std::uint8_t> image,
                                    std::size_t linear_bytes) {
  Elf64_Ehdr header{};
  if (!read(image, 0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_machine != EM_X86_64 || header.e_type != ET_EXEC ||
      header.e_phentsize != sizeof(Elf64_Phdr)) {
    return refused("the guest image is no ELF file of this kind");
  }
  write_tables(Tables(memory), linear_bytes);
  write_task(memory);
  for (std::size_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment{};
    if (!read(image, header.e_phoff + i * sizeof segment, segment)) {
      return refused("the guest image is cut");
    }
    if (segment.p_type == PT_LOAD && !load_segment(memory, image, segment)) {
      return refused("a segment of the guest image does not fit");
    }
  }
  return header.e_entry;
}

}  // namespace plimsoll::microvm
