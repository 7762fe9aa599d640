// The echo service as a program, for clients in other languages: rpc-echo-server [NAME=VALUE...]
//
// Prints "PORT [TLS_PORT]" and serves until its standard input ends, or a line "drain" comes, upon
// which it drains as the daemon does. NAME is a field of Limits (times in ms), or cert, key,
// threads.

#include <charconv>
#include <chrono>
#include <cstdio>
#include <iostream>
#include <map>
#include <string>
#include <string_view>

#include "echo_service.h"

namespace {

using plimsoll::rpc::echo_hooks;
using plimsoll::rpc::echo_listener;
using plimsoll::rpc::EchoCounts;
using plimsoll::rpc::Limits;
using plimsoll::rpc::Server;
using plimsoll::rpc::ServerOptions;
using plimsoll::rpc::TlsFiles;

std::uint64_t number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) {
    std::cerr << "not a number: " << text << '\n';
    std::exit(2);
  }
  return value;
}

bool set_limit(Limits& limits, std::string_view name, std::string_view value) {
  const std::map<std::string_view, std::chrono::milliseconds*> times{
      {"header_read", &limits.header_read},
      {"body_read", &limits.body_read},
      {"idle", &limits.idle},
      {"write_stall", &limits.write_stall},
      {"max_timeout", &limits.max_timeout}};
  const std::map<std::string_view, std::size_t*> sizes{{"header_bytes", &limits.header_bytes},
                                                       {"body_bytes", &limits.body_bytes},
                                                       {"answer_bytes", &limits.answer_bytes},
                                                       {"connections", &limits.connections},
                                                       {"bodies", &limits.bodies},
                                                       {"buffered_bytes", &limits.buffered_bytes},
                                                       {"workers", &limits.workers},
                                                       {"queued_calls", &limits.queued_calls}};
  if (const auto time = times.find(name); time != times.end()) {
    *time->second = std::chrono::milliseconds(number(value));
  } else if (const auto size = sizes.find(name); size != sizes.end()) {
    *size->second = number(value);
  } else {
    return false;
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  EchoCounts counts;
  ServerOptions options{.hooks = echo_hooks(counts)};
  TlsFiles tls;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    const std::size_t equals = argument.find('=');
    const std::string_view name = argument.substr(0, equals);
    const std::string_view value =
        equals == std::string_view::npos ? std::string_view{} : argument.substr(equals + 1);
    if (name == "cert") {
      tls.certificate_chain = value;
    } else if (name == "key") {
      tls.private_key = value;
    } else if (name == "threads") {
      options.io_threads = number(value);
    } else if (!set_limit(options.limits, name, value)) {
      std::cerr << "unknown: " << argument << '\n';
      return 2;
    }
  }
  options.listeners.push_back(echo_listener(counts));
  if (!tls.empty()) {
    options.listeners.push_back(echo_listener(counts));
    options.listeners.back().tls = tls;
  }
  auto server = Server::create(options);
  if (!server) {
    std::cerr << server.error().message << '\n';
    return 1;
  }
  counts.server = server->get();
  if (auto started = (*server)->start(); !started) {
    std::cerr << started.error().message << '\n';
    return 1;
  }
  std::cout << (*server)->port(0);
  if (!tls.empty()) std::cout << ' ' << (*server)->port(1);
  std::cout << '\n' << std::flush;
  for (std::string line; std::getline(std::cin, line);) {
    if (line != "drain") continue;
    (*server)->stop_accepting();
    const bool whole = (*server)->drain(std::chrono::steady_clock::now() + std::chrono::seconds(5));
    std::cout << (whole ? "drained" : "stopped") << '\n' << std::flush;
    break;
  }
  (*server)->stop();
  return 0;
}
