// An HTTP/1.1 connection: the same bytes, whole and in pieces, give the same requests and answers;
// and a body never has bytes that were not within the framing.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "require.h"
#include "rpc/fake_peer.h"
#include "rpc/http1_session.h"

namespace {

using plimsoll::fuzz::require;
using plimsoll::rpc::FakeFactory;
using plimsoll::rpc::FakeWire;
using plimsoll::rpc::Http1Session;
using plimsoll::rpc::Limits;

struct Peer {
  Limits limits{.header_bytes = 1024, .header_fields = 16};
  FakeWire wire;
  FakeFactory factory;
  Http1Session session{limits, wire, factory};
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::size_t step = data[0] % 16 + 1U;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  Peer whole;
  whole.session.on_bytes(bytes);
  Peer pieces;
  for (std::size_t at = 0; at < bytes.size(); at += step) {
    pieces.session.on_bytes(bytes.substr(at, step));
  }
  require(whole.wire.finished == pieces.wire.finished, "the same end");
  require(whole.factory.requests.size() == pieces.factory.requests.size(),
          "the same number of requests");
  for (std::size_t i = 0; i < whole.factory.requests.size(); ++i) {
    const auto& one = *whole.factory.requests[i];
    const auto& other = *pieces.factory.requests[i];
    require(one.ended == other.ended && one.head.path == other.head.path, "the same request");
    require(!one.ended || one.body == other.body, "the same body");
    require(one.body.size() <= bytes.size(), "no bytes from nowhere");
    require(!(one.head.headers.count("content-length") != 0 &&
              one.head.headers.count("transfer-encoding") != 0),
            "one framing");
    require(!one.ended || !one.head.content_length || one.head.path == "/early" ||
                one.body.size() == *one.head.content_length,
            "the announced size");
  }
  whole.session.on_tick();
  whole.session.on_drain();
  whole.session.on_closed();
  pieces.session.on_closed();
  return 0;
}
