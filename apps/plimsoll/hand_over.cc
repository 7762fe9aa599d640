#include "hand_over.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <string>
#include <vector>

#include "exit_codes.h"
#include "output.h"

namespace plimsoll::cli {
namespace {

constexpr std::string_view kProgram = "plimsoll-remote";

// Never by PATH: what stands there first may be anything.
std::string beside_this_program() {
  std::array<char, PATH_MAX> path{};
  const ssize_t size = ::readlink("/proc/self/exe", path.data(), path.size());
  if (size <= 0) return {};
  std::string beside(path.data(), static_cast<std::size_t>(size));
  beside.resize(beside.rfind('/') + 1);
  return beside.append(kProgram);
}

}  // namespace

int hand_over(std::string_view command, std::span<const std::string_view> args) {
  std::vector<std::string> words = {"plimsoll", std::string(command)};
  words.insert(words.end(), args.begin(), args.end());
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const std::string program = beside_this_program();
  ::execv(program.c_str(), argv.data());
  say(fmt::format("{} beside this program cannot be started: {}", kProgram, describe_errno(errno)));
  return kExitInvalidConfig;
}

}  // namespace plimsoll::cli
