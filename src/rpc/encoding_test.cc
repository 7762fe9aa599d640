#include "rpc/encoding.h"

#include <gtest/gtest.h>

namespace plimsoll::rpc {
namespace {

TEST(Encoding, FollowsTheClientsOrder) {
  for (const auto& [list, want] : std::initializer_list<std::pair<std::string_view, Encoding>>{
           {"", Encoding::kIdentity},
           {"gzip", Encoding::kGzip},
           {"GZIP", Encoding::kGzip},
           {"br, gzip", Encoding::kGzip},
           {"identity, gzip", Encoding::kIdentity},
           {"gzip;q=0", Encoding::kIdentity},
           {"gzip; q=0.0, identity", Encoding::kIdentity},
           {"gzip;q=0.5", Encoding::kGzip},
           {"zstd,,br,", Encoding::kIdentity},
           {"*", Encoding::kIdentity},
           {" gzip ,deflate", Encoding::kGzip},
           {"gzipped", Encoding::kIdentity},
       }) {
    EXPECT_EQ(choose_encoding(list), want) << list;
  }
}

TEST(Encoding, KnowsTwo) {
  EXPECT_EQ(parse_encoding(""), Encoding::kIdentity);
  EXPECT_EQ(parse_encoding("identity"), Encoding::kIdentity);
  EXPECT_EQ(parse_encoding("gzip"), Encoding::kGzip);
  for (const char* other : {"br", "gzip,gzip", "deflate", "x-gzip", " gzip"}) {
    EXPECT_EQ(parse_encoding(other), std::nullopt);
  }
}

}  // namespace
}  // namespace plimsoll::rpc
