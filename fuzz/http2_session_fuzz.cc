// An HTTP/2 connection after its preface, in pieces, with time that passes between them.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "require.h"
#include "rpc/fake_peer.h"
#include "rpc/http2_session.h"

namespace {
using plimsoll::fuzz::require;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using plimsoll::rpc::FakeFactory;
  using plimsoll::rpc::FakeWire;
  if (size == 0) return 0;
  const std::size_t step = data[0] + 1U;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const plimsoll::rpc::Limits limits{.header_bytes = 4096, .streams = 4, .reset_burst = 8};
  FakeWire wire;
  FakeFactory factory;
  plimsoll::rpc::Http2Session session(limits, wire, factory);
  session.on_bytes("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
  for (std::size_t at = 0; at < bytes.size(); at += step) {
    session.on_bytes(bytes.substr(at, step));
    wire.time += std::chrono::milliseconds(data[0]);
    session.on_tick();
  }
  session.on_drain();
  session.on_closed();
  for (const auto& request : factory.requests) {
    require(request->body.size() <= bytes.size(), "no bytes from nowhere");
    require(
        !(request->gone && request->ended && request->head.path != "/never" && !request->timed_out),
        "an answer or a goodbye");
  }
  return 0;
}
