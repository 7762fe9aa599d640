#include "base/fd_message.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll {
namespace {

struct Pair {
  UniqueFd left;
  UniqueFd right;
};

Pair make_pair_of(int type) {
  int ends[2] = {-1, -1};
  if (::socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends) != 0) return {};
  return {.left = UniqueFd(ends[0]), .right = UniqueFd(ends[1])};
}

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

std::ptrdiff_t open_descriptors() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
}

// Sends any number of descriptors, as send_message() would not.
bool send_many(int socket, std::string_view text, const std::vector<int>& fds) {
  iovec part{.iov_base = const_cast<char*>(text.data()), .iov_len = text.size()};
  std::vector<std::uint64_t> control(CMSG_SPACE(fds.size() * sizeof(int)) / 8 + 1);
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = CMSG_SPACE(fds.size() * sizeof(int));
  cmsghdr* rights = CMSG_FIRSTHDR(&message);
  rights->cmsg_level = SOL_SOCKET;
  rights->cmsg_type = SCM_RIGHTS;
  rights->cmsg_len = CMSG_LEN(fds.size() * sizeof(int));
  std::memcpy(CMSG_DATA(rights), fds.data(), fds.size() * sizeof(int));
  return ::sendmsg(socket, &message, MSG_NOSIGNAL) >= 0;
}

TEST(FdMessage, BytesAndDescriptorsArrive) {
  const Pair pair = make_pair_of(SOCK_SEQPACKET);
  const UniqueFd first(::open("/dev/null", O_RDWR | O_CLOEXEC));
  const UniqueFd second(::open("/dev/zero", O_RDONLY | O_CLOEXEC));
  for (std::size_t count = 0; count <= kMaxMessageFds; ++count) {
    const int fds[] = {first.get(), second.get()};
    ASSERT_EQ(send_message(pair.left.get(), bytes_of("hello"), std::span(fds).first(count)), 0);
    std::array<std::byte, 16> buffer{};
    const ReceivedMessage got = receive_message(pair.right.get(), buffer);
    EXPECT_EQ(got.error, 0);
    EXPECT_EQ(std::string_view(reinterpret_cast<const char*>(buffer.data()), got.size), "hello");
    for (std::size_t i = 0; i < kMaxMessageFds; ++i) {
      ASSERT_EQ(static_cast<bool>(got.fds[i]), i < count);
      if (i >= count) continue;
      struct stat sent{};
      struct stat arrived{};
      ASSERT_EQ(::fstat(fds[i], &sent), 0);
      ASSERT_EQ(::fstat(got.fds[i].get(), &arrived), 0);
      EXPECT_EQ(sent.st_rdev, arrived.st_rdev);  // the same device, in the same order
      EXPECT_NE(got.fds[i].get(), fds[i]);
      EXPECT_NE(::fcntl(got.fds[i].get(), F_GETFD) & FD_CLOEXEC, 0);
    }
  }
}

TEST(FdMessage, TooManyDescriptorsAreNotSent) {
  const Pair pair = make_pair_of(SOCK_SEQPACKET);
  const int fds[] = {0, 0, 0};
  EXPECT_EQ(send_message(pair.left.get(), bytes_of("x"), fds), EINVAL);
  char byte = 0;
  EXPECT_EQ(::recv(pair.right.get(), &byte, 1, MSG_DONTWAIT), -1);
}

TEST(FdMessage, SurplusDescriptorsAreAnErrorAndNoneLeaks) {
  const Pair pair = make_pair_of(SOCK_SEQPACKET);
  const UniqueFd file(::open("/dev/null", O_RDWR | O_CLOEXEC));
  const auto before = open_descriptors();
  for (const std::size_t count : {std::size_t{3}, std::size_t{4}, std::size_t{100}}) {
    ASSERT_TRUE(send_many(pair.left.get(), "x", std::vector<int>(count, file.get())));
    std::array<std::byte, 16> buffer{};
    const ReceivedMessage got = receive_message(pair.right.get(), buffer);
    EXPECT_EQ(got.error, EMSGSIZE) << count;
  }
  EXPECT_EQ(open_descriptors(), before);
}

TEST(FdMessage, ALongerDatagramIsAnErrorAndItsDescriptorsDoNotLeak) {
  const Pair pair = make_pair_of(SOCK_SEQPACKET);
  const UniqueFd file(::open("/dev/null", O_RDWR | O_CLOEXEC));
  const auto before = open_descriptors();
  const int fds[] = {file.get()};
  ASSERT_EQ(send_message(pair.left.get(), bytes_of("12345"), fds), 0);
  std::array<std::byte, 4> buffer{};
  EXPECT_EQ(receive_message(pair.right.get(), buffer).error, EMSGSIZE);
  EXPECT_EQ(open_descriptors(), before);
}

TEST(FdMessage, APeerThatIsGoneIsAnErrorWithoutASignal) {
  for (const int type : {SOCK_SEQPACKET, SOCK_STREAM}) {
    Pair pair = make_pair_of(type);
    pair.right.reset();
    EXPECT_EQ(send_message(pair.left.get(), bytes_of("x"), {}), EPIPE);
    std::array<std::byte, 4> buffer{};
    EXPECT_EQ(receive_message(pair.left.get(), buffer).error, EPIPE);
  }
}

TEST(FdMessage, NoSocketIsAnError) {
  const UniqueFd file(::open("/dev/null", O_RDWR | O_CLOEXEC));
  std::array<std::byte, 4> buffer{};
  EXPECT_EQ(send_message(file.get(), bytes_of("x"), {}), ENOTSOCK);
  EXPECT_EQ(receive_message(file.get(), buffer).error, ENOTSOCK);
  EXPECT_EQ(send_message(-1, bytes_of("x"), {}), EBADF);
}

TEST(FdMessage, AnEmptySocketThatDoesNotBlockSaysSo) {
  const Pair pair = make_pair_of(SOCK_SEQPACKET | SOCK_NONBLOCK);
  std::array<std::byte, 4> buffer{};
  const ReceivedMessage got = receive_message(pair.right.get(), buffer);
  EXPECT_EQ(got.error, EAGAIN);
  EXPECT_EQ(got.size, 0U);
}

}  // namespace
}  // namespace plimsoll
