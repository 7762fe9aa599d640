// What each test with Debian's gRPC needs: checks, channels, and the two services that every server
// of ours has.
#pragma once

#include <grpcpp/grpcpp.h>

#include <memory>
#include <string>
#include <vector>

namespace plimsoll::test {

// Ends the program with 1 and says what did not hold.
void check(bool holds, const std::string& what);

// A call's context with the bearer token of the variable TOKEN.
std::unique_ptr<grpc::ClientContext> context();

// PORT TLS_PORT CERTIFICATE, as a program's arguments: the channel in clear and the one over TLS.
std::vector<std::shared_ptr<grpc::Channel>> channels(int argc, char** argv);

// grpc.health.v1: what is there serves, what is not is unknown.
void check_health(const std::shared_ptr<grpc::Channel>& channel);

// grpc.reflection.v1: as many services as `services`, and the file that holds `symbol`, on one
// stream, the second question after the first answer, as grpcurl asks.
void check_reflection(const std::shared_ptr<grpc::Channel>& channel, int services,
                      const std::string& symbol);

}  // namespace plimsoll::test
