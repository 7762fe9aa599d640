#include "rpc/text_codec.h"

#include <gtest/gtest.h>

namespace plimsoll::rpc {
namespace {

std::string every_byte() {
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes += static_cast<char>(i);
  return bytes;
}

TEST(Base64, IsWrittenWithoutPadding) {
  EXPECT_EQ(base64_encode(""), "");
  EXPECT_EQ(base64_encode("f"), "Zg");
  EXPECT_EQ(base64_encode("fo"), "Zm8");
  EXPECT_EQ(base64_encode("foo"), "Zm9v");
  EXPECT_EQ(base64_encode("\xFB\xFF"), "+/8");
}

TEST(Base64Url, IsReadPaddedOrNot) {
  for (const auto& [text, want] :
       std::initializer_list<std::pair<std::string_view, std::optional<std::string>>>{
           {"", ""},
           {"Zg", "f"},
           {"Zg==", "f"},
           {"Zm8", "fo"},
           {"Zm8=", "fo"},
           {"Zm9v", "foo"},
           {"-_8", "\xFB\xFF"},
           {"+/8", std::nullopt},
           {"Z", std::nullopt},
           {"Zg=", std::nullopt},
           {"Zg===", std::nullopt},
           {"Z=g=", std::nullopt},
           {"Zm9v=", std::nullopt},
           {"Zm9v====", std::nullopt},
           {"Zh", std::nullopt},
           {"Zm 8", std::nullopt},
       }) {
    EXPECT_EQ(base64url_decode(text), want) << text;
  }
}

TEST(Base64Url, ReadsEveryByte) {
  std::string text = base64_encode(every_byte());
  for (char& c : text) c = c == '+' ? '-' : c == '/' ? '_' : c;
  EXPECT_EQ(base64url_decode(text), every_byte());
}

TEST(GrpcMessage, KeepsPrintableAsciiButPercent) {
  EXPECT_EQ(grpc_percent_encode("a b~"), "a b~");
  EXPECT_EQ(grpc_percent_encode("100%\r\n\xC3\xA4\x7F"), "100%25%0D%0A%C3%A4%7F");
}

TEST(Query, IsDecodedOnce) {
  EXPECT_EQ(query_decode("a+b%20c%2525"), "a b c%25");
  EXPECT_EQ(query_decode("%00"), std::string(1, '\0'));
  for (const char* bad : {"%", "%1", "%1g", "%g1", "ab%"})
    EXPECT_EQ(query_decode(bad), std::nullopt);
}

TEST(JsonQuote, IsValidJsonWhateverComesIn) {
  EXPECT_EQ(json_quote("a\"\\\n\r\t\x01\x7F"), R"("a\"\\\n\r\t\u0001\u007F")");
  EXPECT_EQ(json_quote("\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80"),
            "\"\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80\"");
  // Overlong, surrogate, beyond Unicode, cut short, a lone continuation.
  for (const char* bad : {"\xC0\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xE2\x82", "\x80"}) {
    EXPECT_EQ(utf8_prefix(bad), 0U);
    const std::string quoted = json_quote(bad);
    EXPECT_EQ(utf8_prefix(quoted), quoted.size());
    EXPECT_NE(quoted.find("\xEF\xBF\xBD"), std::string::npos);
  }
  const std::string all = json_quote(every_byte());
  EXPECT_EQ(utf8_prefix(all), all.size());
}

}  // namespace
}  // namespace plimsoll::rpc
