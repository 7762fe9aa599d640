// What a server is started with: where it listens and every limit it holds its peers to.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "rpc/handler.h"

namespace plimsoll::rpc {

// How long and how much a peer may. The defaults are those that are documented for operators.
struct Limits {
  std::chrono::milliseconds header_read{10'000};   // from its first byte to the end of a head
  std::chrono::milliseconds body_read{30'000};     // from the head to the body's last byte
  std::chrono::milliseconds idle{60'000};          // a connection without a request
  std::chrono::milliseconds write_stall{30'000};   // an answer of which the peer takes nothing
  std::chrono::milliseconds max_timeout{600'000};  // a client's timeout is clamped to it
  std::size_t header_bytes = std::size_t{64} << 10;
  std::size_t header_fields = 128;
  std::size_t body_bytes = std::size_t{8} << 20;           // on the wire, and again after inflation
  std::size_t answer_bytes = (std::size_t{32} << 20) - 1;  // encoded; clients refuse more
  std::size_t connections = 512;
  std::uint32_t streams = 100;       // of one HTTP/2 connection
  std::uint64_t reset_burst = 1000;  // RST_STREAM frames that a peer may send at once,
  std::uint64_t resets_per_s = 33;   // and how many more in each second
  std::size_t bodies = 32;           // larger than small_body_bytes, being read or decoded at once
  std::size_t small_body_bytes = std::size_t{64} << 10;
  std::size_t buffered_bytes = std::size_t{256} << 20;  // of all bodies that are being read
  std::size_t workers = 32;        // threads that handlers run on; started as needed
  std::size_t queued_calls = 256;  // that wait for a worker; more are refused
  std::size_t compress_from_bytes = 1024;
};

// PEM files. Both or neither.
struct TlsFiles {
  std::string certificate_chain;
  std::string private_key;
  [[nodiscard]] bool empty() const noexcept {
    return certificate_chain.empty() && private_key.empty();
  }
};

struct ListenerOptions {
  std::string address = "127.0.0.1";  // an IP address, not a name
  std::uint16_t port = 0;             // 0: any free one
  TlsFiles tls;                       // empty: cleartext (HTTP/1.1 and HTTP/2 by prior knowledge)
  std::vector<Endpoint> endpoints;
  std::vector<Method> methods;  // none: a listener of endpoints only, such as /metrics
};

struct ServerOptions {
  std::vector<ListenerOptions> listeners;
  Hooks hooks;
  Limits limits;
  std::size_t io_threads = 1;  // 1 to 16
};

}  // namespace plimsoll::rpc
