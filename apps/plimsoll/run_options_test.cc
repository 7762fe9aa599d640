#include "run_options.h"

#include <gtest/gtest.h>

#include <vector>

#include "exit_codes.h"

namespace plimsoll::cli {
namespace {

using Args = std::vector<std::string_view>;

std::expected<RunOptions, RunOptionsError> parse(const Args& args, std::string provider = {}) {
  return parse_run_options(args,
                           {.sandbox_provider = std::move(provider), .sandbox_docker_host = {}});
}

TEST(RunOptions, Defaults) {
  const auto options = parse({"-e", "1"});
  ASSERT_TRUE(options);
  EXPECT_EQ(options->request.code, "1");
  EXPECT_EQ(options->source_path, "");
  EXPECT_EQ(options->request.timeout, Millis{0});
  EXPECT_EQ(options->request.minimum_isolation, Isolation::kNone);
  EXPECT_EQ(options->config.provider, ProviderKind::kWasm);
  EXPECT_EQ(options->config.wasm.output_cap_bytes, 67'108'864U);
  EXPECT_EQ(options->config.wasm.memory_mb, 64U);
  EXPECT_EQ(options->config.wasm.pool, 1U);
  EXPECT_EQ(options->format, RunFormat::kBytes);
}

TEST(RunOptions, EveryFlag) {
  const auto options = parse({"-", "--provider=wasm", "-min-isolation", "process", "--timeout",
                              "500ms", "--max-output", "1", "--memory-mb=128", "--json"});
  ASSERT_TRUE(options) << options.error().message;
  EXPECT_EQ(options->source_path, "-");
  EXPECT_EQ(options->request.timeout, Millis{500});
  EXPECT_EQ(options->request.minimum_isolation, Isolation::kProcess);
  EXPECT_EQ(options->config.wasm.output_cap_bytes, 1U);
  EXPECT_EQ(options->config.wasm.memory_mb, 128U);
  EXPECT_EQ(options->format, RunFormat::kJson);
}

TEST(RunOptions, TheEnvironmentNamesTheProviderUnlessAFlagDoes) {
  EXPECT_EQ(parse({"-e", "1"}, "wasm")->config.provider, ProviderKind::kWasm);
  const auto wrong = parse({"-e", "1"}, "dcoker");
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().exit_code, kExitInvalidConfig);
  EXPECT_EQ(wrong.error().message,
            "SANDBOX_PROVIDER: 'dcoker' is no provider of this build; wasm, docker and microvm are "
            "accepted");
  EXPECT_TRUE(parse({"-e", "1", "--provider", "wasm"}, "dcoker"));
}

TEST(RunOptions, TheEnvironmentNamesTheEngineOfContainers) {
  const auto options = parse_run_options(Args{"-e", "1", "--memory-mb", "96", "--max-output=7"},
                                         {.sandbox_provider = "docker",
                                          .sandbox_docker_host = "unix:///h",
                                          .client_token_file = {},
                                          .sandbox_docker_certs = "/c",
                                          .sandbox_docker_image = "i",
                                          .sandbox_docker_runtime = "runsc",
                                          .sandbox_docker_seccomp = "/s"});
  ASSERT_TRUE(options) << options.error().message;
  EXPECT_EQ(options->config.provider, ProviderKind::kDocker);
  const DockerConfig& docker = options->config.docker;
  EXPECT_EQ(docker.host, "unix:///h");
  EXPECT_EQ(docker.certs, "/c");
  EXPECT_EQ(docker.image, "i");
  EXPECT_EQ(docker.runtime, "runsc");
  EXPECT_EQ(docker.seccomp, "/s");
  EXPECT_EQ(docker.pool, 0U);
  EXPECT_EQ(docker.max_concurrent, 1U);
  EXPECT_EQ(docker.memory_mb, 96U);
  EXPECT_EQ(docker.output_cap_bytes, 7U);
  EXPECT_EQ(parse({"-e", "1", "--provider=docker"})->config.docker.host, DockerConfig{}.host);
}

TEST(RunOptions, ExactlyOneSource) {
  EXPECT_FALSE(parse({}));
  EXPECT_FALSE(parse({"-e", "1", "f.js"}));
  EXPECT_FALSE(parse({"a.js", "b.js"}));
  EXPECT_FALSE(parse({""}));
  EXPECT_TRUE(parse({"-e", ""}));  // the library judges the code
  EXPECT_EQ(parse({"--", "-x.js"})->source_path, "-x.js");
}

TEST(RunOptions, EveryMistakeAtOnce) {
  const auto options =
      parse({"--timeout=10", "--memory-mb=x", "--min-isolation=moon", "--provider=z"});
  ASSERT_FALSE(options);
  EXPECT_EQ(options.error().exit_code, kExitUsage);
  for (const std::string_view part :
       {"--timeout:", "--memory-mb:", "--min-isolation:", "--provider:", "one source is needed"}) {
    EXPECT_NE(options.error().message.find(part), std::string::npos) << part;
  }
}

TEST(RunOptions, AServiceDecidesAboutItsOwnSandbox) {
  const auto options = parse({"-e", "1", "--remote=https://h", "--token-file=t"}, "dcoker");
  ASSERT_TRUE(options) << options.error().message;  // SANDBOX_PROVIDER is not looked at
  ASSERT_TRUE(options->remote);
  EXPECT_EQ(options->remote->url, "https://h");
  EXPECT_FALSE(parse({"-e", "1"})->remote);
  for (const std::string_view flag : {"--provider=wasm", "--memory-mb=64", "--max-output=1"}) {
    EXPECT_FALSE(parse({"-e", "1", "--remote=https://h", "--token-file=t", flag})) << flag;
  }
}

TEST(RunOptions, HelpNeedsNoSource) {
  const auto options = parse({"--help"});
  ASSERT_TRUE(options);
  EXPECT_TRUE(options->help);
}

}  // namespace
}  // namespace plimsoll::cli
