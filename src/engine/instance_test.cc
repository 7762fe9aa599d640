#include "engine/instance.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "engine/engine_fixture.h"

namespace plimsoll::engine {
namespace {

constexpr auto kMax32 = std::numeric_limits<std::uint32_t>::max();
constexpr auto kMax64 = std::numeric_limits<std::uint64_t>::max();

// Two pages of memory, and the pages beyond them not accessible: a read outside ends the test.
class InstanceTest : public ::testing::Test {
 protected:
  static constexpr std::uint32_t kSize = 2 * kWasmPage;
  InstanceTest() : memory_(4 * kWasmPage), instance_(std::make_unique<Instance>(memory_)) {
    EXPECT_TRUE(memory_.grow_to(kSize));
    instance_->adopt_memory(0);
  }
  LinearMemory memory_;
  std::unique_ptr<Instance> instance_;
};

TEST_F(InstanceTest, BytesAreInsideOrNone) {
  EXPECT_EQ(instance_->bytes(0, kSize).size(), kSize);
  EXPECT_EQ(instance_->bytes(kSize - 1, 1).size(), 1U);
  EXPECT_EQ(instance_->bytes(kSize - 1, 1).data(), memory_.base() + kSize - 1);
  struct Outside {
    GuestPtr at;
    std::uint64_t size;
  };
  for (const auto& [at, size] :
       {Outside{0, kSize + 1}, Outside{1, kSize}, Outside{kSize, 1}, Outside{kSize - 1, 2},
        Outside{kMax32, 1}, Outside{kMax32 - 7, 8}, Outside{kMax32, kMax32}, Outside{1, kMax32},
        Outside{1, kMax64}, Outside{kMax32, kMax64}, Outside{8, kMax64 - 4},
        Outside{0, std::uint64_t{1} << 32}}) {
    EXPECT_TRUE(instance_->bytes(at, size).empty()) << at << " + " << size;
  }
}

TEST_F(InstanceTest, LoadsAndStoresOutsideAreNothing) {
  ASSERT_TRUE(instance_->store<std::uint64_t>(kSize - 8, 0x0102'0304'0506'0708));
  EXPECT_EQ(instance_->load<std::uint64_t>(kSize - 8), 0x0102'0304'0506'0708U);
  for (const GuestPtr at : {kSize - 7, kSize, kMax32, kMax32 - 7, kMax32 - 8}) {
    EXPECT_EQ(instance_->load<std::uint64_t>(at), 0U) << at;
    EXPECT_FALSE(instance_->store<std::uint64_t>(at, 1)) << at;
  }
  EXPECT_EQ(memory_.base()[kSize - 1], 0x01);
}

TEST_F(InstanceTest, AStringEndsAtItsNulItsBoundOrTheMemorys) {
  std::memcpy(memory_.base() + 10, "abc", 4);
  EXPECT_EQ(instance_->c_string(10, 100), "abc");
  EXPECT_EQ(instance_->c_string(10, 2), "ab");
  EXPECT_EQ(instance_->c_string(10, 0), "");
  std::memset(memory_.base() + kSize - 5, 'x', 5);
  EXPECT_EQ(instance_->c_string(kSize - 5, 100), "xxxxx");
  EXPECT_EQ(instance_->c_string(kSize - 1, kMax64), "x");
  EXPECT_EQ(instance_->c_string(kSize, 100), "");
  EXPECT_EQ(instance_->c_string(kMax32, 100), "");
}

TEST_F(InstanceTest, GrowthBeyondTheMaximumIsRefusedAndNoted) {
  wasm_rt_memory_t& module_memory = instance_->raw()->w2c_memory;
  for (const std::uint32_t delta : {3U, 0x1'0000U, kMax32 - 1, kMax32}) {
    instance_->run().grow_refused = false;
    EXPECT_EQ(instance_->grow_memory(&module_memory, delta), kMax32) << delta;
    EXPECT_TRUE(instance_->run().grow_refused) << delta;
    EXPECT_EQ(memory_.size(), kSize);
    EXPECT_EQ(module_memory.pages, 2U);
  }
  std::uint32_t before = 0;
  EXPECT_EQ(enter_guest(*instance_, [&] { before = instance_->grow_memory(&module_memory, 2); }),
            Trap::kNone);
  EXPECT_EQ(before, 2U);
  EXPECT_EQ(memory_.size(), 4 * kWasmPage);
  EXPECT_EQ(module_memory.size, 4 * kWasmPage);
}

TEST_F(InstanceTest, AModuleWithALargerTableIsRefused) {
  wasm_rt_funcref_table_t table{};
  EXPECT_EQ(enter_guest(*instance_, [&] { instance_->allocate_table(&table, 2'049, 2'049); }),
            Trap::kIndirectCall);
  EXPECT_EQ(enter_guest(*instance_, [&] { instance_->allocate_table(&table, 2'048, 2'048); }),
            Trap::kNone);
}

TEST(JsValues, TagsAreToldApart) {
  EXPECT_FALSE(is_heap(kJsNull));
  EXPECT_FALSE(is_heap(kJsUndefined));
  EXPECT_FALSE(is_heap(js_int(-1)));
  EXPECT_TRUE(is_int(js_int(-1)));
  EXPECT_TRUE(is_heap(JsValue{0xffff'ffff} << 32));
  EXPECT_TRUE(is_heap(JsValue{0xffff'fff7} << 32));
  EXPECT_FALSE(is_heap(JsValue{0xffff'fff6} << 32));
  EXPECT_TRUE(is_object(JsValue{0xffff'ffff} << 32 | 16));
  EXPECT_FALSE(is_string(kJsNull));
  EXPECT_TRUE(is_exception(JsValue{6} << 32));
}

}  // namespace
}  // namespace plimsoll::engine
