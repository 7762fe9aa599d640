// For tests: a transport that remembers what was started and answers when it is told to.
#pragma once

#include <sys/eventfd.h>

#include <deque>
#include <utility>
#include <vector>

#include "base/unique_fd.h"
#include "broker/http_transport.h"

namespace plimsoll {

// What a test keeps in its hand while the broker owns the transport.
struct FakeWire {
  struct Started {
    std::uint64_t id = 0;
    HttpRequest request{};
  };
  std::vector<Started> started;
  std::deque<HttpCompletion> done;
  UniqueFd pending{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};

  // Ends the exchange that was started as the `index`th.
  void answer(std::size_t index, HttpAnswer answer) {
    done.push_back({.id = started.at(index).id, .answer = std::move(answer)});
    (void)::eventfd_write(pending.get(), 1);
  }
};

class FakeTransport final : public HttpTransport {
 public:
  explicit FakeTransport(FakeWire& wire) : wire_(&wire) {}

  void start(std::uint64_t id, HttpRequest request) override {
    wire_->started.push_back({.id = id, .request = std::move(request)});
  }
  [[nodiscard]] int fd() const noexcept override { return wire_->pending.get(); }
  [[nodiscard]] std::vector<HttpCompletion> advance() override {
    eventfd_t signalled = 0;
    (void)::eventfd_read(wire_->pending.get(), &signalled);
    std::vector<HttpCompletion> completions;
    for (; !wire_->done.empty(); wire_->done.pop_front()) {
      completions.push_back(std::move(wire_->done.front()));
    }
    return completions;
  }

 private:
  FakeWire* wire_;
};

}  // namespace plimsoll
