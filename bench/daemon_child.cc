#include "daemon_child.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include "base/unique_fd.h"

namespace plimsoll::bench {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

[[noreturn]] void fail(const std::string& what) {
  std::fprintf(stderr, "service_bench: %s\n", what.c_str());
  std::exit(1);
}

fs::path bin() { return fs::read_symlink("/proc/self/exe").parent_path().parent_path() / "bin"; }

// Starts a program with its standard output in a file and its errors in another.
pid_t spawn(const std::string& program, std::vector<std::string> args,
            std::vector<std::string> environment, const std::string& out) {
  args.insert(args.begin(), program);
  std::vector<char*> argv;
  for (std::string& arg : args) argv.push_back(arg.data());
  argv.push_back(nullptr);
  std::vector<char*> envp;
  for (std::string& variable : environment) envp.push_back(variable.data());
  envp.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, out.c_str(),
                                     O_WRONLY | O_CREAT | O_TRUNC, 0600);
  const std::string errors = out + ".err";
  ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, errors.c_str(),
                                     O_WRONLY | O_CREAT | O_TRUNC, 0600);
  pid_t pid = -1;
  const int error =
      ::posix_spawn(&pid, program.c_str(), &actions, nullptr, argv.data(), envp.data());
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0) fail(program + " does not start");
  return pid;
}

sockaddr_in loopback(unsigned port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  return address;
}

unsigned free_port() {
  const UniqueFd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address = loopback(0);
  socklen_t size = sizeof address;
  auto* any = reinterpret_cast<sockaddr*>(&address);
  if (::bind(fd.get(), any, size) != 0 || ::getsockname(fd.get(), any, &size) != 0) {
    fail("no port is free");
  }
  return ntohs(address.sin_port);
}

bool listens(unsigned port) {
  const UniqueFd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const sockaddr_in address = loopback(port);
  return ::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

double kib_of(const fs::path& rollup, const std::string& row) {
  std::ifstream file(rollup);
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(row)) return std::strtod(line.c_str() + row.size(), nullptr);
  }
  return 0;
}

// A process and all of its descendants.
double family_kib(pid_t pid, const std::string& row) {
  const fs::path proc = fs::path("/proc") / std::to_string(pid);
  double sum = kib_of(proc / "smaps_rollup", row);
  std::error_code gone;
  for (const auto& task : fs::directory_iterator(proc / "task", gone)) {
    std::ifstream children(task.path() / "children");
    for (pid_t child = 0; children >> child;) sum += family_kib(child, row);
  }
  return sum;
}

}  // namespace

DaemonChild::DaemonChild(std::string_view provider) : port_(free_port()) {
  std::string name = (fs::temp_directory_path() / "plimsoll-bench-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) fail("no temporary folder");
  folder_ = name;
  const std::string clients = folder_ + "/clients.json";
  const std::string out = folder_ + "/token";
  const pid_t maker = spawn(bin() / "plimsoll-clients",
                            {"create", "-file", clients, "-id", "bench", "-token-stdout"}, {}, out);
  int status = 0;
  if (::waitpid(maker, &status, 0) != maker || status != 0) fail("plimsoll-clients failed");
  std::ifstream(out) >> token_;

  const auto begin = Clock::now();
  pid_ = spawn(
      bin() / "plimsolld", {},
      {"SANDBOX_PROVIDER=" + std::string(provider), "SANDBOX_WASM_POOL=2", "SANDBOX_MICROVM_POOL=2",
       "SANDBOX_RATE_PER_MIN=0", "SANDBOX_MAX_CONCURRENT=32", "SANDBOX_PER_KEY_CONCURRENT=32",
       "PLIMSOLL_CLIENTS_FILE=" + clients, "PLIMSOLL_ADDR=127.0.0.1:" + std::to_string(port_),
       "PLIMSOLL_METRICS_ADDR=127.0.0.1:" + std::to_string(free_port())},
      folder_ + "/audit");
  while (!listens(port_)) {
    if (::waitpid(pid_, &status, WNOHANG) != 0 || Clock::now() - begin > std::chrono::seconds(30)) {
      fail("plimsolld does not listen; its words are in " + folder_);
    }
    std::this_thread::sleep_for(std::chrono::microseconds(500));
  }
  start_ = Clock::now() - begin;
}

DaemonChild::~DaemonChild() {
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
  std::error_code left;
  fs::remove_all(folder_, left);
}

std::string DaemonChild::url() const { return "http://127.0.0.1:" + std::to_string(port_); }

double DaemonChild::memory_kib(const std::string& row) const {
  return kib_of(fs::path("/proc") / std::to_string(pid_) / "smaps_rollup", row);
}

double DaemonChild::private_kib() const {
  return memory_kib("Private_Clean:") + memory_kib("Private_Dirty:");
}

double DaemonChild::family_pss_kib() const { return family_kib(pid_, "Pss:"); }

}  // namespace plimsoll::bench
