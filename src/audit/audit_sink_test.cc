#include "audit/audit_sink.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <functional>
#include <thread>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/manual_clock.h"
#include "base/unique_fd.h"

namespace plimsoll {
namespace {

using std::chrono_literals::operator""s;
using std::chrono_literals::operator""ms;
using Json = nlohmann::json;

struct Pipe {
  UniqueFd reader;
  UniqueFd writer;
};

Pipe make_pipe() {
  std::array<int, 2> fds{};
  EXPECT_EQ(::pipe2(fds.data(), O_CLOEXEC), 0);
  return {.reader = UniqueFd(fds[0]), .writer = UniqueFd(fds[1])};
}

AuditLine numbered(std::uint64_t number, AuditOutcome outcome = AuditOutcome::kOk) {
  AuditLine line;
  line.caller = "ann";
  line.request.code_bytes = number;
  line.outcome = outcome;
  return line;
}

// All that comes until the other end is closed, one line each.
std::vector<std::string> read_lines(int fd) {
  std::string all;
  char buffer[4096];
  while (true) {
    const ssize_t got = ::read(fd, buffer, sizeof buffer);
    if (got <= 0) break;
    all.append(buffer, static_cast<std::size_t>(got));
  }
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < all.size();) {
    const auto end = all.find('\n', at);
    EXPECT_NE(end, std::string::npos) << "a line without its end";
    lines.push_back(all.substr(at, end - at));
    at = end == std::string::npos ? all.size() : end + 1;
  }
  return lines;
}

bool within(std::chrono::milliseconds patience, const std::function<bool()>& holds) {
  const auto until = std::chrono::steady_clock::now() + patience;
  while (!holds()) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::sleep_for(5ms);
  }
  return true;
}

class AuditSinkTest : public testing::Test {
 protected:
  AuditSinkTest() { std::signal(SIGPIPE, SIG_IGN); }
  ManualClock clock_;
};

TEST_F(AuditSinkTest, LinesAreWholeAndInOrder) {
  Pipe pipe = make_pipe();
  std::vector<std::string> lines;
  std::thread reader([&] { lines = read_lines(pipe.reader.get()); });
  {
    FdAuditSink sink(pipe.writer.get(), clock_, {.flush_patience = 60s});
    for (std::uint64_t i = 0; i < 2000; ++i) {
      sink.write(numbered(i));
      if (i % 1000 == 999) {
        EXPECT_TRUE(within(10s, [&] { return sink.accepts(); }));
      }
    }
  }
  pipe.writer.reset();
  reader.join();
  ASSERT_EQ(lines.size(), 2000U);
  for (std::uint64_t i = 0; i < lines.size(); ++i)
    EXPECT_EQ(Json::parse(lines[i])["code_bytes"], i);
}

TEST_F(AuditSinkTest, ALineIsThereWhenWriteReturns) {
  Pipe pipe = make_pipe();
  ASSERT_EQ(::fcntl(pipe.reader.get(), F_SETFL, O_NONBLOCK), 0);
  FdAuditSink sink(pipe.writer.get(), clock_, {.slow_write = 3600s});
  for (std::uint64_t i = 0; i < 100; ++i) {
    const AuditLine line = numbered(i);
    sink.write(line);
    std::string bytes(kMaxAuditLineBytes, 0);
    const ssize_t got = ::read(pipe.reader.get(), bytes.data(), bytes.size());
    ASSERT_GT(got, 0) << i;
    bytes.resize(static_cast<std::size_t>(got));
    EXPECT_EQ(bytes, to_json_line(line));
  }
}

TEST_F(AuditSinkTest, ThreadsDoNotMixTheirLines) {
  Pipe pipe = make_pipe();
  std::vector<std::string> lines;
  std::thread reader([&] { lines = read_lines(pipe.reader.get()); });
  {
    FdAuditSink sink(pipe.writer.get(), clock_, {.flush_patience = 60s});
    std::vector<std::thread> writers;
    for (std::uint64_t t = 0; t < 4; ++t) {
      writers.emplace_back([&sink, t] {
        for (std::uint64_t i = 0; i < 250; ++i) sink.write(numbered(t * 1000 + i));
      });
    }
    for (std::thread& writer : writers) writer.join();
  }
  pipe.writer.reset();
  reader.join();
  ASSERT_EQ(lines.size(), 1000U);
  std::array<std::uint64_t, 4> next{};
  for (const std::string& line : lines) {
    const auto number = Json::parse(line)["code_bytes"].get<std::uint64_t>();
    EXPECT_EQ(number % 1000, next[number / 1000]++);
  }
}

