#include "rpc/grpc_frame.h"

#include <gtest/gtest.h>

namespace plimsoll::rpc {
namespace {

TEST(GrpcFrame, IsTakenOffTheFront) {
  std::string bytes;
  append_frame(bytes, 0, "abc");
  append_frame(bytes, kGrpcCompressed, "");
  EXPECT_EQ(bytes, std::string("\0\0\0\0\3abc\1\0\0\0\0", 13));
  std::string_view rest = bytes;
  GrpcFrame frame;
  ASSERT_EQ(take_frame(rest, 3, frame), FrameState::kFrame);
  EXPECT_EQ(frame.payload, "abc");
  EXPECT_EQ(frame.flags, 0);
  ASSERT_EQ(take_frame(rest, 3, frame), FrameState::kFrame);
  EXPECT_EQ(frame.payload, "");
  EXPECT_EQ(frame.flags, kGrpcCompressed);
  EXPECT_TRUE(rest.empty());
  EXPECT_EQ(take_frame(rest, 3, frame), FrameState::kNeedMore);
}

TEST(GrpcFrame, SizeIsCheckedBeforeThePayloadIsThere) {
  GrpcFrame frame;
  std::string_view huge("\0\xFF\xFF\xFF\xFF", 5);
  EXPECT_EQ(take_frame(huge, 1 << 20, frame), FrameState::kTooLarge);
  std::string_view over("\0\0\0\0\4abcd", 9);
  EXPECT_EQ(take_frame(over, 3, frame), FrameState::kTooLarge);
}

TEST(GrpcFrame, EveryPrefixNeedsMore) {
  std::string bytes;
  append_frame(bytes, 0, "abc");
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::string_view part(bytes.data(), i);
    GrpcFrame frame;
    EXPECT_EQ(take_frame(part, 3, frame), FrameState::kNeedMore);
    EXPECT_EQ(part.size(), i);
  }
}

TEST(GrpcFrame, ClientsSetNoOtherFlags) {
  for (const char flags : {'\x02', '\x80', '\xFF'}) {
    const std::string bytes = std::string(1, flags) + std::string(4, '\0');
    std::string_view rest = bytes;
    GrpcFrame frame;
    EXPECT_EQ(take_frame(rest, 3, frame), FrameState::kBadFlags);
  }
}

}  // namespace
}  // namespace plimsoll::rpc
