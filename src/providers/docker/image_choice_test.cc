#include "providers/docker/image_choice.h"

#include <gtest/gtest.h>

#include <string>

namespace plimsoll::docker {
namespace {

const std::string kId = "sha256:" + std::string(64, 'a');
const std::string kManifest = "sha256:" + std::string(64, 'b');

EngineImage image() {
  return {.id = kId,
          .repo_digests = {"plimsoll/snippet@" + kManifest},
          .command = {"x"},
          .os = "linux"};
}

bool accepted(const std::string& name, const EngineImage& image,
              Pinning pinning = Pinning::kOptional) {
  const auto valid = check_image(name, image, pinning);
  if (!valid) {
    EXPECT_EQ(valid.error().code, ErrorCode::kNotReady);
  }
  return valid.has_value();
}

TEST(ImageChoice, ATagIsAcceptedUnlessPinningIsRequired) {
  EXPECT_TRUE(accepted("plimsoll/snippet:latest", image()));
  EXPECT_FALSE(accepted("plimsoll/snippet:latest", image(), Pinning::kRequired));
}

TEST(ImageChoice, ADigestIsThatOfTheManifestOrOfTheContent) {
  for (const Pinning pinning : {Pinning::kOptional, Pinning::kRequired}) {
    EXPECT_TRUE(accepted("plimsoll/snippet@" + kId, image(), pinning));
    EXPECT_TRUE(accepted("plimsoll/snippet@" + kManifest, image(), pinning));
    EXPECT_FALSE(accepted("plimsoll/snippet@sha256:" + std::string(64, 'c'), image(), pinning));
  }
  EXPECT_FALSE(accepted("plimsoll/snippet@sha256:abc", image(), Pinning::kRequired));
}

TEST(ImageChoice, AnImageWithVolumesIsRefused) {
  EngineImage with_volume = image();
  with_volume.volumes = {"/data"};
  EXPECT_FALSE(accepted("x", with_volume));
}

TEST(ImageChoice, AnImageThatRunsNothingHereIsRefused) {
  EngineImage nothing = image();
  nothing.command.clear();
  EXPECT_FALSE(accepted("x", nothing));
  nothing.entrypoint = {"/runner"};
  EXPECT_TRUE(accepted("x", nothing));
  EngineImage windows = image();
  windows.os = "windows";
  EXPECT_FALSE(accepted("x", windows));
}

}  // namespace
}  // namespace plimsoll::docker
