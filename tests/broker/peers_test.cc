// Whom the broker talks to: names that lead elsewhere, names that change, certificates that are not
// right.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <thread>

#include "broker/curl_transfer.h"
#include "broker/curl_transport.h"
#include "broker/frozen_grant.h"
#include "tests/broker/broker_rig.h"
#include "tests/broker/recording_upstream.h"

extern char** environ;  // NOLINT(readability-redundant-declaration)

namespace plimsoll {
namespace {

using std::literals::chrono_literals::operator""ms;
using std::literals::chrono_literals::operator""s;
using testing::HasSubstr;

std::vector<IpAddress> addresses(std::initializer_list<std::string_view> texts) {
  std::vector<IpAddress> result;
  for (const std::string_view text : texts) result.push_back(*IpAddress::parse(text));
  return result;
}

// One answer after the other; the last one for ever. An empty one is a failure.
class ScriptedResolver final : public Resolver {
 public:
  explicit ScriptedResolver(std::vector<std::vector<IpAddress>> answers)
      : answers_(std::move(answers)) {}
  [[nodiscard]] Result<std::vector<IpAddress>> resolve(const std::string& host) override {
    EXPECT_EQ(host, "api.example.com");
    const std::size_t index = std::min<std::size_t>(lookups_++, answers_.size() - 1);
    if (answers_[index].empty()) {
      return std::unexpected(Error{
          .code = ErrorCode::kInfrastructure, .message = "no such name", .not_dispatched = {}});
    }
    return answers_[index];
  }
  [[nodiscard]] std::size_t lookups() const { return lookups_; }

