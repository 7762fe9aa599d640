// The real documents that the generator is tested with. They are no part of the repository: where
// they are absent, a test is skipped and says so; where CI=true, it fails.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::specgen {

[[nodiscard]] inline std::filesystem::path documents_folder() {
  // Read by tests only, before they start threads.
  const char* folder = std::getenv("PLIMSOLL_OPENAPI_DIR");  // NOLINT(concurrency-mt-unsafe)
  return folder != nullptr ? std::filesystem::path(folder)
                           : std::filesystem::path(PLIMSOLL_SOURCE_DIR) / "../shared/openapi";
}

[[nodiscard]] inline std::filesystem::path github_document() {
  return std::filesystem::path(PLIMSOLL_SOURCE_DIR) /
         "tests/specgen/node_modules/@octokit/openapi/generated/api.github.com.json";
}

[[nodiscard]] inline bool is_ci() {
  const char* ci = std::getenv("CI");  // NOLINT(concurrency-mt-unsafe)
  return ci != nullptr && std::string_view(ci) == "true";
}

// Sorted by name; GitHub's is the last. Without those that are absent.
[[nodiscard]] inline std::vector<std::filesystem::path> all_documents() {
  std::vector<std::filesystem::path> found;
  if (std::filesystem::is_directory(documents_folder())) {
    for (const auto& entry : std::filesystem::directory_iterator(documents_folder())) {
      if (entry.path().extension() != ".md") found.push_back(entry.path());
    }
  }
  std::ranges::sort(found);
  if (std::filesystem::exists(github_document())) found.push_back(github_document());
  return found;
}

[[nodiscard]] inline bool documents_are_there() {
  return std::filesystem::is_directory(documents_folder()) &&
         std::filesystem::exists(github_document());
}

[[nodiscard]] inline std::string content_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace plimsoll::specgen

// At the start of a test that needs them.
#define PLIMSOLL_NEED_DOCUMENTS()                                                      \
  do {                                                                                 \
    if (!plimsoll::specgen::documents_are_there()) {                                   \
      if (plimsoll::specgen::is_ci()) FAIL() << "the OpenAPI documents are not there"; \
      GTEST_SKIP() << "the OpenAPI documents are not there: PLIMSOLL_OPENAPI_DIR or "  \
                      "../shared/openapi, and deps/setup for GitHub's";                \
    }                                                                                  \
  } while (false)