TEST_F(AuditSinkTest, AReaderThatStallsStopsRunsAndLosesNoRunsLine) {
  Pipe pipe = make_pipe();
  ASSERT_GT(::fcntl(pipe.writer.get(), F_SETPIPE_SZ, 4096), 0);
  std::vector<std::string> lines;
  std::uint64_t dropped = 0;
  std::thread reader;
  {
    FdAuditSink sink(pipe.writer.get(), clock_,
                     {.accept_below = 20, .keep = 200, .flush_patience = 10s});
    EXPECT_TRUE(sink.accepts());
    for (std::uint64_t i = 0; i < 100; ++i) sink.write(numbered(i));
    EXPECT_FALSE(sink.accepts());
    for (std::uint64_t i = 0; i < 50; ++i) sink.write(numbered(i, AuditOutcome::kRefused));
    dropped = sink.dropped();
    EXPECT_EQ(dropped, 50U);
    reader = std::thread([&] { lines = read_lines(pipe.reader.get()); });
    EXPECT_TRUE(within(10s, [&] { return sink.accepts(); }));
    sink.write(numbered(100));
  }
  pipe.writer.reset();
  reader.join();
  std::vector<std::uint64_t> numbers;
  std::uint64_t told = 0;
  for (const std::string& text : lines) {
    const Json line = Json::parse(text);
    if (line["event"] == "audit_lines_dropped") {
      told += line["count"].get<std::uint64_t>();
    } else {
      numbers.push_back(line["code_bytes"]);
    }
  }
  EXPECT_EQ(told, dropped);
  ASSERT_EQ(numbers.size(), 101U);
  for (std::uint64_t i = 0; i <= 100; ++i) EXPECT_EQ(numbers[i], i);
}

TEST_F(AuditSinkTest, WhatWasDroppedIsToldThoughNothingIsWrittenAfterIt) {
  Pipe pipe = make_pipe();
  ASSERT_GT(::fcntl(pipe.writer.get(), F_SETPIPE_SZ, 4096), 0);
  std::vector<std::string> lines;
  std::thread reader;
  {
    FdAuditSink sink(pipe.writer.get(), clock_,
                     {.accept_below = 20, .keep = 200, .flush_patience = 60s});
    for (std::uint64_t i = 0; i < 100; ++i) sink.write(numbered(i));
    for (std::uint64_t i = 0; i < 7; ++i) sink.write(numbered(i, AuditOutcome::kRefused));
    reader = std::thread([&] { lines = read_lines(pipe.reader.get()); });
  }
  pipe.writer.reset();
  reader.join();
  ASSERT_EQ(lines.size(), 101U);
  EXPECT_EQ(Json::parse(lines.back())["event"], "audit_lines_dropped");
  EXPECT_EQ(Json::parse(lines.back())["count"], 7);
}

TEST_F(AuditSinkTest, AReaderThatIsGoneStopsRunsAndItsEndIsBounded) {
  Pipe pipe = make_pipe();
  pipe.reader.reset();
  const auto start = std::chrono::steady_clock::now();
  {
    FdAuditSink sink(pipe.writer.get(), clock_, {.flush_patience = 200ms});
    sink.write(numbered(1));
    EXPECT_TRUE(within(5s, [&] { return !sink.accepts(); }));
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, 8s);
}

TEST_F(AuditSinkTest, AFullDiskStopsRuns) {
  const UniqueFd full(::open("/dev/full", O_WRONLY | O_CLOEXEC));
  ASSERT_TRUE(full);
  FdAuditSink sink(full.get(), clock_, {.flush_patience = 1ms});
  EXPECT_TRUE(sink.accepts());
  sink.write(numbered(1));
  EXPECT_TRUE(within(5s, [&] { return !sink.accepts(); }));
}

}  // namespace
}  // namespace plimsoll