 private:
  std::vector<std::vector<IpAddress>> answers_;
  std::atomic<std::size_t> lookups_ = 0;
};

struct Peers {
  std::shared_ptr<Resolver> resolver;
  PrivateAddresses private_addresses = PrivateAddresses::kRefused;
  std::string ca_file{};
  std::string host = "api.example.com";
};

Grant grant_for(std::uint16_t port, const Peers& peers) {
  std::vector<std::string> mistakes;
  auto frozen = read_grant({.base_url = "https://" + peers.host + ":" + std::to_string(port),
                            .allow = {"GET /a"},
                            .private_addresses = peers.private_addresses},
                           mistakes);
  EXPECT_THAT(mistakes, testing::IsEmpty());
  frozen->make_transport = make_curl_transport;
  frozen->resolver = peers.resolver;
  frozen->ca_file = peers.ca_file;
  return Grant(std::shared_ptr<const FrozenGrant>(std::move(frozen)));
}

TEST(Peers, ANameThatLeadsInsideIsRefused) {
  const RecordingUpstream upstream;
  for (const auto& answer :
       {addresses({"127.0.0.1"}), addresses({"::1"}), addresses({"::ffff:127.0.0.1"}),
        addresses({"10.0.0.1"}), addresses({"169.254.169.254"}), addresses({"0.0.0.0"}),
        addresses({"64:ff9b::7f00:1"}), addresses({"fd00::1"}), addresses({"8.8.8.8", "127.0.0.1"}),
        addresses({"127.0.0.1", "8.8.8.8"})}) {
    BrokerRig rig(grant_for(upstream.port(), {.resolver = std::make_shared<ScriptedResolver>(
                                                  std::vector<std::vector<IpAddress>>{answer})}));
    for (int i = 0; i < 2; ++i) {
      const BrokerReply reply = rig.call("GET", "/a");
      EXPECT_EQ(reply.status, 502U) << answer.front().to_text();
      EXPECT_THAT(reply.body, HasSubstr("may not talk to"));
    }
  }
  EXPECT_EQ(upstream.connections(), 0U);
}

TEST(Peers, AnAddressInTheGrantIsCheckedAsAName) {
  const RecordingUpstream upstream;
  BrokerRig rig(grant_for(upstream.port(), {.resolver = nullptr, .host = "10.255.255.1"}));
  EXPECT_THAT(rig.call("GET", "/a").body, HasSubstr("may not talk to"));
}

TEST(Peers, AGrantThatAllowsPrivateAddressesReachesThem) {
  const RecordingUpstream upstream;
  BrokerRig rig(grant_for(upstream.port(),
                          {.resolver = std::make_shared<ScriptedResolver>(
                               std::vector<std::vector<IpAddress>>{addresses({"127.0.0.1"})}),
                           .private_addresses = PrivateAddresses::kAllowed}));
  const auto call = rig.submit("GET", "/a");
  const auto until = std::chrono::steady_clock::now() + kPatience;
  while (upstream.bytes().empty() && std::chrono::steady_clock::now() < until) rig.turn(10ms);
  EXPECT_EQ(upstream.connections(), 1U);  // and is then asked for a certificate, which it lacks
  EXPECT_FALSE(rig.answered(call));
}

TEST(Peers, ANameIsResolvedOnceSoThatItCannotChangeBetweenCheckAndConnect) {
  const RecordingUpstream upstream;  // on 127.0.0.1 alone
  const auto resolver = std::make_shared<ScriptedResolver>(
      std::vector<std::vector<IpAddress>>{addresses({"127.0.0.2"}), addresses({"127.0.0.1"})});
  BrokerRig rig(grant_for(upstream.port(),
                          {.resolver = resolver, .private_addresses = PrivateAddresses::kAllowed}));
  for (int i = 0; i < 3; ++i) {
    EXPECT_THAT(rig.call("GET", "/a").body, HasSubstr("cannot be reached"));
  }
  EXPECT_EQ(resolver->lookups(), 1U);
  EXPECT_EQ(upstream.connections(), 0U);
}

// The second look: whatever libcurl came to believe, a socket is opened to a checked address only.
TEST(Peers, ASocketIsOpenedToACheckedAddressOnly) {
  const RecordingUpstream upstream;
  const std::string entry = "api.example.com:" + std::to_string(upstream.port()) + ":127.0.0.1";
  for (const auto& [rule, checked, expected] :
       {std::tuple{PeerRule::kAnyUsable, "127.0.0.1", HttpFault::kNone},
        {PeerRule::kAnyUsable, "127.0.0.2", HttpFault::kPeerRefused},
        {PeerRule::kPublicOnly, "127.0.0.1", HttpFault::kPeerRefused}}) {
    CurlSettings settings(
        {.origin = *Origin::parse("https://api.example.com:" + std::to_string(upstream.port())),
         .peers = rule,
         .max_body_bytes = 1000});
    settings.url = "http://api.example.com:" + std::to_string(upstream.port()) + "/";
    settings.pinned.reset(::curl_slist_append(nullptr, entry.c_str()));
    settings.peers = addresses({checked});
    CurlTransfer transfer(settings);
    ASSERT_TRUE(transfer.prepare(1, {.method = "GET", .target = "/a", .timeout = 60s}));
    const unsigned before = upstream.connections();
    const HttpAnswer answer = transfer.finish(::curl_easy_perform(transfer.handle()));
    EXPECT_EQ(answer.fault, expected) << checked;
    EXPECT_EQ(upstream.connections() - before, expected == HttpFault::kNone ? 1U : 0U);
  }
}

TEST(Peers, ANameThatDoesNotResolveMayResolveLater) {
  const RecordingUpstream upstream;
  const auto resolver = std::make_shared<ScriptedResolver>(
      std::vector<std::vector<IpAddress>>{{}, {}, addresses({"10.0.0.1"})});
  BrokerRig rig(grant_for(upstream.port(), {.resolver = resolver}));
  EXPECT_THAT(rig.call("GET", "/a").body, HasSubstr("cannot be reached"));
  const auto one = rig.submit("GET", "/a");
  const auto two = rig.submit("GET", "/a");  // waits for the same lookup
  EXPECT_THAT(rig.wait(one).body, HasSubstr("cannot be reached"));
  EXPECT_THAT(rig.wait(two).body, HasSubstr("cannot be reached"));
  EXPECT_EQ(resolver->lookups(), 2U);
  EXPECT_THAT(rig.call("GET", "/a").body, HasSubstr("may not talk to"));
}

TEST(Peers, ARunDoesNotWaitForALookupThatItNoLongerNeeds) {
  class StuckResolver final : public Resolver {
   public:
    [[nodiscard]] Result<std::vector<IpAddress>> resolve(const std::string&) override {
      started = true;
      while (!released) std::this_thread::sleep_for(1ms);
      ended = true;
      return addresses({"10.0.0.1"});
    }
    std::atomic<bool> started = false, released = false, ended = false;
  };
  const auto resolver = std::make_shared<StuckResolver>();
  const auto until = std::chrono::steady_clock::now() + kPatience;
  {
    BrokerRig rig(grant_for(443, {.resolver = resolver}));
    rig.submit("GET", "/a");
    while (!resolver->started && std::chrono::steady_clock::now() < until) rig.turn(1ms);
  }
  EXPECT_FALSE(resolver->ended) << "the broker is gone, and the lookup still waits";
  resolver->released = true;
  while (resolver.use_count() > 1 && std::chrono::steady_clock::now() < until) {
    std::this_thread::sleep_for(1ms);
  }
  EXPECT_TRUE(resolver->ended);
}

TEST(Peers, LocalhostIsLoopbackWhateverAResolverSays) {
  const RecordingUpstream upstream;
  BrokerRig rig(grant_of(
      {.base_url = "http://localhost:" + std::to_string(upstream.port()), .allow = {"GET /a"}}));
  EXPECT_EQ(rig.call("GET", "/a").status, 200U);
}

// A program that a test starts and ends.
class Child {
 public:
  Child(std::vector<std::string> args, int out) {
    std::vector<char*> argv;
    for (std::string& one : args) argv.push_back(one.data());
    argv.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    if (out >= 0) ::posix_spawn_file_actions_adddup2(&actions, out, 1);
    ::posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    if (::posix_spawnp(&pid_, argv[0], &actions, nullptr, argv.data(), environ) != 0) pid_ = -1;
    ::posix_spawn_file_actions_destroy(&actions);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    if (pid_ > 0) {
      ::kill(pid_, SIGKILL);
      wait();
    }
  }
  int wait() {
    int status = -1;
    if (pid_ > 0) ::waitpid(std::exchange(pid_, -1), &status, 0);
    return status;
  }

