// The reader of documents: within its limits whatever comes, text is UTF-8, keys are unlike each
// other, and every place lies within the document.
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <unordered_set>

#include "base/utf8.h"
#include "require.h"
#include "specgen/document_reader.h"

namespace {

using plimsoll::fuzz::require;
using namespace plimsoll::specgen;  // NOLINT(google-build-using-namespace)

constexpr DocumentLimits kLimits{.max_bytes = 65'536, .max_nodes = 5'000, .max_depth = 24};

void check(const Node& node, unsigned depth, std::size_t lines, std::size_t& count) {
  require(++count <= kLimits.max_nodes, "the values' limit");
  require(node.mark.line <= lines && node.mark.column >= 1, "a place in the document");
  require(plimsoll::is_valid_utf8(node.text), "UTF-8");
  const bool holds = node.is(Kind::kArray) || node.is(Kind::kObject);
  require(!holds || depth < kLimits.max_depth, "the depth's limit");
  for (const Node* item : node.items) check(*item, depth + 1, lines, count);
  std::unordered_set<std::string_view> names;
  for (const Member& one : node.members) {
    require(names.insert(one.name).second, "no key twice");
    require(one.value != nullptr, "a value for each key");
    require(plimsoll::is_valid_utf8(one.name), "UTF-8");
    check(*one.value, depth + 1, lines, count);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  Diagnostics diagnostics;
  const auto document = read_document(input, kLimits, diagnostics);
  require(document.has_value() != diagnostics.has_errors(), "a document or an error");
  if (!document) return 0;
  require(size <= kLimits.max_bytes, "the bytes' limit");
  std::size_t lines = 2;
  for (const char c : input) lines += c == '\n' || c == '\r' ? 1 : 0;
  std::size_t count = 0;
  check(document->root(), 0, lines, count);
  return 0;
}
