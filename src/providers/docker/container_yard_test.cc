#include "providers/docker/container_yard.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/entropy.h"
#include "providers/docker/fake_engine.h"

namespace plimsoll::docker {
namespace {

const std::string kId(64, 'a');
const std::string kOther(64, 'b');

class ContainerYardTest : public ::testing::Test {
 protected:
  static EngineApi api_of(const FakeEngine& engine) {
    return EngineApi({.socket_path = engine.socket_path(), .base_url = "http://engine"});
  }

  static Instance self() {
    SystemEntropy entropy;
    return this_instance(entropy).value();
  }

  static std::string entry(const std::string& id, const Labels& labels) {
    std::string text;
    for (const auto& [name, value] : labels) {
      text += (text.empty() ? "\"" : ",\"") + name + "\":\"" + value + "\"";
    }
    return R"({"Id":")" + id + R"(","State":"running","Created":1,"Labels":{)" + text + "}}";
  }

  static std::vector<std::string> removals(FakeEngine& engine) {
    std::vector<std::string> requests = engine.requests();
    std::erase_if(requests, [](const std::string& one) { return !one.starts_with("DELETE"); });
    return requests;
  }
};

TEST_F(ContainerYardTest, WhatHasNoTicketAnyMoreIsRemovedBeforeTheYardGoes) {
  FakeEngine engine({{"DELETE", {.bytes = http(204, "")}}});
  EngineApi api = api_of(engine);
  {
    ContainerYard yard(api, self());
    ASSERT_TRUE(yard.start());
    auto ticket = yard.ticket();
    ticket.made(kId);
  }
  EXPECT_EQ(removals(engine).size(), 1U);
}

TEST_F(ContainerYardTest, TheEndOfAKilledOneIsSeenBeforeItIsRemoved) {
  FakeEngine engine({{"DELETE", {.bytes = http(204, "")}}, {"POST", {.bytes = http(200, "{}")}}});
  EngineApi api = api_of(engine);
  {
    ContainerYard yard(api, self());
    auto ticket = yard.ticket();
    ticket.made(kId);
    ticket.killed();
  }
  const auto requests = engine.requests();
  ASSERT_EQ(requests.size(), 2U);
  EXPECT_TRUE(requests[0].ends_with("/wait")) << requests[0];
  EXPECT_TRUE(requests[1].starts_with("DELETE")) << requests[1];
}

TEST_F(ContainerYardTest, ARemovalThatABusyEngineRefusesIsTriedAgain) {
  FakeEngine engine({{"DELETE", {.bytes = http(409, R"({"message":"busy"})")}}});
  EngineApi api = api_of(engine);
  {
    ContainerYard yard(api, self());
    auto ticket = yard.ticket();
    ticket.made(kId);
  }
  EXPECT_GT(removals(engine).size(), 1U);
}

TEST_F(ContainerYardTest, WhatCouldNotBeRemovedIsLookedForAtTheEnd) {
  const Instance us = self();
  FakeEngine engine({{"DELETE", {.bytes = http(500, R"({"message":"busy"})")}},
                     {"GET", {.bytes = http(200, "[" + entry(kId, labels_of(us, 1)) + "]")}}});
  EngineApi api = api_of(engine);
  {
    ContainerYard yard(api, us);
    (void)yard.ticket();  // its creation came to nothing that we know
  }
  EXPECT_EQ(removals(engine).size(), 1U);
}

TEST_F(ContainerYardTest, ASweepTakesOrphansAndLeavesWhatLives) {
  Instance gone = self();
  gone.id = "gone";
  gone.started = "1";  // this process's number, but another one's time
  Instance living = self();
  living.id = "living";
  Instance elsewhere = self();
  elsewhere.id = "elsewhere";
  elsewhere.boot = "another boot";
  const std::string list = "[" + entry(kId, labels_of(gone, 1)) + "," +
                           entry(kOther, labels_of(living, 1)) + "," +
                           entry(std::string(64, 'c'), labels_of(elsewhere, 1)) + "]";
  FakeEngine engine({{"DELETE", {.bytes = http(204, "")}}, {"GET", {.bytes = http(200, list)}}});
  EngineApi api = api_of(engine);
  ContainerYard yard(api, self());
  ASSERT_TRUE(yard.sweep());
  const auto removed = removals(engine);
  ASSERT_EQ(removed.size(), 1U);
  EXPECT_NE(removed[0].find(kId), std::string::npos) << removed[0];
}

TEST_F(ContainerYardTest, ASweepTakesWhatOfOursHasNoTicket) {
  const Instance us = self();
  FakeEngine engine({{"DELETE", {.bytes = http(204, "")}},
                     {"GET",
                      {.bytes = http(200, "[" + entry(kId, labels_of(us, 1)) + "," +
                                              entry(kOther, labels_of(us, 7)) + "]")}}});
  EngineApi api = api_of(engine);
  ContainerYard yard(api, us);
  const auto ticket = yard.ticket();  // the first one, not made yet as far as we know
  ASSERT_TRUE(yard.sweep());
  const auto removed = removals(engine);
  ASSERT_EQ(removed.size(), 1U);
  EXPECT_NE(removed[0].find(kOther), std::string::npos) << removed[0];
}

}  // namespace
}  // namespace plimsoll::docker
