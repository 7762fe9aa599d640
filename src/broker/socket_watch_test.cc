#include "broker/socket_watch.h"

#include <gtest/gtest.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>

#include "base/unique_fd.h"

namespace plimsoll {
namespace {

class SocketWatchTest : public ::testing::Test {
 protected:
  SocketWatchTest() {
    std::array<int, 2> pair{-1, -1};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair.data()), 0);
    ours_.reset(pair[0]);
    peer_.reset(pair[1]);
  }
  // The events of our socket, 0 for none.
  [[nodiscard]] std::uint32_t events() const {
    epoll_event event{};
    return ::epoll_wait(epoll_.get(), &event, 1, 0) == 1 ? event.events : 0U;
  }
  void peer_writes() const { EXPECT_EQ(::write(peer_.get(), "x", 1), 1); }

  UniqueFd epoll_{::epoll_create1(EPOLL_CLOEXEC)};
  UniqueFd ours_;
  UniqueFd peer_;
  SocketWatch watch_{epoll_.get()};
};

TEST_F(SocketWatchTest, WaitsForWhatIsWantedAndNothingElse) {
  ASSERT_TRUE(watch_.want(ours_.get(), EPOLLIN));
  EXPECT_EQ(events(), 0U);
  peer_writes();
  EXPECT_EQ(events(), static_cast<std::uint32_t>(EPOLLIN));
  ASSERT_TRUE(watch_.want(ours_.get(), EPOLLOUT));
  EXPECT_EQ(events(), static_cast<std::uint32_t>(EPOLLOUT));
  EXPECT_TRUE(watch_.is_wanted(ours_.get()));
}

TEST_F(SocketWatchTest, AnEventThatNobodyWantsWakesOnce) {
  ASSERT_TRUE(watch_.want(ours_.get(), EPOLLIN));
  watch_.leave(ours_.get());
  peer_writes();
  EXPECT_NE(events(), 0U);
  EXPECT_FALSE(watch_.is_wanted(ours_.get()));
  EXPECT_EQ(events(), 0U);
}

TEST_F(SocketWatchTest, WhatWasLeftIsWantedAgain) {
  ASSERT_TRUE(watch_.want(ours_.get(), EPOLLIN));
  watch_.leave(ours_.get());
  ASSERT_TRUE(watch_.want(ours_.get(), EPOLLIN));
  peer_writes();
  EXPECT_NE(events(), 0U);
  EXPECT_TRUE(watch_.is_wanted(ours_.get()));
}

TEST_F(SocketWatchTest, ANumberOfAClosedSocketIsAnotherSocket) {
  const int number = ours_.get();
  ASSERT_TRUE(watch_.want(number, EPOLLIN));
  watch_.forget(number);
  EXPECT_FALSE(watch_.is_wanted(number));
  ASSERT_EQ(::dup2(peer_.get(), number), number);
  EXPECT_TRUE(watch_.want(number, EPOLLOUT));
  EXPECT_EQ(events(), static_cast<std::uint32_t>(EPOLLOUT | EPOLLHUP));
}

TEST_F(SocketWatchTest, WhatTheSystemRefusesIsNotKept) {
  EXPECT_FALSE(watch_.want(epoll_.get(), EPOLLIN));
  EXPECT_FALSE(watch_.is_wanted(epoll_.get()));
}

}  // namespace
}  // namespace plimsoll
