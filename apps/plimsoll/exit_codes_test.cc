#include "exit_codes.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "run_options.h"

namespace plimsoll::cli {
namespace {

constexpr ErrorCode kAll[] = {
    ErrorCode::kInvalidConfig,   ErrorCode::kInvalidRequest, ErrorCode::kDisabled,
    ErrorCode::kUnsupported,     ErrorCode::kIsolation,      ErrorCode::kCapacity,
    ErrorCode::kNotReady,        ErrorCode::kInfrastructure, ErrorCode::kCanceled,
    ErrorCode::kUnauthenticated, ErrorCode::kPermission,     ErrorCode::kUnreachable,
    ErrorCode::kRecordMismatch};

TEST(ExitCodes, AreDistinctAndOutsideOfWhatShellsUse) {
  std::set<int> seen = {kExitNoInput, kExitOutput};
  for (const ErrorCode code : kAll) {
    const int exit_code = exit_code_of(code);
    EXPECT_GE(exit_code, 64) << to_string(code);
    EXPECT_LE(exit_code, 79) << to_string(code);
    EXPECT_TRUE(seen.insert(exit_code).second) << to_string(code);
  }
}

TEST(ExitCodes, BothMismatchesAreOneCode) {
  EXPECT_EQ(exit_code_of(ErrorCode::kRecordMismatch), exit_code_of(ErrorCode::kEvidenceMismatch));
}

TEST(ExitCodes, AreAllInTheHelp) {
  for (const ErrorCode code : kAll) {
    EXPECT_NE(kRunHelp.find("  " + std::to_string(exit_code_of(code)) + " "),
              std::string_view::npos)
        << to_string(code);
  }
  EXPECT_NE(kRunHelp.find("  66 "), std::string_view::npos);
  EXPECT_NE(kRunHelp.find("  74 "), std::string_view::npos);
}

TEST(ExitCodes, TheHelpFitsATerminal) {
  for (std::string_view rest = kRunHelp; !rest.empty();) {
    const auto end = rest.find('\n');
    EXPECT_LE(end, 88U) << rest.substr(0, end);
    rest.remove_prefix(end + 1);
  }
}

}  // namespace
}  // namespace plimsoll::cli
