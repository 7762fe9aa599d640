// The broker: the one place through which a guest's calls go to an API. It approves a call by
// comparing its raw bytes with the grant and sends exactly those bytes; it adds the credential, and
// keeps it. Whatever carries the calls here (a frame, a header, a shell's client) meets the same
// rules.
//
// Each call is decided in this order: budget (429), allow list (403), pause (503), body (413),
// request, answer (502, 504).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "plimsoll/call_trace.h"
#include "plimsoll/grant.h"
#include "plimsoll/result.h"

namespace plimsoll {

// The bounds of a call.
inline constexpr std::size_t kMaxTargetBytes = 65'536;
inline constexpr std::size_t kMaxCallBodyBytes = std::size_t{1} << 20;
inline constexpr std::size_t kMaxReplyBodyBytes = std::size_t{4} << 20;
inline constexpr std::size_t kMaxContentTypeBytes = 256;

// As the guest wrote it; hostile. A missing body and an empty one differ.
struct BrokerRequest {
  std::string method{};
  std::string target{};  // raw: path and query as they would stand on the request line
  std::optional<std::string> body{};
};

enum class ReplySource : std::uint8_t {
  kApi,      // the API's own answer, whatever its status
  kRefused,  // the broker's policy: budget, allow list, pause, size; no request was sent
  kFailed,   // a request was sent, or tried, and no answer can be delivered
};

// What the guest gets, and all of it.
struct BrokerReply {
  unsigned status = 0;         // 200 to 599
  std::string content_type{};  // visible ASCII and blanks; may be empty
  std::string body{};  // at most kMaxReplyBodyBytes; of the broker's own answers: plain text
  ReplySource source = ReplySource::kRefused;
};

struct BrokerCompletion {
  std::uint64_t id = 0;  // of submit()
  BrokerReply reply{};
};

// About the run that the calls belong to.
struct BrokerContext {
  std::string caller{};         // the authenticated caller: the `sub` of a minted token
  Clock::Monotonic deadline{};  // of the run; calls under way end with it
};

// The calls of one run, up to kMaxCallsInFlight at once. Used by one thread at a time, which waits
// on fd() beside whatever else it waits for; nothing here blocks. Destroying it drops the calls
// under way, closes the run's connections and wipes the credential.
class Broker {
 public:
  virtual ~Broker() = default;

  // Begins a call. Every id that was submitted comes out of take() once, also a refused one. An id
  // may be used again after that; ids under way have to differ.
  virtual void submit(std::uint64_t id, BrokerRequest request) = 0;

  // Readable (POLLIN) when take() has something to do. Stays the same; owned by the broker.
  [[nodiscard]] virtual int fd() const noexcept = 0;

  // Moves the calls on as far as they go without waiting, and returns those that ended, in the
  // order in which they did; may be empty.
  [[nodiscard]] virtual std::vector<BrokerCompletion> take() = 0;

  // The run is over: calls under way are given up, and stand in the trace with the status 0, since
  // the API may have got them. Nothing may be submitted afterwards; take() has nothing more.
  virtual void close() = 0;

  // What happened so far. Calls under way are not in it before close().
  [[nodiscard]] virtual const CallTrace& trace() const noexcept = 0;

 protected:
  Broker() = default;
  Broker(const Broker&) = default;
  Broker& operator=(const Broker&) = default;
};

// Mints the run's credential and makes its broker; opens no connection. `clock` lives as long as
// the broker. Errors, all before anything ran and with not_dispatched set: kInvalidRequest (the
// minter refuses this caller), kInfrastructure.
[[nodiscard]] Result<std::unique_ptr<Broker>> open_broker(const Grant& grant,
                                                          const BrokerContext& context,
                                                          const Clock& clock);

}  // namespace plimsoll
