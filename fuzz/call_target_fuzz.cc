// A guest's method and target: what the allow list accepts goes to a socket and arrives there byte
// for byte; of what it refuses nothing does. Input: the method, a newline, the target.
#include <poll.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "broker/allow_list.h"
#include "broker/broker.h"
#include "broker/target.h"
#include "require.h"
#include "tests/broker/recording_upstream.h"

namespace {

using plimsoll::fuzz::require;

const std::vector<std::string>& allowed() {
  static const std::vector<std::string> lines = {"GET /a/b?q&f[x]", "POST /a/*", "PUT /*/b/*",
                                                 "DELETE /a-._~!$&'()+,=:@"};
  return lines;
}

// An API and one run's broker after the other.
class Wire {
 public:
  // What the API got, whole; empty: nothing.
  std::string call(std::string_view method, std::string_view target, unsigned* status) {
    if (left_-- == 0) open();
    upstream_.forget();
    broker_->submit(1, {.method = std::string(method), .target = std::string(target)});
    while (true) {
      pollfd ready{.fd = broker_->fd(), .events = POLLIN, .revents = 0};
      (void)::poll(&ready, 1, 1000);
      const auto done = broker_->take();
      if (done.empty()) continue;
      *status = done[0].reply.status;
      return upstream_.bytes();
    }
  }

 private:
  void open() {
    left_ = plimsoll::kMaxMaxCalls - 1;
    const auto grant = plimsoll::Grant::build(
        {.base_url = upstream_.origin(), .allow = allowed(), .max_calls = plimsoll::kMaxMaxCalls});
    require(grant.has_value(), "the grant is valid");
    auto broker =
        plimsoll::open_broker(*grant, {.deadline = clock_.now() + std::chrono::hours(24)}, clock_);
    require(broker.has_value(), "a broker opens");
    broker_ = std::move(*broker);
  }

  plimsoll::RecordingUpstream upstream_;
  plimsoll::SystemClock clock_;
  std::unique_ptr<plimsoll::Broker> broker_;
  std::uint32_t left_ = 0;
};

// What no accepted target may hold, said without the parser.
void check_accepted(std::string_view target) {
  require(target.starts_with('/') && target.size() <= plimsoll::kMaxMatchedTargetBytes,
          "origin-form");
  for (const char c : target)
    require(c > 0x20 && c < 0x7F && c != '#' && c != '\\' && c != ';', "plain");
  const std::string path = std::string(target.substr(0, target.find('?'))) + "/";
  for (const std::string_view part : {"//", "/./", "/../", "/.../", "%"}) {
    require(path.find(part) == std::string::npos, "a canonical path");
  }
}

}  // namespace

// The upstream's thread works while libFuzzer looks for leaks between two inputs, and what it holds
// just then was once taken for one. The broker's leaks are looked for by its unit tests.
extern "C" int __lsan_is_turned_off() { return 1; }

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Wire wire;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const auto newline = input.find('\n');
  const std::string_view method = input.substr(0, newline);
  const std::string_view target =
      newline == std::string_view::npos ? std::string_view() : input.substr(newline + 1);

  const auto parsed = plimsoll::parse_target(target);
  if (parsed) {
    require(plimsoll::to_text(*parsed) == target, "what is understood is what stands there");
    check_accepted(target);
  }
  unsigned status = 0;
  const std::string sent = wire.call(method, target, &status);
  std::vector<std::string> mistakes;
  static const auto list = plimsoll::AllowList::parse("allow", allowed(), mistakes);
  if (list.match(method, target) == nullptr) {
    require(status == 403 && sent.empty(), "of what is refused nothing is sent");
  } else {
    const std::string line = std::string(method) + " " + std::string(target) + " HTTP/1.1\r\n";
    require(status == 200 && sent.starts_with(line), "what is approved is what is sent");
  }
  return 0;
}
