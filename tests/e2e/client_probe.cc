// The client library against a real service, as client_test.py tells it:
//   client_probe URL TOKEN_FILE CA_FILE|- 1|2 bytes|parallel|cancel|retry|again|unsent
// Says on standard output what happened, a word a line.
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "plimsoll/client.h"
#include "plimsoll/client_retry.h"

namespace {

using plimsoll::Client;
using plimsoll::ClientError;

void say(std::string_view word) {
  std::printf("%.*s\n", static_cast<int>(word.size()), word.data());
}

void say(const ClientError& error) {
  say(to_string(error.code));
  say(error.not_dispatched ? to_string(*error.not_dispatched) : std::string_view("may-have-run"));
  std::fprintf(stderr, "%s\n", error.message.c_str());
}

std::string every_byte() {
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes += static_cast<char>(i);
  return bytes;
}

int bytes(Client& client) {
  const auto answer = client.run_javascript(
      {.code = "const a = Uint8Array.from({length: 256}, (_, i) => i);"
               "process.stdout.write(a); process.stderr.write(a.reverse()); process.exit(7);",
       .minimum_isolation = plimsoll::Isolation::kProcess});
  if (!answer) {
    say(answer.error());
    return 1;
  }
  const std::string all = every_byte();
  const bool exact = answer->outcome.stdout_bytes == all &&
                     answer->outcome.stderr_bytes == std::string(all.rbegin(), all.rend());
  say(exact && answer->outcome.exit_code == 7 ? "exact" : "altered");
  say(to_string(answer->outcome.evidence.tier));
  return 0;
}

int parallel(Client& client) {
  constexpr int kThreads = 8;
  constexpr int kRuns = 25;
  std::atomic<int> right = 0;
  {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < kThreads; ++thread) {
      threads.emplace_back([&, thread] {
        for (int i = 0; i < kRuns; ++i) {
          const std::string word = std::to_string(thread) + "-" + std::to_string(i);
          const auto answer = client.run_javascript({.code = "console.log('" + word + "')"});
          if (answer && answer->outcome.stdout_bytes == word + "\n") ++right;
        }
      });
    }
  }
  say(right == kThreads * kRuns ? "all" : "some");
  return 0;
}

// The run is given up when a byte arrives on standard input.
int cancel(Client& client) {
  std::stop_source stop;
  std::chrono::steady_clock::time_point asked;
  const std::jthread waiter([&] {
    std::array<char, 1> byte{};
    if (::read(STDIN_FILENO, byte.data(), 1) < 0) return;
    asked = std::chrono::steady_clock::now();
    stop.request_stop();
  });
  const auto answer = client.run_javascript(
      {.code = "for (;;);", .timeout = plimsoll::Millis(30'000)}, {.cancel = stop.get_token()});
  if (answer) return 1;
  say(answer.error());
  say(std::chrono::steady_clock::now() - asked < std::chrono::seconds(5) ? "promptly" : "late");
  return 0;
}

int retry(Client& client) {
  const auto answer = plimsoll::run_with_retry(
      client, {.code = "console.log(42)", .timeout = plimsoll::Millis(200)},
      {.attempts = 100,
       .max_backoff = plimsoll::Millis(600'000),
       .deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60)});
  if (!answer) {
    say(answer.error());
    return 1;
  }
  say(answer->outcome.stdout_bytes == "42\n" ? "42" : "altered");
  return 0;
}

// One call, and another one when a byte arrives on standard input.
int again(Client& client) {
  for (int i = 0; i < 2; ++i) {
    const auto answer = client.run_javascript({.code = "console.log(42)"});
    if (answer) {
      say("answered");
    } else {
      say(answer.error());
    }
    std::fflush(stdout);
    std::array<char, 1> byte{};
    if (i == 0 && ::read(STDIN_FILENO, byte.data(), 1) != 1) return 1;
  }
  return 0;
}

// One call that fails.
int unsent(Client& client) {
  const auto answer = client.run_javascript({.code = "1"});
  if (answer) return 1;
  say(answer.error());
  return 0;
}

int act(std::string_view action, Client& client) {
  if (action == "bytes") return bytes(client);
  if (action == "parallel") return parallel(client);
  if (action == "cancel") return cancel(client);
  if (action == "retry") return retry(client);
  if (action == "again") return again(client);
  return action == "unsent" ? unsent(client) : 2;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> args(argv + 1, argv + argc);
  if (args.size() != 5) return 2;
  auto token = plimsoll::BearerToken::from_file(args[1]);
  if (!token) {
    std::fprintf(stderr, "%s\n", token.error().message.c_str());
    return 2;
  }
  auto client = Client::build({.base_url = args[0],
                               .token = *token,
                               .ca_file = args[2] == "-" ? std::string() : args[2],
                               .http_version = args[3] == "2" ? plimsoll::HttpVersion::kHttp2
                                                              : plimsoll::HttpVersion::kHttp1});
  if (!client) {
    std::fprintf(stderr, "%s\n", client.error().message.c_str());
    return 2;
  }
  return act(args[4], *client);
}
