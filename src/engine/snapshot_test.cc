#include "engine/snapshot.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "engine/engine_fixture.h"

namespace plimsoll::engine {
namespace {

// Page-aligned, as an image file is mapped.
class SnapshotTest : public ::testing::Test {
 protected:
  SnapshotTest() : file_(kSnapshotHeaderBytes + kWasmPage + 16) {
    void* at = file_.data();
    std::size_t room = file_.size();
    start_ = static_cast<std::uint8_t*>(std::align(16, kSnapshotHeaderBytes + kWasmPage, at, room));
    header_.magic = kSnapshotMagic;
    header_.memory_bytes = kWasmPage;
  }
  const SnapshotHeader* parse(std::size_t size = kSnapshotHeaderBytes + kWasmPage) {
    std::memcpy(start_, &header_, sizeof header_);
    return parse_snapshot({start_, size});
  }

  std::vector<std::uint8_t> file_;
  std::uint8_t* start_ = nullptr;
  SnapshotHeader header_;
};

TEST_F(SnapshotTest, AWholeFileIsAccepted) {
  ASSERT_NE(parse(), nullptr);
  EXPECT_EQ(snapshot_memory({start_, kSnapshotHeaderBytes + kWasmPage}).size(), kWasmPage);
}

TEST_F(SnapshotTest, AnythingElseIsRefused) {
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{8}, kSnapshotHeaderBytes - 1, kSnapshotHeaderBytes,
        kSnapshotHeaderBytes + kWasmPage - 1, kSnapshotHeaderBytes + kWasmPage + 1}) {
    EXPECT_EQ(parse(size), nullptr) << size;
  }
  for (const std::uint32_t bytes : {0U, 1U, static_cast<std::uint32_t>(kWasmPage) - 1,
                                    static_cast<std::uint32_t>(2 * kWasmPage), 0xffff'0000U}) {
    header_.memory_bytes = bytes;
    EXPECT_EQ(parse(), nullptr) << bytes;
  }
  header_.memory_bytes = kWasmPage;
  header_.magic[7] = '0';
  EXPECT_EQ(parse(), nullptr);
}

TEST_F(SnapshotTest, AMisalignedFileIsRefused) {
  ASSERT_NE(parse(), nullptr);
  std::memmove(start_ + 1, start_, kSnapshotHeaderBytes + kWasmPage);
  EXPECT_EQ(parse_snapshot({start_ + 1, kSnapshotHeaderBytes + kWasmPage}), nullptr);
}

TEST(BuiltSnapshot, IsWholeAndFitsTheSmallestWorker) {
  const ImageFile image;
  const SnapshotHeader* header = parse_snapshot(image.bytes());
  ASSERT_NE(header, nullptr);
  EXPECT_LT(header->memory_bytes, 16U << 20);
  for (const JsValue hook : header->hooks) EXPECT_TRUE(is_object(hook));
  for (const GuestPtr at : {header->stack_pointer, header->context, header->scratch + 63,
                            header->random_state + 7, header->file_name}) {
    EXPECT_GT(at, 0U);
    EXPECT_LT(at, header->memory_bytes);
  }
}

}  // namespace
}  // namespace plimsoll::engine
