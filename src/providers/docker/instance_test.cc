#include "providers/docker/instance.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace plimsoll::docker {
namespace {

Instance me() {
  SystemEntropy entropy;
  auto self = this_instance(entropy);
  EXPECT_TRUE(self);
  return self.value_or(Instance{});
}

ContainerEntry of(const Instance& maker, std::uint64_t serial = 7) {
  return {.id = std::string(64, 'a'), .state = "running", .labels = labels_of(maker, serial)};
}

TEST(Instance, WhoMadeAContainerIsFoundInProc) {
  const Instance self = me();
  EXPECT_EQ(ownership_of(of(self), self), Ownership::kOurs);
  EXPECT_EQ(serial_of(of(self)), 7U);

  Instance other = self;  // another instance of a process that lives: this one
  other.id = std::string(32, '0');
  EXPECT_EQ(ownership_of(of(other), self), Ownership::kLiving);
  other.started += "0";  // its number was given to another process since
  EXPECT_EQ(ownership_of(of(other), self), Ownership::kOrphan);
  other = self;
  other.id = std::string(32, '0');
  other.pid = "999999999";
  EXPECT_EQ(ownership_of(of(other), self), Ownership::kOrphan);
}

TEST(Instance, WhatCannotBeLookedUpIsUnknown) {
  const Instance self = me();
  Instance other = self;
  other.id = std::string(32, '0');
  other.boot = "another";
  EXPECT_EQ(ownership_of(of(other), self), Ownership::kUnknown);
  other.boot = self.boot;
  other.pid_ns = "pid:[1]";
  EXPECT_EQ(ownership_of(of(other), self), Ownership::kUnknown);
  other.pid_ns = self.pid_ns;
  other.pid = "../../etc/passwd";
  EXPECT_EQ(ownership_of(of(other), self), Ownership::kUnknown);
  EXPECT_EQ(ownership_of({.id = "x"}, self), Ownership::kUnknown);
  EXPECT_EQ(serial_of({.id = "x"}), 0U);
}

TEST(Instance, AnInstanceIsNamedOnce) { EXPECT_NE(me().id, me().id); }

TEST(Instance, TheStartIsReadBehindAnyName) {
  std::string fields = "S 1";
  for (int field = 5; field <= 52; ++field) fields += " " + std::to_string(field);
  EXPECT_EQ(start_time_of("1 (node) " + fields), "22");
  EXPECT_EQ(start_time_of("1 (a) S 9 9) (b) " + fields), "22");
  for (const char* broken : {"", "1 (node", "1 (node) S 1 2", "1 (node)"}) {
    EXPECT_EQ(start_time_of(broken), "") << broken;
  }
}

}  // namespace
}  // namespace plimsoll::docker
