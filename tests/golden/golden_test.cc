// What Node 22 printed, against what a real worker prints, byte for byte. The expectations are
// recorded by record.mjs and surface.mjs, never written by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "plimsoll/sandbox.h"

namespace plimsoll::golden {
namespace {

using Json = nlohmann::json;

std::string read(const std::string& path) {
  std::ifstream file(std::string(PLIMSOLL_SOURCE_DIR "/") + path, std::ios::binary);
  if (!file) throw std::runtime_error(path + " cannot be read");
  return {std::istreambuf_iterator<char>(file), {}};
}

Json parse(const std::string& path) { return Json::parse(read(path)); }

class Golden : public ::testing::Test {
 protected:
  Golden() {
    auto built = Sandbox::build({.provider = ProviderKind::kWasm,
                                 .wasm = {.max_concurrent = 1, .output_cap_bytes = 1 << 20}});
    if (!built) throw std::runtime_error(built.error().message);
    if (auto ready = built->ensure_ready(); !ready) {
      throw std::runtime_error(ready.error().message);
    }
    sandbox_.emplace(*std::move(built));
  }

  Outcome run(const std::string& code) {
    auto outcome = sandbox_->run_javascript({.code = code});
    if (!outcome) throw std::runtime_error(outcome.error().message);
    return *std::move(outcome);
  }

  // Runs every case of a file; `shape` is what of an error's text is compared.
  void expect_as_recorded(const std::string& path, std::size_t least_cases,
                          std::string (*shape)(const std::string&) = nullptr) {
    const Json cases = parse(path);
    EXPECT_GE(cases.size(), least_cases);
    for (const Json& each : cases) {
      const std::string code = each.at("code");
      SCOPED_TRACE(each.at("name").get<std::string>() + "\n" + code);
      const Outcome outcome = run(code);
      const std::string stderr_text =
          shape == nullptr ? outcome.stderr_bytes : shape(outcome.stderr_bytes);
      EXPECT_EQ(outcome.stdout_bytes, each.at("stdout").get<std::string>());
      EXPECT_EQ(stderr_text, each.at("stderr").get<std::string>());
      EXPECT_EQ(outcome.exit_code, each.at("exit_code").get<int>());
      EXPECT_EQ(outcome.termination.cause, TerminationCause::kExited);
    }
  }

  std::optional<Sandbox> sandbox_;
};

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == separator) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

// As fatal/fatal_text.mjs: without frames, without the length of the caret line, and without the
// brackets of an error that has no frames.
std::string fatal_text(const std::string& text) {
  std::string shaped;
  for (std::string line : split(text, '\n')) {
    const std::size_t indent = line.find_first_not_of(' ');
    if (indent != std::string::npos) {
      const std::string_view rest = std::string_view(line).substr(indent);
      if (indent > 0 && (rest.starts_with("at ") || rest.starts_with("... "))) continue;
      if (rest.find_first_not_of('^') == std::string_view::npos) line.resize(indent + 1);
      if (indent == 0 && line.starts_with('[')) {
        if (line.ends_with("] {")) line.resize(line.size() - 2);
        if (line.ends_with(']')) line = line.substr(1, line.size() - 2);
      }
    }
    shaped += line + '\n';
  }
  while (shaped.ends_with("\n\n")) shaped.pop_back();
  return shaped;
}

TEST_F(Golden, TheConsolePrintsAsNode22) {
  expect_as_recorded("tests/golden/console/cases.json", 150);
}

TEST_F(Golden, SnippetsBehaveAsInNode22) {
  expect_as_recorded("tests/golden/behaviour/behaviour.json", 100);
}

TEST_F(Golden, TypeScriptRuns) {
  expect_as_recorded("tests/golden/typescript/typescript.json", 10);
}

TEST_F(Golden, AnUncaughtErrorReadsAsInNode22) {
  expect_as_recorded("tests/golden/fatal/fatal.json", 10, fatal_text);
}

TEST_F(Golden, OutputIsTheGuestsBytes) {
  const Json cases = parse("src/guest/prelude/test/bytes.json");
  EXPECT_GE(cases.size(), 5U);
  for (const Json& each : cases) {
    std::string expected;
    const std::string hex = each.at("hex");
    for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
      expected += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
    }
    EXPECT_EQ(run(each.at("code")).stdout_bytes, expected) << each.at("code");
  }
}

TEST_F(Golden, AGuestThatBreaksTheBuiltinsSeesTheSameOutput) {
  const Json cases = parse("src/guest/prelude/test/hostile.json");
  EXPECT_GE(cases.size(), 5U);
  for (const Json& each : cases) {
    const std::string code = each.at("code");
    SCOPED_TRACE(each.at("name").get<std::string>());
    const Outcome plain = run("\n" + code);
    const Outcome poisoned = run(each.at("poison").get<std::string>() + "\n" + code);
    EXPECT_NE(plain.stdout_bytes + plain.stderr_bytes, "");
    EXPECT_EQ(poisoned.stdout_bytes, plain.stdout_bytes);
    EXPECT_EQ(poisoned.stderr_bytes, plain.stderr_bytes);
    EXPECT_EQ(poisoned.exit_code, plain.exit_code);
  }
}

// A row of docs/javascript.md whose expression is checked; the document says how.
struct Row {
  std::string expression;
  std::string here;
  std::optional<std::string> node;  // nothing: it varies
};

std::optional<std::string> code_span(std::string_view cell) {
  if (cell.size() < 4 || !cell.starts_with(" `") || !cell.ends_with("` ")) return std::nullopt;
  return std::string(cell.substr(2, cell.size() - 4));
}

std::vector<Row> documented_rows() {
  std::vector<Row> rows;
  for (const std::string& line : split(read("docs/javascript.md"), '\n')) {
    const std::vector<std::string> cells = split(line, '|');
    if (cells.size() < 5 || !cells[0].empty()) continue;
    const auto expression = code_span(cells[1]);
    const auto here = code_span(cells[2]);
    const auto node = code_span(cells[3]);
    if (!expression || !here || (!node && cells[3] != " varies ")) continue;
    rows.push_back({.expression = *expression, .here = *here, .node = node});
  }
  return rows;
}

TEST_F(Golden, TheDocumentedSurfaceIsWhatASnippetFinds) {
  const std::vector<Row> rows = documented_rows();
  EXPECT_GE(rows.size(), 60U);
  for (const Row& row : rows) {
    const Outcome outcome = run("console.log(String(" + row.expression + "))");
    EXPECT_EQ(outcome.stdout_bytes, row.here + "\n") << row.expression << outcome.stderr_bytes;
    EXPECT_EQ(outcome.exit_code, 0) << row.expression;
  }
}

TEST_F(Golden, TheDocumentSaysWhatNode22WasSeenToPrint) {
  const Json recorded = parse("tests/golden/surface.json");
  const std::vector<Row> rows = documented_rows();
  ASSERT_EQ(recorded.size(), rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(recorded[i].at("expression"), rows[i].expression);
    EXPECT_EQ(recorded[i].at("result"), rows[i].here) << rows[i].expression;
    EXPECT_EQ(recorded[i].contains("node"), rows[i].node.has_value()) << rows[i].expression;
    if (!rows[i].node) continue;
    EXPECT_EQ(recorded[i].at("node"), *rows[i].node) << rows[i].expression;
  }
}

}  // namespace
}  // namespace plimsoll::golden
