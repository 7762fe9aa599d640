// Starts plimsolld with a caller of its own, and speaks to it as an agent would: a run that is
// answered, one that is refused for its floor, one for its token. Each refusal has to be the one
// that is expected, by its code and its reason; anything else is exit code 1.
// Usage: daemon PLIMSOLLD PLIMSOLL_CLIENTS
#include <fcntl.h>
#include <fmt/format.h>
#include <plimsoll/client.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

using plimsoll::ErrorCode;
using plimsoll::NotDispatchedReason;

// A new folder, removed with all that is in it.
struct Folder {
  std::string path = std::filesystem::temp_directory_path() / "plimsoll-example-XXXXXX";
  Folder() {
    if (::mkdtemp(path.data()) == nullptr) path.clear();
  }
  Folder(Folder&&) = delete;
  ~Folder() {
    std::error_code ignored;
    if (!path.empty()) std::filesystem::remove_all(path, ignored);
  }
};

// A child that is asked to end, and waited for, when this goes.
class Child {
 public:
  // Its standard output goes to the file `output`, what it says to `output`.log; both new, for us
  // alone.
  Child(std::vector<std::string> words, std::vector<std::string> variables,
        const std::string& output) {
    posix_spawn_file_actions_t actions{};
    ::posix_spawn_file_actions_init(&actions);
    constexpr int kNew = O_WRONLY | O_CREAT | O_EXCL;
    const std::string log = output + ".log";
    ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output.c_str(), kNew, 0600);
    ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, log.c_str(), kNew, 0600);
    const int error = ::posix_spawn(&pid_, words[0].c_str(), &actions, nullptr,
                                    pointers(words).data(), pointers(variables).data());
    ::posix_spawn_file_actions_destroy(&actions);
    if (error != 0) pid_ = 0;
  }
  Child(Child&&) = delete;
  ~Child() {
    terminate();
    (void)ended_well();
  }
  void terminate() const {
    if (pid_ > 0) ::kill(pid_, SIGTERM);
  }
  // Waits for its end. True: exit code 0.
  bool ended_well() {
    int status = -1;
    const pid_t ending = std::exchange(pid_, 0);
    return ending > 0 && ::waitpid(ending, &status, 0) == ending && status == 0;
  }

 private:
  static std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> result(texts.size() + 1);  // the last one stays null
    std::ranges::transform(texts, result.begin(), [](std::string& text) { return text.data(); });
    return result;
  }
  pid_t pid_ = 0;
};

// The port that the daemon says it listens on, within 20 s; 0: it does not.
int port_in(const std::string& log) {
  for (int tries = 0; tries < 2'000; ++tries) {
    std::ostringstream text;
    text << std::ifstream(log).rdbuf();
    const auto at = text.str().find("\"port\":");
    if (at != std::string::npos && text.str().ends_with('\n')) {
      return std::stoi(text.str().substr(at + 7));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return 0;
}

bool refused_as(const plimsoll::ClientResult<plimsoll::RemoteOutcome>& answer, ErrorCode code,
                NotDispatchedReason reason) {
  if (answer) return false;
  const auto& error = answer.error();
  fmt::print("refused: {} ({}): {}\n", to_string(error.code),
             error.not_dispatched ? to_string(*error.not_dispatched) : "may have run",
             error.message);
  return error.code == code && error.not_dispatched == reason;
}

int fail(std::string_view what) {
  fmt::print(stderr, "daemon: {}\n", what);
  return 1;
}
}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return fail("usage: daemon PLIMSOLLD PLIMSOLL_CLIENTS");
  const Folder folder;
  const std::string registry = folder.path + "/clients.json";
  const std::string token_file = folder.path + "/token";
  Child clients({argv[2], "create", "-file", registry, "-id", "agent", "-token-stdout"}, {},
                token_file);
  if (!clients.ended_well()) return fail("no caller could be made");
  Child daemon({argv[1]},
               {"SANDBOX_PROVIDER=wasm", "PLIMSOLL_CLIENTS_FILE=" + registry,
                "PLIMSOLL_ADDR=127.0.0.1:0", "PLIMSOLL_METRICS_ADDR=off"},
               folder.path + "/audit");
  const int port = port_in(folder.path + "/audit.log");
  if (port == 0) return fail("the daemon does not listen");
  const auto token = plimsoll::BearerToken::from_file(token_file);
  const auto wrong = plimsoll::BearerToken::from_text("not-the-token");
  if (!token || !wrong) return fail("no token");
  const std::string url = fmt::format("http://127.0.0.1:{}", port);
  auto agent = plimsoll::Client::build({.base_url = url, .token = *token});
  auto stranger = plimsoll::Client::build({.base_url = url, .token = *wrong});
  if (!agent || !stranger) return fail("no client");
  plimsoll::RunRequest request;
  request.code = "console.log(6 * 7)";
  request.minimum_isolation = plimsoll::Isolation::kProcess;
  const auto answer = agent->run_javascript(request);
  if (!answer) return fail(answer.error().message);
  const auto& outcome = answer->outcome;
  fmt::print("ran behind {}: {}", to_string(outcome.evidence.tier), outcome.stdout_bytes);
  if (outcome.stdout_bytes != "42\n" || outcome.exit_code != 0) return fail("another result");

  const bool unknown = refused_as(stranger->run_javascript(request), ErrorCode::kUnauthenticated,
                                  NotDispatchedReason::kPermission);
  request.minimum_isolation = plimsoll::Isolation::kVm;
  const bool too_weak = refused_as(agent->run_javascript(request), ErrorCode::kIsolation,
                                   NotDispatchedReason::kIsolation);
  daemon.terminate();
  if (!daemon.ended_well()) return fail("the daemon did not end well");
  return unknown && too_weak ? 0 : fail("another refusal than was expected");
}
