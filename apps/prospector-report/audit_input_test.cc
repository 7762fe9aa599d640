#include "audit_input.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/unique_fd.h"

namespace plimsoll::prospector {
namespace {

UniqueFd file_of(std::string_view bytes) {
  UniqueFd file(::memfd_create("audit", MFD_CLOEXEC));
  EXPECT_EQ(::write(file.get(), bytes.data(), bytes.size()), std::ssize(bytes));
  EXPECT_EQ(::lseek(file.get(), 0, SEEK_SET), 0);
  return file;
}

std::string gzip(std::string_view text) {
  z_stream stream{};
  EXPECT_EQ(::deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(text.size() + 4096, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(::deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  ::deflateEnd(&stream);
  return out;
}

// Each line as it was read; "<long>", "<broken>" for what is none.
std::vector<std::string> lines_of(std::string_view bytes) {
  const UniqueFd file = file_of(bytes);
  AuditInput input(file.get());
  std::vector<std::string> lines;
  for (;;) {
    const InputLine line = input.next();
    if (line.kind == LineKind::kEnd) return lines;
    if (line.kind == LineKind::kLine) lines.emplace_back(line.text);
    if (line.kind == LineKind::kTooLong) lines.emplace_back("<long>");
    if (line.kind == LineKind::kBroken) lines.emplace_back("<broken>");
  }
}

using Lines = std::vector<std::string>;

TEST(AuditInput, LinesEndWithANewlineOrTheFile) {
  EXPECT_EQ(lines_of(""), Lines());
  EXPECT_EQ(lines_of("a\nb"), Lines({"a", "b"}));
  EXPECT_EQ(lines_of("a\n\nb\n"), Lines({"a", "", "b"}));
  EXPECT_EQ(lines_of("\x1f"), Lines({"\x1f"}));
}

TEST(AuditInput, ALongLineIsSkippedAndTheNextOneIsRead) {
  const std::string longest(kMaxLineBytes, 'x');
  EXPECT_EQ(lines_of("a\n" + longest + "\nb\n"), Lines({"a", longest, "b"}));
  EXPECT_EQ(lines_of("a\n" + longest + "x\nb\n"), Lines({"a", "<long>", "b"}));
  EXPECT_EQ(lines_of(std::string(10 * kMaxLineBytes, 'x') + "\nb"), Lines({"<long>", "b"}));
  EXPECT_EQ(lines_of("a\n" + std::string(10 * kMaxLineBytes, 'x')), Lines({"a", "<long>"}));
}

TEST(AuditInput, GzipIsKnownByItsBytes) {
  std::string text;
  for (int i = 0; i < 200'000; ++i) text += "line " + std::to_string(i) + "\n";
  const auto lines = lines_of(gzip(text));
  ASSERT_EQ(lines.size(), 200'000U);
  EXPECT_EQ(lines.back(), "line 199999");
  EXPECT_EQ(lines_of(gzip("a\nb") + gzip("c\nd\n")), Lines({"a", "bc", "d"}));
}

TEST(AuditInput, WhatIsCutShortKeepsWhatCameBefore) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += "line " + std::to_string(i * 7919 % 100'003) + "\n";
  const std::string whole = gzip(text);
  const auto lines = lines_of(std::string_view(whole).substr(0, whole.size() / 2));
  ASSERT_GT(lines.size(), 1000U);
  EXPECT_EQ(lines.front(), "line 0");
  EXPECT_EQ(lines.back(), "<broken>");
  EXPECT_EQ(lines_of(gzip("a\n") + "garbage"), Lines({"a", "<broken>"}));
  EXPECT_EQ(lines_of("\x1f\x8bgarbage"), Lines({"<broken>"}));
}

// 200 MiB of one line, from 200 KiB: neither the line nor the data is ever whole in memory.
TEST(AuditInput, ABombIsSkippedInBoundedMemory) {
  std::string bomb;
  const std::string mib(std::size_t{1} << 20, 'x');
  for (int i = 0; i < 200; ++i) bomb += gzip(mib);
  EXPECT_EQ(lines_of(bomb + gzip("\na\n")), Lines({"<long>", "a"}));
}

TEST(AuditInput, ADescriptorThatCannotBeReadIsBroken) {
  AuditInput input(-1);
  EXPECT_EQ(input.next().kind, LineKind::kBroken);
  EXPECT_EQ(input.next().kind, LineKind::kEnd);
}

}  // namespace
}  // namespace plimsoll::prospector
