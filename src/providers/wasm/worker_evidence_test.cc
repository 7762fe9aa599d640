#include "providers/wasm/worker_evidence.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <array>
#include <cstddef>
#include <functional>
#include <string>

#include "providers/jailed/worker_factory.h"
#include "providers/wasm/worker_fixture.h"

namespace plimsoll::wasm {
namespace {

std::int64_t unix_ms() {
  return std::chrono::duration_cast<Millis>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

// A child of this process that does `setup` and then waits to be killed.
class Child {
 public:
  explicit Child(const std::function<bool()>& setup = [] { return true; }) {
    int ends[2] = {-1, -1};
    if (::pipe(ends) != 0) throw std::runtime_error("no pipe");
    pid_ = ::fork();
    if (pid_ == 0) {
      const char done = setup() ? 'y' : 'n';
      if (::write(ends[1], &done, 1) != 1) ::_exit(1);
      for (;;) ::pause();
    }
    ::close(ends[1]);
    char done = '?';
    is_set_up = ::read(ends[0], &done, 1) == 1 && done == 'y';
    ::close(ends[0]);
    pidfd.reset(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)));
  }
  ~Child() { end(); }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  void end() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }

  bool is_set_up = false;
  UniqueFd pidfd;

 private:
  pid_t pid_ = -1;
};

