#include "providers/microvm/machine_evidence.h"

#include <dirent.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include "providers/jailed/failure.h"
#include "providers/jailed/process_facts.h"
#include "providers/microvm/kvm_backend.h"
#include "providers/microvm/kvm_statistics.h"
#include "providers/proc_files.h"

namespace plimsoll::microvm {

namespace {

// From here on a run is long enough for the kernel's clock ticks to say something.
constexpr std::chrono::milliseconds kTickWorthy{50};

// The kernel's count of ticks that a process has spent in guests (proc(5), the 43rd field of stat).
std::optional<std::uint64_t> guest_ticks(const std::string& pid) {
  const auto stat = read_small_file("/proc/" + pid + "/stat");
  if (!stat) return std::nullopt;
  const auto name_end = stat->rfind(')');
  if (name_end == std::string::npos) return std::nullopt;
  std::istringstream fields(stat->substr(name_end + 1));
  std::string field;
  constexpr int kGuestTime = 43 - 2;  // the first two are before
  for (int i = 0; i < kGuestTime; ++i) {
    if (!(fields >> field)) return std::nullopt;
  }
  return std::strtoull(field.c_str(), nullptr, 10);
}

class MachineMeter final : public jailed::RunMeter {
 public:
  // `pidfd` is the owner's, which outlives this.
  MachineMeter(KvmStatistics statistics, std::string pid, int pidfd)
      : statistics_(std::move(statistics)), pid_(std::move(pid)), pidfd_(pidfd) {}

  void begin() noexcept override { before_ = statistics_.exits(); }

  [[nodiscard]] Result<void> end(IsolationEvidence& evidence,
                                 std::chrono::microseconds duration) override {
    // What the run before this one left says nothing of it.
    std::erase_if(evidence.facts, [](const EvidenceFact& fact) {
      return fact.name == "vm.exits" || fact.name == "vm.guest_time_ticks";
    });
    const auto after = statistics_.exits();
    if (!before_ || !after || *after <= *before_) {
      return jailed::lost(
          "KVM's count of the machine's exits did not move during the run: what ran, if anything "
          "did, was not in the machine");
    }
    jailed::Facts::replace(evidence, "vm.exits", fmt::format("{}", *after - *before_));
    if (duration < kTickWorthy) return {};
    // Alive after it was read, so that the number was no other process's.
    if (const auto ticks = guest_ticks(pid_); ticks && jailed::still_alive(pidfd_)) {
      jailed::Facts::replace(evidence, "vm.guest_time_ticks", fmt::format("{}", *ticks));
    }
    return {};
  }

 private:
  KvmStatistics statistics_;
  std::string pid_;
  int pidfd_;
  std::optional<std::uint64_t> before_;
};

// Which of a machine's descriptors the process holds: "vm vcpu" when both.
std::string kvm_descriptors(const std::string& pid) {
  struct Close {
    void operator()(DIR* directory) const noexcept { ::closedir(directory); }
  };
  const std::string path = "/proc/" + pid + "/fd";
  const std::unique_ptr<DIR, Close> directory(::opendir(path.c_str()));
  if (directory == nullptr) return "unknown";
  bool vm = false;
  bool vcpu = false;
  while (const dirent* entry = ::readdir(directory.get())) {
    const std::string target = link_text(path + "/" + entry->d_name);
    vm = vm || target == "anon_inode:kvm-vm";
    vcpu = vcpu || target.starts_with("anon_inode:kvm-vcpu:");
  }
  return vm && vcpu ? "vm vcpu" : vm ? "vm" : vcpu ? "vcpu" : "none";
}

bool executes(const std::string& pid, int program) noexcept {
  struct stat theirs{};
  struct stat ours{};
  return ::stat(("/proc/" + pid + "/exe").c_str(), &theirs) == 0 && ::fstat(program, &ours) == 0 &&
         theirs.st_dev == ours.st_dev && theirs.st_ino == ours.st_ino;
}

}  // namespace

Result<jailed::Measured> measure_machine(jailed::ReadyProcess ready) {
  auto& [counters, machine] = ready.attached;
  auto statistics = KvmStatistics::open(std::move(counters), std::move(machine));
  if (!statistics) return std::unexpected(std::move(statistics).error());
  jailed::Facts facts;
  const KvmBackend backend = measure_backend();
  facts.add("vm.backend", backend.name.empty() ? "unknown" : backend.name);
  facts.add("vm.nested", backend.nested.empty() ? "unknown" : backend.nested);
  facts.add("vm.id", statistics->id());
  const auto process = jailed::measure_process(ready.pidfd, "vmm.", facts);
  if (!process) return std::unexpected(process.error());
  const std::string descriptors = kvm_descriptors(process->pid);
  facts.add("vmm.kvm", descriptors);
  const bool ours = executes(process->pid, ready.program);
  facts.add("vmm.exe", !ours                  ? "another"
                       : ready.sha256.empty() ? "the installed file"
                                              : fmt::format("sha256:{}", ready.sha256));
  // Only now is it sure that all of this was about one process.
  if (!jailed::still_alive(ready.pidfd)) {
    return jailed::not_ready("the monitor ended while it was measured");
  }
  const bool holds = process->jailed && descriptors == "vm vcpu" && ours && !backend.name.empty();
  facts.evidence.tier = holds ? Isolation::kVm : Isolation::kNone;
  return jailed::Measured{
      .evidence = std::move(facts.evidence),
      .meter = std::make_unique<MachineMeter>(std::move(*statistics), process->pid, ready.pidfd)};
}

}  // namespace plimsoll::microvm
