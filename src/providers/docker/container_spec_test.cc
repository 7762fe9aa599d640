#include "providers/docker/container_spec.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "providers/docker/engine_json.h"

namespace plimsoll::docker {
namespace {

ContainerSpec spec() {
  return {.image_id = "sha256:" + std::string(64, 'a'),
          .limits = {.memory_mb = 100, .cpus = 0.5, .pids = 20, .disk_mb = 64},
          .seccomp = R"({"defaultAction":"SCMP_ACT_ERRNO"})",
          .labels = {{"a", "b"}}};
}

JsonValue written(const ContainerSpec& spec) {
  auto value = parse_answer("spec", to_json(spec));
  EXPECT_TRUE(value);
  return value.value_or(JsonValue{});
}

std::int64_t ulimit(const JsonValue& root, std::string_view name) {
  const JsonValue* limits = member_at(root, "HostConfig/Ulimits");
  if (limits == nullptr) return -1;
  for (const JsonValue& one : limits->items) {
    if (string_at(one, "Name") != name) continue;
    EXPECT_EQ(whole_at(one, "Soft"), whole_at(one, "Hard"));
    return whole_at(one, "Hard").value_or(-1);
  }
  return -1;
}

bool has(const std::optional<std::vector<std::string>>& list, std::string_view value) {
  return list && std::ranges::find(*list, value) != list->end();
}

TEST(ContainerSpec, EveryWallIsAskedFor) {
  const JsonValue root = written(spec());
  EXPECT_EQ(string_at(root, "Image"), "sha256:" + std::string(64, 'a'));
  EXPECT_EQ(string_at(root, "User"), "65534:65534");
  EXPECT_EQ(bool_at(root, "NetworkDisabled"), true);
  EXPECT_EQ(bool_at(root, "Tty"), false);
  EXPECT_EQ(bool_at(root, "StdinOnce"), true);
  EXPECT_EQ(string_at(root, "HostConfig/NetworkMode"), "none");
  EXPECT_EQ(bool_at(root, "HostConfig/ReadonlyRootfs"), true);
  EXPECT_EQ(bool_at(root, "HostConfig/Privileged"), false);
  EXPECT_EQ(bool_at(root, "HostConfig/Init"), true);
  EXPECT_EQ(strings_at(root, "HostConfig/CapDrop"), std::vector<std::string>{"ALL"});
  EXPECT_TRUE(has(strings_at(root, "HostConfig/SecurityOpt"), "no-new-privileges:true"));
  EXPECT_TRUE(has(strings_at(root, "HostConfig/SecurityOpt"), "seccomp=" + spec().seccomp));
  EXPECT_EQ(string_at(root, "HostConfig/IpcMode"), "private");
  EXPECT_EQ(string_at(root, "HostConfig/LogConfig/Type"), "none");
  EXPECT_EQ(string_at(root, "HostConfig/RestartPolicy/Name"), "no");
  EXPECT_EQ(string_at(root, "Labels/a"), "b");
  EXPECT_TRUE(has(strings_at(root, "HostConfig/MaskedPaths"), "/proc/kcore"));
  EXPECT_TRUE(has(strings_at(root, "HostConfig/ReadonlyPaths"), "/proc/sys"));
  for (const char* none : {"HostConfig/Devices", "HostConfig/Binds"}) {
    const JsonValue* list = member_at(root, none);
    ASSERT_NE(list, nullptr) << none;
    EXPECT_TRUE(list->items.empty()) << none;
  }
  for (const char* absent : {"HostConfig/Runtime", "HostConfig/CapAdd", "HostConfig/Mounts",
                             "HostConfig/VolumesFrom", "Cmd", "Entrypoint"}) {
    EXPECT_EQ(member_at(root, absent), nullptr) << absent;
  }
}

TEST(ContainerSpec, LimitsAreInTheEnginesUnits) {
  const JsonValue root = written(spec());
  EXPECT_EQ(whole_at(root, "HostConfig/Memory"), 100 << 20);
  EXPECT_EQ(whole_at(root, "HostConfig/MemorySwap"), 100 << 20);  // no swap on top
  EXPECT_EQ(whole_at(root, "HostConfig/NanoCpus"), 500'000'000);
  EXPECT_EQ(whole_at(root, "HostConfig/PidsLimit"), 20);
  EXPECT_EQ(ulimit(root, "core"), 0);
  EXPECT_EQ(ulimit(root, "nofile"), 1'024);
  EXPECT_EQ(ulimit(root, "fsize"), 64 << 20);
  EXPECT_EQ(ulimit(root, "nproc"), -1);  // it would count other containers' processes as well
}

TEST(ContainerSpec, GvisorHasRoomForItsOwnThreadsAndBoundsTheGuestsInside) {
  ContainerSpec gvisor = spec();
  gvisor.kernel = GuestKernel::kGvisor;
  gvisor.runtime = "runsc";
  const JsonValue root = written(gvisor);
  EXPECT_EQ(string_at(root, "HostConfig/Runtime"), "runsc");
  EXPECT_EQ(ulimit(root, "nproc"), 20);
  EXPECT_GE(whole_at(root, "HostConfig/PidsLimit").value_or(0), 256);
  EXPECT_EQ(string_at(root, "HostConfig/Tmpfs//tmp"), std::nullopt);
}

TEST(ContainerSpec, WhatCanBeWrittenIsTheLimitInAll) {
  for (const std::uint32_t disk : {3U, 8U, 64U, 100U, 1'000U, 65'536U}) {
    const DiskShares shares = share_disk(disk);
    EXPECT_EQ(shares.work_mb + shares.tmp_mb + shares.shm_mb, disk) << disk;
    EXPECT_GT(shares.work_mb, 0U);
    EXPECT_GT(shares.tmp_mb, 0U);
    EXPECT_GT(shares.shm_mb, 0U);
  }
  const JsonValue root = written(spec());
  const JsonValue* mounts = member_at(root, "HostConfig/Tmpfs");
  ASSERT_NE(mounts, nullptr);
  EXPECT_EQ(mounts->members.size(), 2U);
  for (const JsonMember& mount : mounts->members) {
    EXPECT_TRUE(mount.value.text.starts_with("rw,noexec,nosuid,nodev,size=")) << mount.name;
  }
  EXPECT_EQ(whole_at(root, "HostConfig/ShmSize"), 8 << 20);
}

TEST(ContainerSpec, TextCannotLeaveItsPlace) {
  ContainerSpec hostile = spec();
  hostile.labels = {{"x", "\"},\"HostConfig\":{\"Privileged\":true},\"y\":{\"\n"}};
  hostile.runtime = "a\",\"Privileged\":true,\"b";
  const JsonValue root = written(hostile);
  EXPECT_EQ(bool_at(root, "HostConfig/Privileged"), false);
  EXPECT_EQ(string_at(root, "HostConfig/Runtime"), hostile.runtime);
}

}  // namespace
}  // namespace plimsoll::docker
