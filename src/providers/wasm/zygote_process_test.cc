#include "providers/jailed/zygote_process.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "providers/jailed/program_file.h"
#include "providers/wasm/worker_fixture.h"

namespace plimsoll::wasm {
namespace {

class ZygoteProcessTest : public ::testing::Test {
 protected:
  ZygoteProcessTest() {
    auto elf = open_program(worker_program(), "");
    if (!elf) throw std::runtime_error(elf.error().message);
    elf_ = *std::move(elf);
    auto zygote = ZygoteProcess::start(worker_program(), elf_.get(), 64);
    if (!zygote) throw std::runtime_error(zygote.error().message);
    zygote_.emplace(*std::move(zygote));
  }
  UniqueFd elf_;
  std::optional<ZygoteProcess> zygote_;
};

TEST_F(ZygoteProcessTest, ReapsNothingButItsOwnWorkers) {
  // In the host's numbers, since without a pid namespace the zygote has the same.
  const pid_t bystander = ::fork();
  if (bystander == 0) {
    for (;;) ::pause();
  }
  for (const pid_t pid : {pid_t{0}, pid_t{-1}, pid_t{1}, pid_t{99'999}, ::getpid(), bystander,
                          std::numeric_limits<pid_t>::max(), std::numeric_limits<pid_t>::min()}) {
    EXPECT_FALSE(zygote_->reap(pid)) << pid;
  }
  for (const Descendant& zygote : descendants("plimsoll-zygote")) {
    EXPECT_FALSE(zygote_->reap(zygote.pid));
  }
  EXPECT_FALSE(is_gone(bystander));
  ::kill(bystander, SIGKILL);
  ::waitpid(bystander, nullptr, 0);
  EXPECT_TRUE(zygote_->spawn());  // and it still serves
}

// Makes unshare(2) fail for this process and its children, as a container's profile does.
bool deny_namespaces() {
  sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_unshare, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{.len = std::size(code), .filter = code};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0;
}

// Without a pid namespace the zygote could signal whatever else nobody runs on this host.
int reap_a_bystander() {
  if (!deny_namespaces()) return 1;
  const auto elf = open_program(worker_program(), "");
  if (!elf) return 2;
  auto zygote = ZygoteProcess::start(worker_program(), elf->get(), 64);
  if (!zygote || (zygote->achieved() & guest::kPidNamespace) != 0) return 3;
  const pid_t bystander = ::fork();
  if (bystander == 0) {
    constexpr uid_t kNobody = 65'534;
    if (::geteuid() == 0 && ::setresuid(kNobody, kNobody, kNobody) != 0) ::_exit(1);
    for (;;) ::pause();
  }
  std::this_thread::sleep_for(Millis{50});  // until it is nobody's
  if (zygote->reap(bystander)) return 4;
  std::this_thread::sleep_for(Millis{50});
  const bool killed = is_gone(bystander);
  ::kill(bystander, SIGKILL);
  return killed ? 5 : 0;
}

TEST(ZygoteProcessDeathTest, WithoutAPidNamespaceItSignalsNobodyElse) {
  EXPECT_EXIT(::_exit(reap_a_bystander()), ::testing::ExitedWithCode(0), "");
}

TEST_F(ZygoteProcessTest, TellsHowAWorkerEnded) {
  auto worker = zygote_->spawn();
  ASSERT_TRUE(worker);
  const auto status = zygote_->reap(worker->zygote_pid);
  ASSERT_TRUE(status);
  EXPECT_TRUE(WIFSIGNALED(*status) && WTERMSIG(*status) == SIGKILL);
  EXPECT_FALSE(zygote_->reap(worker->zygote_pid));  // once
}

TEST_F(ZygoteProcessTest, HandsOutDescriptorsOfItsOwn) {
  const auto before = open_descriptors();
  {
    auto worker = zygote_->spawn();
    ASSERT_TRUE(worker);
    EXPECT_GT(worker->zygote_pid, 0);
    EXPECT_EQ(open_descriptors(), before + 2);
  }
  EXPECT_EQ(open_descriptors(), before);
}

TEST_F(ZygoteProcessTest, MovesWithoutEnding) {
  ZygoteProcess moved = *std::move(zygote_);
  zygote_.reset();
  EXPECT_TRUE(moved.spawn());
}

TEST(WorkerElf, TheEmbeddedCopyCannotBeChanged) {
  const auto elf = open_program(worker_program(), "");
  ASSERT_TRUE(elf);
  EXPECT_EQ(::write(elf->get(), "x", 1), -1);
  EXPECT_NE(::ftruncate(elf->get(), 0), 0);
  EXPECT_NE(::fcntl(elf->get(), F_ADD_SEALS, 0), 0);
  // Byte for byte the program that was built.
  std::ifstream file(PLIMSOLL_BIN_DIR "/plimsoll-worker", std::ios::binary);
  const std::string built(std::istreambuf_iterator<char>(file), {});
  std::string embedded(built.size() + 1, '\0');
  ASSERT_EQ(::pread(elf->get(), embedded.data(), embedded.size(), 0),
            static_cast<ssize_t>(built.size()));
  embedded.pop_back();
  EXPECT_TRUE(embedded == built);
}

}  // namespace
}  // namespace plimsoll::wasm
