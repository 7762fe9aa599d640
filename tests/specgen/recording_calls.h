// Answers every call of a granted run at once, and remembers what was asked.
#pragma once

#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/unique_fd.h"
#include "guest/host_calls.h"

namespace plimsoll::specgen {

struct Asked {
  std::string method;
  std::string target;
  std::optional<std::string> body;
};

class RecordingCalls final : public guest::HostCalls {
 public:
  void begin(const guest::HostCall& call) override {
    asked.push_back({.method = std::string(call.method),
                     .target = std::string(call.target),
                     .body = call.has_body ? std::optional(std::string(call.body)) : std::nullopt});
    answers_.push_back({.id = call.id,
                        .status = 200,
                        .content_type = "application/json",
                        .body = R"({"ok":true})"});
    const std::uint64_t one = 1;
    EXPECT_EQ(::write(fd_.get(), &one, sizeof one), static_cast<ssize_t>(sizeof one));
  }
  [[nodiscard]] int ready_fd() const noexcept override { return fd_.get(); }
  [[nodiscard]] std::optional<guest::HostAnswer> next_answer() override {
    std::uint64_t count = 0;
    const ssize_t got = ::read(fd_.get(), &count, sizeof count);
    EXPECT_TRUE(got == sizeof count || got == -1);
    if (answers_.empty()) return std::nullopt;
    guest::HostAnswer answer = std::move(answers_.front());
    answers_.pop_front();
    return answer;
  }

  std::vector<Asked> asked;

 private:
  UniqueFd fd_{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
  std::deque<guest::HostAnswer> answers_;
};

}  // namespace plimsoll::specgen
