#include "base/sha256.h"

#include <gtest/gtest.h>

namespace plimsoll {
namespace {

// FIPS 180-4's examples, and NIST's vector of a million bytes.
TEST(Sha256, KnownAnswers) {
  EXPECT_EQ(to_hex(sha256("")), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(to_hex(sha256("abc")),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(to_hex(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(to_hex(sha256(std::string(1'000'000, 'a'))),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

// Every length around the padding's edges, in every cut.
TEST(Sha256, PiecesDoNotMatter) {
  for (const std::size_t size : {0U, 1U, 55U, 56U, 63U, 64U, 65U, 119U, 120U, 128U}) {
    std::string bytes;
    for (std::size_t i = 0; i < size; ++i) bytes += static_cast<char>('A' + i % 50);
    for (std::size_t cut = 0; cut <= size; ++cut) {
      Sha256 hash;
      hash.update(std::string_view(bytes).substr(0, cut));
      hash.update(std::string_view(bytes).substr(cut));
      EXPECT_EQ(hash.finish(), sha256(bytes)) << size << " cut at " << cut;
    }
  }
}

}  // namespace
}  // namespace plimsoll
