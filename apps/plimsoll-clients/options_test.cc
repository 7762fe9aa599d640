#include "options.h"

#include <gtest/gtest.h>

namespace plimsoll::clients {
namespace {

using Args = std::vector<std::string_view>;

std::string mistake(const Args& args) {
  const auto options = parse_options(args);
  return options ? "" : options.error();
}

TEST(ClientsOptions, Commands) {
  const auto created = parse_options(
      Args{"create", "-file", "f", "--id=ann", "-scope", "a", "-scope", "b", "-token-stdout"});
  ASSERT_TRUE(created) << created.error();
  EXPECT_EQ(created->command, Command::kCreate);
  EXPECT_EQ(created->file, "f");
  EXPECT_EQ(created->id, "ann");
  EXPECT_EQ(created->scopes, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(created->token, TokenFrom::kGenerated);
  EXPECT_EQ(parse_options(Args{"import", "-file", "f", "-id", "i"})->token, TokenFrom::kStdin);
  EXPECT_EQ(parse_options(Args{"list", "-file", "f", "-json"})->list, ListAs::kJson);
  EXPECT_EQ(parse_options(Args{"rotate", "-file", "f", "-id", "i", "-token-stdin"})->token,
            TokenFrom::kStdin);
  EXPECT_EQ(parse_options(Args{"revoke", "-file", "f", "-id", "i"})->command, Command::kRevoke);
  EXPECT_EQ(parse_options(Args{"create", "--help"})->command, Command::kHelp);
  EXPECT_EQ(parse_options(Args{"--version"})->command, Command::kVersion);
}

TEST(ClientsOptions, Mistakes) {
  const std::pair<Args, std::string> cases[] = {
      {{}, "a command is needed"},
      {{"crate"}, "unknown command; create, import, list, rotate, revoke are accepted"},
      {{"list"}, "list needs -file FILE"},
      {{"list", "-file", ""}, "list needs -file FILE"},
      {{"revoke", "-file", "f"}, "revoke needs -id ID"},
      {{"create", "-file", "f", "-id", "i"},
       "create prints the new token on standard output, and needs -token-stdout to do so"},
      {{"create", "-file", "f", "-id", "i", "-token-stdin"}, "unknown flag -token-stdin"},
      {{"rotate", "-file", "f", "-id", "i"}, "rotate needs one of -token-stdout and -token-stdin"},
      {{"rotate", "-file", "f", "-id", "i", "-token-stdout", "-token-stdin"},
       "rotate needs one of -token-stdout and -token-stdin"},
      {{"import", "-file", "f", "-id", "i", "s3cr3t"},
       "import takes no operand; a token is never an argument"},
      {{"create", "-file", "f", "-file", "g"}, "-file is given twice"},
  };
  for (const auto& [args, text] : cases) EXPECT_EQ(mistake(args), text);
}

}  // namespace
}  // namespace plimsoll::clients