 private:
  pid_t pid_ = -1;
};

class TlsPeer : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "plimsoll-tls-XXXXXX";
    folder_ = ::mkdtemp(name.data());
    key_ = folder_ + "/key.pem";
    certificate_ = folder_ + "/certificate.pem";
    Child make(
        {"openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
         "-nodes", "-days", "2", "-subj", "/CN=test", "-addext",
         "subjectAltName=DNS:api.example.com", "-keyout", key_, "-out", certificate_},
        -1);
    ASSERT_EQ(make.wait(), 0);
    int ends[2] = {-1, -1};
    ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    const UniqueFd out(ends[0]);
    const UniqueFd in(ends[1]);
    server_.emplace(std::vector<std::string>{"openssl", "s_server", "-accept", "127.0.0.1:0",
                                             "-cert", certificate_, "-key", key_, "-www"},
                    in.get());
    std::string said;
    std::array<char, 256> chunk{};
    const auto until = std::chrono::steady_clock::now() + kPatience;
    constexpr std::string_view kMark = "ACCEPT 127.0.0.1:";
    while (std::chrono::steady_clock::now() < until) {
      const auto mark = said.find(kMark);
      const auto end = said.find('\n', mark == std::string::npos ? 0 : mark);
      if (mark != std::string::npos && end != std::string::npos) {
        const char* digits = said.data() + mark + kMark.size();
        std::from_chars(digits, said.data() + end, port_);
        break;
      }
      pollfd ready{.fd = out.get(), .events = POLLIN, .revents = 0};
      if (::poll(&ready, 1, 100) <= 0) continue;
      const ssize_t got = ::read(out.get(), chunk.data(), chunk.size());
      if (got <= 0) break;
      said.append(chunk.data(), static_cast<std::size_t>(got));
    }
    ASSERT_NE(port_, 0) << said;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] BrokerReply call(std::string host, std::string ca_file) const {
    const auto resolver = std::make_shared<AnyNameIsLoopback>();
    BrokerRig rig(grant_for(port_, {.resolver = resolver,
                                    .private_addresses = PrivateAddresses::kAllowed,
                                    .ca_file = std::move(ca_file),
                                    .host = std::move(host)}));
    return rig.call("GET", "/a");
  }

  class AnyNameIsLoopback final : public Resolver {
   public:
    [[nodiscard]] Result<std::vector<IpAddress>> resolve(const std::string&) override {
      return addresses({"127.0.0.1"});
    }
  };

  std::string folder_, key_, certificate_;
  std::optional<Child> server_;
  std::uint16_t port_ = 0;
};

TEST_F(TlsPeer, ACertificateIsVerified) {
  EXPECT_EQ(call("api.example.com", certificate_).status, 200U);
  EXPECT_THAT(call("api.example.com", "").body, HasSubstr("cannot be reached")) << "not trusted";
  EXPECT_THAT(call("other.example.com", certificate_).body, HasSubstr("cannot be reached"))
      << "another's name";
  EXPECT_EQ(call("api.example.com", folder_ + "/none").status, 502U);
}

}  // namespace
}  // namespace plimsoll
