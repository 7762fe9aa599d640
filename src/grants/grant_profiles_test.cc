#include "grants/grant_profiles.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

namespace plimsoll {
namespace {

using testing::HasSubstr;
using testing::Not;

class GrantProfilesTest : public testing::Test {
 protected:
  GrantProfilesTest() {
    std::string name = testing::TempDir() + "plimsoll-grants-XXXXXX";
    folder_ = ::mkdtemp(name.data());
  }
  ~GrantProfilesTest() override { std::filesystem::remove_all(folder_); }
  std::string write(const std::string& name, std::string_view bytes, mode_t mode = 0600) const {
    const std::string path = folder_ + "/" + name;
    std::ofstream(path) << bytes;
    ::chmod(path.c_str(), mode);
    return path;
  }
  [[nodiscard]] Result<GrantProfiles> load(std::string_view json) const {
    return GrantProfiles::load(write("grants.json", json), [&](const std::string& name) {
      const auto at = variables_.find(name);
      return at == variables_.end() ? Secret() : Secret(at->second);
    });
  }
  [[nodiscard]] std::string error_of(std::string_view json) const {
    const auto profiles = load(json);
    return profiles ? "" : profiles.error().message;
  }

  std::string folder_;
  std::map<std::string, std::string> variables_;
};

std::string profile(std::string_view fields) {
  return R"({"profiles":{"p":{"base_url":"https://api.example.com","allow":["GET /a"],)"
         R"("allowed_callers":["ann"],)" +
         std::string(fields) + "}}}";
}

TEST_F(GrantProfilesTest, ACallerSelectsAProfileThatNamesIt) {
  const auto profiles = load(R"({"profiles": {
      "some": {"base_url":"https://a.example","allow":["GET /a"],"allowed_callers":["ann"]},
      "all": {"base_url":"https://b.example","allow":[],"allowed_callers":["*"]}}})");
  ASSERT_TRUE(profiles) << profiles.error().message;
  ASSERT_NE(profiles->find("some", "ann"), nullptr);
  EXPECT_EQ(profiles->find("some", "ann")->grant.config().base_url, "https://a.example");
  EXPECT_EQ(profiles->find("some", "bob"), nullptr);
  EXPECT_EQ(profiles->find("none", "ann"), nullptr);
  EXPECT_EQ(profiles->find("", "ann"), nullptr);
  EXPECT_NE(profiles->find("all", "bob"), nullptr);
  EXPECT_EQ(profiles->find("all", ""), nullptr);
  EXPECT_EQ(profiles->all().size(), 2U);
  EXPECT_TRUE(profiles->all().at("all").profile.permits_everybody());
}

TEST_F(GrantProfilesTest, SecretsAreReadAtLoadAndInNoMessage) {
  variables_ = {{"BEARER", "tok-1"},
                {"BAD", "tok with-a-blank"},
                {"KEY", "0123456789abcdef0123456789abcdef"},
                {"SHORT", "short-key"}};
  const auto good = load(profile(R"("token":{"type":"static","env":"BEARER"})"));
  ASSERT_TRUE(good) << good.error().message;
  const auto minted = good->find("p", "ann")->grant.config().minter->mint({});
  ASSERT_TRUE(minted);
  EXPECT_EQ(minted->reveal(), "tok-1");
  EXPECT_EQ(error_of(profile(R"("token":{"type":"jwt","audience":"a","secret_env":"KEY"})")), "");

  EXPECT_THAT(error_of(profile(R"("token":{"type":"static","env":"NONE"})")),
              HasSubstr("profile 'p': token.env names NONE, which is not set"));
  const std::string bad = error_of(profile(R"("token":{"type":"static","env":"BAD"})"));
  EXPECT_THAT(bad, HasSubstr("profile 'p': token.env"));
  EXPECT_THAT(bad, Not(HasSubstr("with-a-blank")));
  const std::string brief =
      error_of(profile(R"("token":{"type":"jwt","audience":"a","secret_env":"SHORT"})"));
  EXPECT_THAT(brief, HasSubstr("32 bytes"));
  EXPECT_THAT(brief, Not(HasSubstr("short-key")));
}

TEST_F(GrantProfilesTest, AKeyFileIsCheckedBeforeItIsUsed) {
  const std::string json =
      profile(R"("token":{"type":"jwt","audience":"a","alg":"EdDSA","key_file":"key.pem"})");
  EXPECT_THAT(error_of(json), HasSubstr("profile 'p': token.key_file cannot be read"));
  write("key.pem", "nonsense", 0644);
  EXPECT_THAT(error_of(json), HasSubstr("token.key_file is open to others"));
  write("key.pem", "nonsense", 0600);
  EXPECT_THAT(error_of(json), HasSubstr("is no private key for EdDSA"));
  write("key.pem", std::string(20'000, 'x'), 0600);
  EXPECT_THAT(error_of(json), HasSubstr("more than 16384 bytes"));
}

TEST_F(GrantProfilesTest, APreambleFileStaysInTheFolder) {
  write("preamble.js", "host.x = 1;");
  const auto profiles = load(profile(R"("preamble_file":"preamble.js")"));
  ASSERT_TRUE(profiles) << profiles.error().message;
  EXPECT_EQ(profiles->find("p", "ann")->grant.config().preamble, "host.x = 1;");
  EXPECT_THAT(error_of(profile(R"("preamble_file":"/etc/hostname")")), HasSubstr("leads out"));
  std::filesystem::create_symlink("/etc/hostname", folder_ + "/link.js");
  EXPECT_THAT(error_of(profile(R"("preamble_file":"link.js")")), HasSubstr("leads out"));
  EXPECT_THAT(error_of(profile(R"("preamble_file":"none.js")")),
              HasSubstr("profile 'p': preamble_file cannot be read"));
  write("big.js", std::string(kMaxPreambleBytes + 1, ' '));
  EXPECT_THAT(error_of(profile(R"("preamble_file":"big.js")")), HasSubstr("more than"));
  write("latin.js", "\xE9");
  EXPECT_THAT(error_of(profile(R"("preamble_file":"latin.js")")), HasSubstr("UTF-8"));
  write("shared.js", "x", 0666);
  EXPECT_THAT(error_of(profile(R"("preamble_file":"shared.js")")), HasSubstr("may be written"));
}

TEST_F(GrantProfilesTest, AllMistakesOfAllProfilesComeAtOnce) {
  const std::string message = error_of(R"({"profiles": {
      "a": {"base_url":"https://a.example","allow":[],"allowed_callers":["*"],
            "token":{"type":"static","env":"ONE"}},
      "b": {"base_url":"https://a.example","allow":[],"allowed_callers":["*"],
            "token":{"type":"static","env":"TWO"}}}})");
  EXPECT_THAT(message, HasSubstr("grants.json: profile 'a'"));
  EXPECT_THAT(message, HasSubstr("profile 'b'"));
  EXPECT_THAT(error_of("{"), HasSubstr("grants.json: the file is not JSON"));
}

TEST_F(GrantProfilesTest, TheFileItselfIsChecked) {
  const std::string path = write("grants.json", R"({"profiles":{}})", 0666);
  const auto shared = read_profiles_file(path);
  ASSERT_FALSE(shared);
  EXPECT_THAT(shared.error().message, HasSubstr("may be written"));
  EXPECT_EQ(shared.error().code, ErrorCode::kInvalidConfig);
  EXPECT_FALSE(read_profiles_file(folder_ + "/none"));
}

}  // namespace
}  // namespace plimsoll
