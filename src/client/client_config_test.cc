#include "client/client_config.h"

#include <gtest/gtest.h>

#include "client/temporary_file.h"

namespace plimsoll::client {
namespace {

ClientConfig at(std::string url) {
  return {.base_url = std::move(url), .token = BearerToken::from_text("secret-token").value()};
}

std::string mistakes(const ClientConfig& config) {
  const auto checked = check_config(config);
  return checked ? std::string() : checked.error().message;
}

TEST(ClientConfig, CleartextStaysOnThisHost) {
  for (const char* url : {"http://127.0.0.1:8080", "http://[::1]:8080", "http://localhost:8080"}) {
    EXPECT_EQ(mistakes(at(url)), "") << url;
    EXPECT_TRUE(check_config(at(url))->only_to_loopback());
  }
  for (const char* url : {"http://example.com", "http://a.test", "http://0.0.0.0"}) {
    EXPECT_NE(mistakes(at(url)).find("everybody on the way"), std::string::npos) << url;
  }
  EXPECT_EQ(mistakes(at("https://example.com")), "");
  EXPECT_FALSE(check_config(at("https://example.com"))->only_to_loopback());
}

TEST(ClientConfig, CleartextElsewhereHasToBeAskedFor) {
  ClientConfig config = at("http://example.com");
  config.cleartext = Cleartext::kInsecureAnywhere;
  EXPECT_EQ(mistakes(config), "");
  EXPECT_FALSE(check_config(config)->only_to_loopback());
}

TEST(ClientConfig, EveryMistakeIsNamedAtOnceAndTheTokenIsNot) {
  ClientConfig config = at("https://example.com/path");
  config.ca_file = "/nonexistent/roots.pem";
  config.connect_timeout = Millis(0);
  config.slack = Millis(60'001);
  config.max_idle_connections = 1025;
  const auto checked = check_config(config);
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().code, ErrorCode::kInvalidConfig);
  for (const char* part :
       {"base_url", "ca_file", "connect_timeout", "slack", "max_idle_connections"}) {
    EXPECT_NE(checked.error().message.find(part), std::string::npos) << part;
  }
  EXPECT_EQ(checked.error().message.find("secret-token"), std::string::npos);
}

TEST(ClientConfig, AFileWithoutCertificatesIsNoAuthority) {
  ClientConfig config = at("https://example.com");
  for (const char* content : {"", "hello",
                              "-----BEGIN CERTIFICATE-----\nAAAA\n"
                              "-----END CERTIFICATE-----\n"}) {
    const TemporaryFile file(content, 0644);
    config.ca_file = file.path();
    EXPECT_NE(mistakes(config).find("no certificate"), std::string::npos) << content;
  }
}

TEST(ClientConfig, AuthoritiesOfACleartextServiceAreAMistake) {
  ClientConfig config = at("http://127.0.0.1");
  config.ca_file = "/etc/passwd";
  EXPECT_NE(mistakes(config).find("cleartext"), std::string::npos);
}

TEST(ClientConfig, AMovedTokenIsNone) {
  ClientConfig config = at("https://example.com");
  const BearerToken taken = std::move(config.token);
  EXPECT_NE(mistakes(config).find("token"), std::string::npos);
}

}  // namespace
}  // namespace plimsoll::client
