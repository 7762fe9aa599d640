// The seam for names: what addresses a host has.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/unique_fd.h"
#include "broker/ip_address.h"
#include "plimsoll/result.h"

namespace plimsoll {

// Implementations are safe for concurrent use.
class Resolver {
 public:
  virtual ~Resolver() = default;
  // All addresses of `host`, in the order of preference; may take seconds. Errors: kInfrastructure.
  [[nodiscard]] virtual Result<std::vector<IpAddress>> resolve(const std::string& host) = 0;

 protected:
  Resolver() = default;
  Resolver(const Resolver&) = default;
  Resolver& operator=(const Resolver&) = default;
};

// getaddrinfo(3).
class SystemResolver final : public Resolver {
 public:
  [[nodiscard]] Result<std::vector<IpAddress>> resolve(const std::string& host) override;
};

// Lookups that wait for their answer, over the whole process; a further one fails.
inline constexpr unsigned kMaxLookups = 64;

// One lookup on a thread of its own, since a resolver cannot be interrupted: who gives up leaves
// the thread behind, and it ends by itself. Not for concurrent use.
class Lookup {
 public:
  Lookup(std::shared_ptr<Resolver> resolver, std::string host);
  Lookup(const Lookup&) = delete;
  Lookup& operator=(const Lookup&) = delete;
  ~Lookup();

  // Readable when take() has the answer.
  [[nodiscard]] int fd() const noexcept;
  // The answer, once; must not be called before fd() is readable.
  [[nodiscard]] Result<std::vector<IpAddress>> take();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace plimsoll
