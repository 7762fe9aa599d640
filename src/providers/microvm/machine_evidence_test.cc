// What the host sees of a real monitor, and what it makes of a process that is none.
#include "providers/microvm/machine_evidence.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <stop_token>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/fd_message.h"
#include "providers/jailed/worker_factory.h"
#include "providers/microvm/kvm_statistics.h"
#include "providers/microvm/vmm_program.h"

namespace plimsoll::microvm {
namespace {

constexpr guest::RunHeader kRun{.timeout_us = 5'000'000,
                                .output_cap = 65'536,
                                .flood_bytes = 1 << 20,
                                .memory_bytes = std::uint64_t{64} << 20};

// KVM_CREATE_VCPU of linux/kvm.h, whose structures have other sizes in C++ (microvm/kvm_abi.h).
constexpr unsigned long kCreateVcpu = 0xae41;

std::string fact(const IsolationEvidence& evidence, std::string_view name) {
  for (const EvidenceFact& one : evidence.facts) {
    if (one.name == name) return one.value;
  }
  return "(no such fact)";
}

class MachineEvidence : public ::testing::Test {
 protected:
  void SetUp() override {
    if (::access("/dev/kvm", R_OK | W_OK) != 0) GTEST_SKIP() << "no /dev/kvm that may be opened";
  }
  jailed::WorkerProcess make() {
    auto machine = factory_.make();
    if (!machine) throw std::runtime_error(machine.error().message);
    return *std::move(machine);
  }
  jailed::WorkerFactory factory_{vmm_program(), "", 64};
};

TEST_F(MachineEvidence, OfAMonitorTheTierIsVm) {
  const jailed::WorkerProcess machine = make();
  const IsolationEvidence& evidence = machine.evidence();
  EXPECT_EQ(evidence.tier, Isolation::kVm);
  EXPECT_TRUE(fact(evidence, "vm.backend").starts_with("kvm/"));
  EXPECT_EQ(fact(evidence, "vmm.kvm"), "vm vcpu");
  EXPECT_EQ(fact(evidence, "vmm.exe"), "sha256:" + std::string(vmm_program().sha256));
  EXPECT_TRUE(fact(evidence, "vm.id").ends_with("/vcpu-0"));
  for (const EvidenceFact& one : evidence.facts) EXPECT_EQ(one.basis, EvidenceBasis::kMeasured);
}

TEST_F(MachineEvidence, EveryRunMovesTheCountOfExits) {
  jailed::WorkerProcess machine = make();
  EXPECT_EQ(fact(machine.evidence(), "vm.exits"), "(no such fact)");
  for (int i = 0; i < 5; ++i) {
    const auto report = machine.run(kRun, {.code = "console.log(6*7)"});
    EXPECT_EQ(report.stdout_bytes, "42\n");
    EXPECT_FALSE(machine.doubt());
    EXPECT_GT(std::stoul(fact(machine.evidence(), "vm.exits")), 0U);
  }
  std::size_t counts = 0;
  for (const EvidenceFact& one : machine.evidence().facts)
    counts += one.name == "vm.exits" ? 1U : 0U;
  EXPECT_EQ(counts, 1U);
}

// The descriptors of this process whose link has `kind` in it.
std::vector<int> own_descriptors(std::string_view kind) {
  std::vector<int> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code closed_since;
    const std::string link = std::filesystem::read_symlink(entry, closed_since);
    if (link.starts_with("anon_inode:") && link.find(kind) != std::string::npos)
      found.push_back(std::stoi(entry.path().filename()));
  }
  return found;
}

TEST_F(MachineEvidence, CountersAreHeldTogetherWithTheirMachineWhichOnlyItsMakerRuns) {
  {
    jailed::WorkerProcess machine = make();
    const std::vector<int> held = own_descriptors("kvm-vm");
    ASSERT_EQ(held.size(), 1U);
    EXPECT_EQ(own_descriptors("kvm-vcpu-stats").size(), 1U);
    errno = 0;
    EXPECT_EQ(::ioctl(held[0], kCreateVcpu, 1), -1);
    EXPECT_EQ(errno, EIO);
    // Killed while its counters are open, and then read.
    std::stop_source stop;
    stop.request_stop();
    (void)machine.run(kRun, {.code = "for (;;);"}, stop.get_token());
    EXPECT_EQ(own_descriptors("kvm-vm").size(), 1U);
  }
  EXPECT_TRUE(own_descriptors("kvm-vm").empty());
  EXPECT_TRUE(own_descriptors("kvm-vcpu-stats").empty());
}

// Sends descriptors that nobody receives, as the user of the monitors, until it is told to end.
class Litter {
 public:
  explicit Litter(uid_t user) : child_(::fork()) {
    if (child_ != 0) return;
    std::array<int, 2> ends{};
    const std::array fds{STDIN_FILENO, STDIN_FILENO};
    const std::byte nothing{};
    if (::setresuid(user, user, user) != 0 ||
        ::socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
      ::_exit(1);
    }
    for (int i = 0; i < 8; ++i) {
      if (send_message(ends[0], {&nothing, 1}, fds) != 0) ::_exit(1);
    }
    (void)::raise(SIGSTOP);  // says that it is done
    ::usleep(200'000);
    ::_exit(0);
  }
  ~Litter() {
    ::kill(child_, SIGKILL);
    ::waitpid(child_, nullptr, 0);
  }
  Litter(const Litter&) = delete;
  Litter& operator=(const Litter&) = delete;
  // Waits until all of it is on its way, and lets the rest of its time begin.
  [[nodiscard]] bool lies_there() const {
    int status = 0;
    return ::waitpid(child_, &status, WUNTRACED) == child_ && WIFSTOPPED(status) &&
           ::kill(child_, SIGCONT) == 0;
  }

 private:
  pid_t child_;
};

TEST_F(MachineEvidence, DescriptorsOfOthersThatAreOnTheirWayOnlyDelayAMachine) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root becomes the monitors' user";
  const auto user = static_cast<uid_t>(std::stoul(fact(make().evidence(), "vmm.uid")));
  const Litter litter(user);
  ASSERT_TRUE(litter.lies_there());
  jailed::WorkerProcess machine = make();
  EXPECT_EQ(machine.run(kRun, {.code = "console.log(6*7)"}).stdout_bytes, "42\n");
}

TEST_F(MachineEvidence, ALongRunSaysHowMuchTimeTheKernelCountedInTheGuest) {
  jailed::WorkerProcess machine = make();
  (void)machine.run(kRun, {.code = "const t = Date.now(); while (Date.now() - t < 300);"});
  EXPECT_NE(fact(machine.evidence(), "vm.guest_time_ticks"), "(no such fact)");
  (void)machine.run(kRun, {.code = "6*7"});
}

TEST_F(MachineEvidence, EachForbiddenActKillsTheMonitor) {
  constexpr std::uint8_t kNoSuchAct = 2;
  unsigned act = 1;
  for (;; ++act) {
    jailed::WorkerProcess machine = make();
    const auto answer = machine.probe(static_cast<std::uint8_t>(act), std::chrono::seconds{30});
    if (answer == kNoSuchAct) break;
    EXPECT_EQ(answer, std::nullopt) << "act " << act;
    EXPECT_TRUE(factory_.bury(std::move(machine)).starts_with("signal 31 ")) << "act " << act;
  }
  EXPECT_GT(act, 10U);
}

TEST_F(MachineEvidence, AReadyMachineHasAtMostTwelveMegabytesOfItsOwn) {
  jailed::WorkerProcess machine = make();
  const auto private_kib = [&machine] {
    std::ifstream rollup("/proc/" + fact(machine.evidence(), "vmm.pid") + "/smaps_rollup");
    long total = 0;
    for (std::string line; std::getline(rollup, line);) {
      if (line.starts_with("Private_")) total += std::stol(line.substr(line.find(':') + 1));
    }
    return total;
  };
  constexpr long kLimitKib = 12L * 1024;
  EXPECT_GT(private_kib(), 0);
  EXPECT_LE(private_kib(), kLimitKib);
  (void)machine.run(kRun, {.code = "new Uint8Array(30 << 20).fill(1).length"});
  EXPECT_EQ(machine.run(kRun, {.code = "console.log(6*7)"}).stdout_bytes, "42\n");
  EXPECT_LE(private_kib(), kLimitKib);
}

TEST_F(MachineEvidence, AProcessThatIsNoMonitorIsNoMachine) {
  const jailed::WorkerProcess machine = make();
  const UniqueFd self(static_cast<int>(::syscall(SYS_pidfd_open, ::getpid(), 0)));
  const UniqueFd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  // No counters, or what only looks like them.
  EXPECT_FALSE(measure_machine({.pidfd = self.get(), .program = null.get()}));
  EXPECT_FALSE(
      measure_machine({.pidfd = self.get(),
                       .program = null.get(),
                       .attached = {UniqueFd(::dup(null.get())), UniqueFd(::dup(null.get()))}}));
  EXPECT_FALSE(KvmStatistics::open(UniqueFd(::dup(null.get())), UniqueFd(::dup(null.get()))));
  EXPECT_FALSE(KvmStatistics::open(UniqueFd(), UniqueFd()));
}

}  // namespace
}  // namespace plimsoll::microvm
