#include "broker/resolver.h"

#include <netdb.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

namespace plimsoll {
namespace {

std::unexpected<Error> failed(std::string message) {
  return std::unexpected(Error{
      .code = ErrorCode::kInfrastructure, .message = std::move(message), .not_dispatched = {}});
}

std::atomic<unsigned>& lookups_under_way() {
  static std::atomic<unsigned> count = 0;
  return count;
}

struct FreeAddresses {
  void operator()(addrinfo* list) const noexcept { ::freeaddrinfo(list); }
};

}  // namespace

Result<std::vector<IpAddress>> SystemResolver::resolve(const std::string& host) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_ADDRCONFIG;
  addrinfo* found = nullptr;
  const int error = ::getaddrinfo(host.c_str(), nullptr, &hints, &found);
  if (error != 0) return failed(std::string("the name does not resolve: ") + ::gai_strerror(error));
  const std::unique_ptr<addrinfo, FreeAddresses> list(found);
  std::vector<IpAddress> addresses;
  for (const addrinfo* one = list.get(); one != nullptr; one = one->ai_next) {
    const auto address = IpAddress::from(one->ai_addr, one->ai_addrlen);
    if (address && std::ranges::find(addresses, *address) == addresses.end()) {
      addresses.push_back(*address);
    }
  }
  if (addresses.empty()) return failed("the name has no address");
  return addresses;
}

struct Lookup::State {
  UniqueFd done;
  std::mutex mutex;
  Result<std::vector<IpAddress>> answer = failed("there is no answer");

  void finish(Result<std::vector<IpAddress>> found) {
    {
      const std::scoped_lock lock(mutex);
      answer = std::move(found);
    }
    (void)::eventfd_write(done.get(), 1);
  }
};

Lookup::Lookup(std::shared_ptr<Resolver> resolver, std::string host)
    : state_(std::make_shared<State>()) {
  state_->done.reset(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!state_->done) return;  // fd() says so
  if (lookups_under_way().fetch_add(1) >= kMaxLookups) {
    --lookups_under_way();
    state_->finish(failed("too many names are being resolved"));
    return;
  }
  try {
    std::thread([state = state_, resolver = std::move(resolver), host = std::move(host)] {
      state->finish(resolver->resolve(host));
      --lookups_under_way();
    }).detach();
  } catch (const std::system_error&) {
    --lookups_under_way();
    state_->finish(failed("no thread can be started for a lookup"));
  }
}

Lookup::~Lookup() = default;

int Lookup::fd() const noexcept { return state_->done.get(); }

Result<std::vector<IpAddress>> Lookup::take() {
  const std::scoped_lock lock(state_->mutex);
  return std::move(state_->answer);
}

}  // namespace plimsoll
