#include "rpc/message_codec.h"

#include <echo.pb.h>
#include <gtest/gtest.h>

namespace plimsoll::rpc {
namespace {

using plimsoll::test::v1::EchoRequest;

TEST(MessageCodec, JsonIsTheProto3Mapping) {
  EchoRequest message;
  for (int i = 0; i < 256; ++i) message.mutable_data()->push_back(static_cast<char>(i));
  message.set_number(-9'223'372'036'854'775'807);
  message.set_fail_message("a\"\xE2\x80\xA8");
  std::string json;
  ASSERT_TRUE(encode_message(Codec::kJson, message, 10'000, json).ok());
  EXPECT_NE(json.find(R"("number":"-9223372036854775807")"), std::string::npos) << json;
  EXPECT_NE(json.find(R"("failMessage":)"), std::string::npos) << json;
  EXPECT_NE(json.find(R"("data":"AAECAwQF)"), std::string::npos) << json;
  EchoRequest back;
  ASSERT_TRUE(decode_message(Codec::kJson, json, back).ok());
  EXPECT_EQ(back.SerializeAsString(), message.SerializeAsString());
}

TEST(MessageCodec, JsonIsReadInBothSpellingsAndUnknownNamesAreIgnored) {
  for (const char* json :
       {R"({"failMessage":"a","number":"7"})", R"({"fail_message":"a","number":7})",
        R"({"x":[{"y":1}],"failMessage":"a","number":"7"})"}) {
    EchoRequest message;
    ASSERT_TRUE(decode_message(Codec::kJson, json, message).ok()) << json;
    EXPECT_EQ(message.fail_message(), "a");
    EXPECT_EQ(message.number(), 7);
  }
}

TEST(MessageCodec, MalformedIsAnInvalidArgument) {
  std::string deep = "{}";
  for (int i = 0; i < 150; ++i) deep.insert(0, R"({"nested":)").push_back('}');
  EchoRequest nested;
  for (int i = 0; i < 150; ++i) {
    EchoRequest outer;
    outer.mutable_nested()->Swap(&nested);
    nested.Swap(&outer);
  }
  for (const auto& [codec, bytes] : std::initializer_list<std::pair<Codec, std::string>>{
           {Codec::kJson, ""},
           {Codec::kJson, "{"},
           {Codec::kJson, "[]"},
           {Codec::kJson, "{} {}"},
           {Codec::kJson, R"({"number":"x"})"},
           {Codec::kJson, "{\"text\":\"\xFF\"}"},
           {Codec::kJson, deep},
           {Codec::kProto, "\x0A\x05"},
           {Codec::kProto, std::string("\x12\x01\xFF")},
           {Codec::kProto, nested.SerializeAsString()},
       }) {
    EchoRequest message;
    EXPECT_EQ(decode_message(codec, bytes, message).code, Code::kInvalidArgument) << bytes;
  }
  EchoRequest message;
  EXPECT_TRUE(decode_message(Codec::kProto, "", message).ok());
}

TEST(MessageCodec, AnswersAreBounded) {
  EchoRequest message;
  message.set_data(std::string(100, 'a'));
  std::string out;
  EXPECT_TRUE(encode_message(Codec::kProto, message, 102, out).ok());
  EXPECT_EQ(encode_message(Codec::kProto, message, 101, out).code, Code::kResourceExhausted);
  EXPECT_EQ(encode_message(Codec::kJson, message, 140, out).code, Code::kResourceExhausted);
  EXPECT_TRUE(out.empty());
}

}  // namespace
}  // namespace plimsoll::rpc
