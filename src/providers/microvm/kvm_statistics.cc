#include "providers/microvm/kvm_statistics.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include "providers/jailed/failure.h"
#include "providers/proc_files.h"

namespace plimsoll::microvm {

namespace {

// The layout of the file (Documentation/virt/kvm/api.rst, 4.133). linux/kvm.h has it in C: there
// the descriptor ends in a flexible array, which has a size in C++.
struct Header {
  std::uint32_t flags = 0;
  std::uint32_t name_bytes = 0;
  std::uint32_t count = 0;
  std::uint32_t id_at = 0;
  std::uint32_t descriptors_at = 0;
  std::uint32_t data_at = 0;
};
struct Descriptor {  // name_bytes of name follow
  std::uint32_t flags = 0;
  std::int16_t exponent = 0;
  std::uint16_t size = 0;
  std::uint32_t offset = 0;
  std::uint32_t bucket_size = 0;
};
static_assert(sizeof(Header) == 24 && sizeof(Descriptor) == 16);

// More than any kernel has.
constexpr std::uint32_t kMaxNameBytes = 256;
constexpr std::uint32_t kMaxCount = 4'096;

bool read_at(int file, std::span<char> into, std::uint32_t at) noexcept {
  return ::pread(file, into.data(), into.size(), at) == static_cast<ssize_t>(into.size());
}

std::string link_of(const UniqueFd& file) {
  return link_text(fmt::format("/proc/self/fd/{}", file.get()));
}

std::string_view text_in(std::span<const char> bytes) noexcept {
  const auto end = std::find(bytes.begin(), bytes.end(), '\0');
  return {bytes.data(), static_cast<std::size_t>(end - bytes.begin())};
}

}  // namespace

Result<KvmStatistics> KvmStatistics::open(UniqueFd file, UniqueFd machine) {
  const std::string what = link_of(file);
  if (!what.starts_with("anon_inode:") || what.find("kvm-vcpu-stats") == std::string::npos) {
    return jailed::not_ready("the monitor sent no counters of KVM's");
  }
  if (link_of(machine) != "anon_inode:kvm-vm") {
    return jailed::not_ready("the monitor sent no machine beside its counters");
  }
  Header header;
  if (!read_at(file.get(), {reinterpret_cast<char*>(&header), sizeof header}, 0) ||
      header.name_bytes == 0 || header.name_bytes > kMaxNameBytes || header.count > kMaxCount) {
    return jailed::not_ready("KVM's counters could not be read");
  }
  std::vector<char> id(header.name_bytes);
  std::vector<char> descriptors(header.count * (sizeof(Descriptor) + header.name_bytes));
  if (!read_at(file.get(), id, header.id_at) ||
      !read_at(file.get(), descriptors, header.descriptors_at)) {
    return jailed::not_ready("KVM's counters could not be read");
  }
  KvmStatistics statistics;
  statistics.id_ = text_in(id);
  bool found = false;
  for (std::size_t i = 0; i < header.count; ++i) {
    const auto entry = std::span<const char>(descriptors)
                           .subspan(i * (sizeof(Descriptor) + header.name_bytes),
                                    sizeof(Descriptor) + header.name_bytes);
    if (text_in(entry.subspan(sizeof(Descriptor))) != "exits") continue;
    Descriptor descriptor;
    std::memcpy(&descriptor, entry.data(), sizeof descriptor);
    statistics.exits_at_ = std::int64_t{header.data_at} + descriptor.offset;
    found = true;
  }
  statistics.machine_ = std::move(machine);
  statistics.file_ = std::move(file);
  if (!found || !statistics.exits())
    return jailed::not_ready("KVM does not count a machine's exits");
  return statistics;
}

std::optional<std::uint64_t> KvmStatistics::exits() const noexcept {
  std::uint64_t value = 0;
  if (::pread(file_.get(), &value, sizeof value, exits_at_) != sizeof value) return std::nullopt;
  return value;
}

}  // namespace plimsoll::microvm
