#include "auth/registry_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace plimsoll {
namespace {

const std::string kRegistry = R"({"clients": [{"id": "ann", "token_sha256": ")" +
                              std::string(64, 'a') + R"(", "scopes": ["code:run"]}]})";

class RegistryFile : public testing::Test {
 protected:
  RegistryFile() {
    std::string pattern = testing::TempDir() + "/registry-XXXXXX";
    folder_ = ::mkdtemp(pattern.data());
    path_ = folder_ + "/clients.json";
  }
  ~RegistryFile() override { std::filesystem::remove_all(folder_); }

  void write(std::string_view content, mode_t mode = 0600) const {
    std::ofstream(path_, std::ios::binary) << content;
    ASSERT_EQ(::chmod(path_.c_str(), mode), 0);
  }
  // What is wrong, without the path; "" for nothing.
  [[nodiscard]] std::string loaded() const {
    const auto registry = load_registry(path_);
    if (registry) return "";
    EXPECT_EQ(registry.error().code, ErrorCode::kInvalidConfig);
    EXPECT_TRUE(registry.error().message.starts_with(path_ + ": ")) << registry.error().message;
    return registry.error().message.substr(path_.size() + 2);
  }

  std::string folder_;
  std::string path_;
};

TEST_F(RegistryFile, WhoMayWriteIt) {
  for (const mode_t mode : {0400U, 0600U, 0640U, 0644U, 0444U}) {
    write(kRegistry, mode);
    EXPECT_EQ(loaded(), "") << std::oct << mode;
    std::filesystem::remove(path_);
  }
  for (const mode_t mode : {0620U, 0602U, 0666U, 0660U}) {
    write(kRegistry, mode);
    EXPECT_NE(loaded().find("chmod go-w"), std::string::npos) << std::oct << mode;
  }
}

TEST_F(RegistryFile, MissingEmptyOrMalformed) {
  EXPECT_EQ(loaded(), "cannot be read: No such file or directory (ENOENT)");
  write("");
  EXPECT_EQ(loaded(), "is empty");
  write(R"({"clients": []})");
  EXPECT_EQ(loaded(), "has no callers; plimsoll-clients create adds one");
  write("{");
  EXPECT_EQ(loaded(), "the file is not JSON from line 1, column 2 on");
  write(std::string(kMaxRegistryBytes + 1, ' '));
  EXPECT_EQ(loaded(), "has more than 4194304 bytes");
}

TEST_F(RegistryFile, WhatIsNoRegularFile) {
  write(kRegistry);
  std::filesystem::rename(path_, folder_ + "/real");
  std::filesystem::create_symlink("real", path_);
  EXPECT_EQ(loaded(), "is a symbolic link; a file is accepted");
  std::filesystem::remove(path_);
  std::filesystem::create_directory(path_);
  EXPECT_EQ(loaded(), "is no regular file");
  std::filesystem::remove(path_);
  ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  EXPECT_EQ(loaded(), "is no regular file");
}

TEST_F(RegistryFile, AnUnreadableOne) {
  if (::geteuid() == 0) {
    // Root reads everything; a folder in the way is as good.
    path_ = "/proc/self/mem/x";
    EXPECT_EQ(loaded(), "cannot be read: Not a directory (ENOTDIR)");
    return;
  }
  write(kRegistry, 0200);
  EXPECT_EQ(loaded(), "cannot be read: Permission denied (EACCES)");
}

}  // namespace
}  // namespace plimsoll