// Whether this host lets a process like this one make namespaces of its own.
bool namespaces_are_permitted() {
  const pid_t child = ::fork();
  if (child == 0) {
    const int flags = CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWPID;
    ::_exit(::unshare(::geteuid() == 0 ? flags : flags | CLONE_NEWUSER) == 0 ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool allow_everything_filter() {
  sock_filter code[] = {BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  const sock_fprog program{.len = 1, .filter = code};
  return ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0;
}

bool drop_capabilities() {
  __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  const std::array<__user_cap_data_struct, 2> none{};
  return ::syscall(SYS_capset, &header, none.data()) == 0;
}

TEST(WorkerEvidence, AWorkerIsMeasuredAsJailed) {
  WorkerFactory factory(worker_program(), "", 64);
  const std::int64_t before = unix_ms();
  auto worker = factory.make();
  ASSERT_TRUE(worker) << worker.error().message;
  const IsolationEvidence& evidence = worker->evidence();
  EXPECT_EQ(evidence.tier, Isolation::kProcess);
  EXPECT_EQ(fact(evidence, "worker.seccomp"), "filter");
  EXPECT_EQ(fact(evidence, "worker.no_new_privs"), "1");
  EXPECT_EQ(fact(evidence, "worker.cap_eff"), "0000000000000000");
  EXPECT_EQ(fact(evidence, "worker.uid"), ::geteuid() == 0 ? "65534" : std::to_string(::geteuid()));
  EXPECT_EQ(evidence.facts.size(), 13U);
  for (const EvidenceFact& each : evidence.facts) {
    EXPECT_EQ(each.basis, EvidenceBasis::kMeasured) << each.name;
    EXPECT_GE(each.observed_unix_ms, before) << each.name;
    EXPECT_LE(each.observed_unix_ms, unix_ms()) << each.name;
  }
}

TEST(WorkerEvidence, NamespacesAreStatedAsTheyAre) {
  WorkerFactory factory(worker_program(), "", 64);
  auto worker = factory.make();
  ASSERT_TRUE(worker) << worker.error().message;
  const bool permitted = namespaces_are_permitted();
  for (const std::string kind : {"user", "mnt", "net", "pid", "ipc", "uts", "cgroup"}) {
    const std::string value = fact(worker->evidence(), "worker.ns." + kind);
    const auto link = [&kind](const std::string& process) {
      return std::filesystem::read_symlink("/proc/" + process + "/ns/" + kind).string();
    };
    const std::string theirs = link(std::to_string(pid_of(*worker)));
    EXPECT_EQ(value, (theirs == link("self") ? "the host's " : "own ") + theirs) << kind;
    if (permitted) {
      EXPECT_TRUE(value.starts_with("own ")) << kind << ": " << value;
    }
  }
  if (permitted) {
    EXPECT_EQ(fact(worker->evidence(), "worker.root"), "empty");
  }
}

TEST(WorkerEvidence, EachWorkerIsMeasuredForItself) {
  WorkerFactory factory(worker_program(), "", 64);
  auto first = factory.make();
  auto second = factory.make();
  ASSERT_TRUE(first && second);
  EXPECT_NE(fact(first->evidence(), "worker.pid"), fact(second->evidence(), "worker.pid"));
}

TEST(WorkerEvidence, APlainProcessIsNone) {
  const Child child;
  const auto evidence = measure_worker(child.pidfd.get());
  ASSERT_TRUE(evidence) << evidence.error().message;
  EXPECT_EQ(evidence->tier, Isolation::kNone);
  EXPECT_EQ(fact(*evidence, "worker.seccomp"), "0");
  EXPECT_EQ(fact(*evidence, "worker.root"), "not empty");
  for (const std::string kind : {"user", "mnt", "net", "pid"}) {
    EXPECT_TRUE(fact(*evidence, "worker.ns." + kind).starts_with("the host's ")) << kind;
  }
}

TEST(WorkerEvidence, WhatIsJailedInPartIsNone) {
  const auto no_new_privs = [] { return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0; };
  const Child only_no_new_privs(no_new_privs);
  ASSERT_TRUE(only_no_new_privs.is_set_up);
  const auto evidence = measure_worker(only_no_new_privs.pidfd.get());
  ASSERT_TRUE(evidence);
  EXPECT_EQ(fact(*evidence, "worker.no_new_privs"), "1");
  EXPECT_EQ(evidence->tier, Isolation::kNone);

  if (::geteuid() != 0) return;  // the rest is about a process that keeps its capabilities
  const Child with_capabilities([&] { return no_new_privs() && allow_everything_filter(); });
  ASSERT_TRUE(with_capabilities.is_set_up);
  const auto capable = measure_worker(with_capabilities.pidfd.get());
  ASSERT_TRUE(capable);
  EXPECT_EQ(fact(*capable, "worker.seccomp"), "filter");
  EXPECT_NE(fact(*capable, "worker.cap_eff"), "0000000000000000");
  EXPECT_EQ(capable->tier, Isolation::kNone);

  const Child without_no_new_privs([] { return allow_everything_filter() && drop_capabilities(); });
  ASSERT_TRUE(without_no_new_privs.is_set_up);
  const auto privileged = measure_worker(without_no_new_privs.pidfd.get());
  ASSERT_TRUE(privileged);
  EXPECT_EQ(fact(*privileged, "worker.seccomp"), "filter");
  EXPECT_EQ(fact(*privileged, "worker.cap_eff"), "0000000000000000");
  EXPECT_EQ(fact(*privileged, "worker.no_new_privs"), "0");
  EXPECT_EQ(privileged->tier, Isolation::kNone);

  const Child without_a_filter([&] { return no_new_privs() && drop_capabilities(); });
  ASSERT_TRUE(without_a_filter.is_set_up);
  const auto unfiltered = measure_worker(without_a_filter.pidfd.get());
  ASSERT_TRUE(unfiltered);
  EXPECT_EQ(unfiltered->tier, Isolation::kNone);

  const Child with_all_three(
      [&] { return no_new_privs() && allow_everything_filter() && drop_capabilities(); });
  ASSERT_TRUE(with_all_three.is_set_up);
  const auto jailed = measure_worker(with_all_three.pidfd.get());
  ASSERT_TRUE(jailed);
  EXPECT_EQ(jailed->tier, Isolation::kProcess);
}

TEST(WorkerEvidence, AProcessThatHasEndedIsNotMeasured) {
  Child child;
  child.end();
  const auto evidence = measure_worker(child.pidfd.get());
  ASSERT_FALSE(evidence);
  EXPECT_EQ(evidence.error().code, ErrorCode::kNotReady);
  EXPECT_EQ(evidence.error().not_dispatched, NotDispatchedReason::kEnvironment);
}

TEST(WorkerEvidence, WhatIsNoPidfdIsNotMeasured) {
  const UniqueFd null(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  EXPECT_FALSE(measure_worker(null.get()));
  EXPECT_FALSE(measure_worker(-1));
  EXPECT_FALSE(measure_worker(1'000'000));
}

}  // namespace
}  // namespace plimsoll::wasm
