// A file that is said to be an audit stream, of any bytes, compressed or not: it is read to its
// end, and the page that comes of it holds no markup but its own.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "../apps/prospector-report/audit_input.h"
#include "../apps/prospector-report/page.h"
#include "base/unique_fd.h"
#include "require.h"

namespace {

using plimsoll::fuzz::require;

constexpr char kTurn[] = {'\xE2', '\x80', '\xAE'};  // U+202E

std::size_t tags_of(std::string_view page) {
  return static_cast<std::size_t>(std::ranges::count(page, '<'));
}

bool is_one_page(std::string_view page) {
  return page.ends_with("</html>\n") &&
         page.find(std::string_view(kTurn, 3)) == std::string_view::npos &&
         page.find('\x1b') == std::string_view::npos;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace prospector = plimsoll::prospector;
  const plimsoll::UniqueFd file(::memfd_create("audit", MFD_CLOEXEC));
  if (::write(file.get(), data, size) != static_cast<ssize_t>(size)) return 0;
  ::lseek(file.get(), 0, SEEK_SET);
  prospector::AuditInput input(file.get());
  prospector::EntryReader reader;
  prospector::Tally tally;
  prospector::Tally renamed;  // the same with callers whose names are harmless
  for (;;) {
    const prospector::InputLine line = input.next();
    if (line.kind == prospector::LineKind::kEnd) break;
    if (line.kind != prospector::LineKind::kLine) continue;
    require(line.text.size() <= prospector::kMaxLineBytes, "a line is bounded");
    auto entry = reader.read(line.text);
    if (!entry) {
      tally.add_bad(entry.error(), "input", 1);
      renamed.add_bad(entry.error(), "input", 1);
      continue;
    }
    require(entry->caller.size() <= prospector::kMaxCallerBytes, "a caller is bounded");
    tally.add(*entry);
    std::ranges::transform(entry->caller, entry->caller.begin(), [](char c) {
      return static_cast<char>('a' + (static_cast<unsigned char>(c) & 0x0F));
    });
    renamed.add(*entry);
  }
  // A page costs a thousand times what a line does: of some inputs it is enough.
  if (size % 16 != 0) return 0;
  const std::string page = prospector::render(tally, "Fuzz");
  require(is_one_page(page), "one page, and nothing in it that turns or clears");
  if (tally.callers.size() == renamed.callers.size()) {
    require(tags_of(page) == tags_of(prospector::render(renamed, "Fuzz")),
            "a caller's name adds no tag");
  }
  return 0;
}
