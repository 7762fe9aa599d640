#include "record/digest.h"

#include <gtest/gtest.h>

namespace plimsoll::record {
namespace {

TEST(Sha256Sink, KnownAnswers) {
  Sha256Sink empty;
  EXPECT_EQ(empty.finish().hex(),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  // FIPS 180-4's example, in pieces.
  Sha256Sink abc;
  for (const std::string_view piece : {"a", "", "bc"}) abc.append(piece);
  EXPECT_EQ(abc.finish().hex(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Digest, HexIsLowerCaseAndKeepsZeros) {
  Digest digest;
  digest.bytes[0] = 0x0a;
  digest.bytes[31] = 0xf0;
  EXPECT_EQ(digest.hex(), "0a" + std::string(60, '0') + "f0");
}

}  // namespace
}  // namespace plimsoll::record
