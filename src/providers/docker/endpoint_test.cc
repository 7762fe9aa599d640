#include "providers/docker/endpoint.h"

#include <gtest/gtest.h>

#include <string>

namespace plimsoll::docker {
namespace {

TEST(Endpoint, ASocketOfThisHost) {
  const auto endpoint = parse_endpoint("unix:///run/d.sock", "");
  ASSERT_TRUE(endpoint);
  EXPECT_EQ(endpoint->socket_path, "/run/d.sock");
  EXPECT_TRUE(endpoint->is_local());
}

TEST(Endpoint, AnotherHostTakesCertificates) {
  const auto endpoint = parse_endpoint("tcp://engine.example:2376", "/certs");
  ASSERT_TRUE(endpoint);
  EXPECT_FALSE(endpoint->is_local());
  EXPECT_EQ(endpoint->base_url, "https://engine.example:2376");
  EXPECT_EQ(endpoint->ca_file, "/certs/ca.pem");
  EXPECT_EQ(endpoint->cert_file, "/certs/cert.pem");
  EXPECT_EQ(endpoint->key_file, "/certs/key.pem");
}

TEST(Endpoint, AnythingElseIsRefused) {
  const std::string long_path = "unix:///" + std::string(kMaxSocketPathBytes, 'x');
  for (const std::string& host :
       {std::string("unix://run/d.sock"), std::string("unix:///"), std::string("unix://"),
        long_path, std::string("unix:///a\0b", 11), std::string("http://x"), std::string(),
        std::string("tcp://host"), std::string("tcp://host:"), std::string("tcp://host:x"),
        std::string("tcp://:1/path"), std::string("tcp://a@b:1")}) {
    const auto endpoint = parse_endpoint(host, "/certs");
    ASSERT_FALSE(endpoint) << host;
    EXPECT_EQ(endpoint.error().code, ErrorCode::kInvalidConfig);
  }
  EXPECT_FALSE(parse_endpoint("tcp://host:2376", ""));  // in the clear
}

TEST(Endpoint, TheLongestPathFits) {
  const std::string path = "/" + std::string(kMaxSocketPathBytes - 1, 'x');
  EXPECT_TRUE(parse_endpoint("unix://" + path, ""));
  EXPECT_FALSE(parse_endpoint("unix://" + path + "x", ""));
}

}  // namespace
}  // namespace plimsoll::docker
