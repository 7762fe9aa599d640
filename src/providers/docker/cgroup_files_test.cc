#include "providers/docker/cgroup_files.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace plimsoll::docker {
namespace {

class Folder {
 public:
  Folder() : path_(::testing::TempDir() + "cgroup." + std::to_string(::getpid())) {
    std::filesystem::remove_all(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }
  void write(const std::string& file, const std::string& text) const {
    const std::filesystem::path at = path_ + "/" + file;
    std::filesystem::create_directories(at.parent_path());
    std::ofstream(at) << text;
  }

 private:
  std::string path_;
};

constexpr std::string_view kVersion1 =
    "5:devices:/docker/abc\n4:memory:/docker/abc\n3:cpu,cpuacct:/docker/abc\n"
    "2:pids:/docker/abc\n1:name=systemd:/docker/abc\n0::/docker/abc\n";

TEST(CgroupFiles, AGroupIsFoundInEitherVersion) {
  const auto first = find_cgroup(kVersion1, "/cg");
  ASSERT_TRUE(first);
  EXPECT_FALSE(first->unified);
  EXPECT_EQ(first->memory, "/cg/memory/docker/abc");
  EXPECT_EQ(first->pids, "/cg/pids/docker/abc");
  EXPECT_EQ(first->cpu, "/cg/cpu/docker/abc");
  EXPECT_EQ(first->processes, first->pids);
  const auto second = find_cgroup("0::/system.slice/docker-abc.scope\n", "/cg");
  ASSERT_TRUE(second);
  EXPECT_TRUE(second->unified);
  EXPECT_EQ(second->memory, "/cg/system.slice/docker-abc.scope");
}

TEST(CgroupFiles, AGroupIsThatOfTheContainerWhoseIdIsInItsPath) {
  for (const char* path : {"/docker/abc", "/a/parent/abc", "/docker/abc/below",
                           "/system.slice/docker-abc.scope", "/my.slice/other-abc.scope"}) {
    const auto group = find_cgroup(std::string("0::") + path + "\n", "/cg");
    ASSERT_TRUE(group) << path;
    EXPECT_TRUE(is_group_of(*group, "abc")) << path;
    EXPECT_FALSE(is_group_of(*group, "")) << path;
  }
  for (const char* path :
       {"/docker/abcd", "/docker/xabc", "/docker/ab", "/user.slice/session.scope",
        "/system.slice/docker-xabc.scope", "/system.slice/docker-abc.scoped"}) {
    const auto group = find_cgroup(std::string("0::") + path + "\n", "/cg");
    ASSERT_TRUE(group) << path;
    EXPECT_FALSE(is_group_of(*group, "abc")) << path;
  }
}

TEST(CgroupFiles, TheHostsOwnGroupAndOthersAreNone) {
  for (const char* text : {"", "0::/\n", "0::/../other\n", "2:pids:/\n0::/\n", "nonsense\n"}) {
    EXPECT_FALSE(find_cgroup(text, "/cg")) << text;
  }
}

TEST(CgroupFiles, LimitsOfVersion1) {
  const Folder root;
  root.write("memory/docker/abc/memory.limit_in_bytes", "1048576\n");
  root.write("memory/docker/abc/memory.memsw.limit_in_bytes", "9223372036854771712\n");
  root.write("pids/docker/abc/pids.max", "max\n");
  root.write("cpu/docker/abc/cpu.cfs_quota_us", "50000\n");
  root.write("cpu/docker/abc/cpu.cfs_period_us", "100000\n");
  const auto folders = find_cgroup(kVersion1, root.path());
  ASSERT_TRUE(folders);
  const CgroupLimits limits = read_limits(*folders);
  EXPECT_EQ(limits.memory_bytes, 1'048'576U);
  EXPECT_EQ(limits.memory_and_swap_bytes, std::nullopt);  // no limit
  EXPECT_EQ(limits.pids, std::nullopt);
  EXPECT_EQ(limits.cpus, 0.5);
}

TEST(CgroupFiles, LimitsOfVersion2) {
  const Folder root;
  root.write("g/memory.max", "1048576\n");
  root.write("g/memory.swap.max", "0\n");
  root.write("g/pids.max", "20\n");
  root.write("g/cpu.max", "150000 100000\n");
  root.write("g/memory.events", "low 0\nmax 3\noom 1\noom_kill 2\noom_group_kill 0\n");
  const auto folders = find_cgroup("0::/g\n", root.path());
  ASSERT_TRUE(folders);
  const CgroupLimits limits = read_limits(*folders);
  EXPECT_EQ(limits.memory_and_swap_bytes, 1'048'576U);
  EXPECT_EQ(limits.pids, 20U);
  EXPECT_EQ(limits.cpus, 1.5);
  EXPECT_EQ(read_oom_kills(*folders), 2U);
}

TEST(CgroupFiles, ProcessesOfGroupsBelowAreTheGroups) {
  const Folder root;
  root.write("g/cgroup.procs", "10\n11\n");
  root.write("g/inner/cgroup.procs", "12\n");
  root.write("g/inner/more/cgroup.procs", "");
  const auto folders = find_cgroup("0::/g\n", root.path());
  ASSERT_TRUE(folders);
  EXPECT_EQ(read_pids(*folders), (std::vector<pid_t>{10, 11, 12}));
  root.write("g/inner/cgroup.procs", "twelve\n");
  EXPECT_FALSE(read_pids(*folders));
  EXPECT_FALSE(read_pids({.processes = root.path() + "/none"}));
}

}  // namespace
}  // namespace plimsoll::docker
