#include "rpc/timeout.h"

#include <gtest/gtest.h>

namespace plimsoll::rpc {
namespace {

using std::chrono::milliseconds;

struct Row {
  std::string_view text;
  std::optional<milliseconds> want;
};

TEST(ConnectTimeout, IsOneToTenDigitsAndMoreThanZero) {
  for (const Row& row : std::initializer_list<Row>{
           {"1", milliseconds(1)},
           {"5000", milliseconds(5000)},
           {"0000000001", milliseconds(1)},
           {"9999999999", milliseconds(9999999999)},
           {"0", std::nullopt},
           {"0000000000", std::nullopt},
           {"-1", std::nullopt},
           {"+1", std::nullopt},
           {"1.5", std::nullopt},
           {"12345678901", std::nullopt},
           {"", std::nullopt},
           {" 1", std::nullopt},
           {"1 ", std::nullopt},
           {"0x1", std::nullopt},
           {"1e3", std::nullopt},
           {std::string_view("1\0", 2), std::nullopt},
       }) {
    EXPECT_EQ(parse_connect_timeout(row.text), row.want) << row.text;
  }
}

TEST(GrpcTimeout, HasAUnitAndNeverOverflows) {
  for (const Row& row : std::initializer_list<Row>{
           {"1H", milliseconds(3'600'000)},
           {"2M", milliseconds(120'000)},
           {"3S", milliseconds(3'000)},
           {"4m", milliseconds(4)},
           {"1u", milliseconds(1)},
           {"1001u", milliseconds(2)},
           {"1n", milliseconds(1)},
           {"99999999n", milliseconds(100)},
           {"99999999H", milliseconds(359'999'996'400'000)},
           {"0S", milliseconds(1)},
           {"100000000m", std::nullopt},
           {"S", std::nullopt},
           {"", std::nullopt},
           {"5", std::nullopt},
           {"5s", std::nullopt},
           {"5h", std::nullopt},
           {"-5S", std::nullopt},
           {"1.5S", std::nullopt},
           {" 1S", std::nullopt},
           {"1SS", std::nullopt},
       }) {
    EXPECT_EQ(parse_grpc_timeout(row.text), row.want) << row.text;
  }
}

}  // namespace
}  // namespace plimsoll::rpc
