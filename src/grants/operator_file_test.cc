#include "grants/operator_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace plimsoll {
namespace {

using testing::HasSubstr;

class OperatorFile : public testing::Test {
 protected:
  OperatorFile() {
    std::string name = testing::TempDir() + "plimsoll-operator-XXXXXX";
    folder_ = ::mkdtemp(name.data());
  }
  ~OperatorFile() override { std::filesystem::remove_all(folder_); }
  std::string write(const std::string& name, std::string_view bytes, mode_t mode = 0600) const {
    const std::string path = folder_ + "/" + name;
    std::ofstream(path) << bytes;
    ::chmod(path.c_str(), mode);
    return path;
  }
  static std::string flaw(const std::string& path, FileReaders readers = FileReaders::kAnybody) {
    const auto bytes = read_operator_file(path, 10, readers);
    return bytes ? "" : bytes.error();
  }

  std::string folder_;
};

TEST_F(OperatorFile, IsReadWholeAndBounded) {
  const auto bytes = read_operator_file(write("a", "0123456789"), 10, FileReaders::kAnybody);
  ASSERT_TRUE(bytes) << bytes.error();
  EXPECT_EQ(bytes->reveal(), "0123456789");
  EXPECT_THAT(flaw(write("b", "01234567890")), HasSubstr("more than 10 bytes"));
  EXPECT_EQ(flaw(write("c", "")), "");
  EXPECT_THAT(flaw(folder_ + "/none"), HasSubstr("No such file"));
  EXPECT_THAT(flaw(folder_), HasSubstr("no regular file"));
  ASSERT_EQ(::mkfifo((folder_ + "/fifo").c_str(), 0600), 0);
  EXPECT_THAT(flaw(folder_ + "/fifo"), HasSubstr("no regular file"));
  EXPECT_THAT(flaw("/dev/zero"), HasSubstr("no regular file"));
}

TEST_F(OperatorFile, NobodyElseMayWriteItAndAKeyIsNotForOthers) {
  for (const mode_t mode : {0620U, 0602U, 0666U}) {
    EXPECT_THAT(flaw(write("a", "x", mode)), HasSubstr("may be written")) << mode;
    std::filesystem::remove(folder_ + "/a");
  }
  EXPECT_EQ(flaw(write("b", "x", 0644)), "");
  EXPECT_THAT(flaw(folder_ + "/b", FileReaders::kOwnerAndGroup), HasSubstr("open to others"));
  EXPECT_EQ(flaw(write("c", "x", 0640), FileReaders::kOwnerAndGroup), "");
  EXPECT_EQ(flaw(write("d", "x", 0400), FileReaders::kOwnerAndGroup), "");
}

TEST_F(OperatorFile, APathStaysInItsFolderAfterItsLinksAreResolved) {
  std::filesystem::create_directory(folder_ + "/in");
  write("in/a.js", "x");
  write("out.js", "x");
  const std::string in = folder_ + "/in";
  std::filesystem::create_symlink("a.js", in + "/link.js");
  std::filesystem::create_symlink("../out.js", in + "/escape.js");
  std::filesystem::create_symlink(folder_, in + "/up");
  const auto accepted = [&](const std::string& name) { return path_inside(in, name).has_value(); };
  EXPECT_TRUE(accepted("a.js"));
  EXPECT_TRUE(accepted("./a.js"));
  EXPECT_TRUE(accepted("link.js"));
  EXPECT_TRUE(accepted("../in/a.js"));
  EXPECT_TRUE(accepted(std::filesystem::canonical(in + "/a.js").string()));
  EXPECT_FALSE(accepted("escape.js"));
  EXPECT_FALSE(accepted("up/out.js"));
  EXPECT_FALSE(accepted("../out.js"));
  EXPECT_FALSE(accepted(folder_ + "/out.js"));
  EXPECT_FALSE(accepted("/etc/passwd"));
  EXPECT_FALSE(accepted("none.js"));
  EXPECT_FALSE(accepted("."));
  EXPECT_FALSE(accepted(""));
  // A folder whose name only begins like it.
  std::filesystem::create_directory(folder_ + "/inside");
  write("inside/a.js", "x");
  EXPECT_FALSE(accepted("../inside/a.js"));
}

}  // namespace
}  // namespace plimsoll
