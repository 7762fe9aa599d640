#include "rpc/call_plan.h"

#include <gtest/gtest.h>

#include "rpc/grpc_frame.h"
#include "rpc/gzip.h"

namespace plimsoll::rpc {
namespace {

using Fields = std::initializer_list<std::pair<std::string_view, std::string_view>>;

RequestHead post(Fields fields, HttpVersion version = HttpVersion::kHttp2) {
  RequestHead head{.method = "POST", .path = "/s/M", .version = version};
  for (const auto& [name, value] : fields) head.headers.add(name, value);
  return head;
}

Status refusal(const RequestHead& head) {
  const auto plan = plan_call(head, {});
  return plan ? Status{} : plan.error();
}

TEST(CallPlan, ContentTypeChoosesTheProtocol) {
  struct Row {
    std::string_view type;
    std::optional<Protocol> http1;
    std::optional<Protocol> http2;
  };
  for (const Row& row : std::initializer_list<Row>{
           {"application/json", Protocol::kConnect, Protocol::kConnect},
           {"Application/JSON; charset=utf-8", Protocol::kConnect, Protocol::kConnect},
           {"application/proto", Protocol::kConnect, Protocol::kConnect},
           {"application/grpc", std::nullopt, Protocol::kGrpc},
           {"application/grpc+proto", std::nullopt, Protocol::kGrpc},
           {"application/grpc-web", Protocol::kGrpcWeb, Protocol::kGrpcWeb},
           {"application/grpc-web+proto", Protocol::kGrpcWeb, Protocol::kGrpcWeb},
           {"application/grpc-web-text", std::nullopt, std::nullopt},
           {"application/grpc+json", std::nullopt, std::nullopt},
           {"application/connect+proto", std::nullopt, std::nullopt},
           {"text/plain", std::nullopt, std::nullopt},
           {"", std::nullopt, std::nullopt},
       }) {
    for (const auto& [version, want] :
         {std::pair(HttpVersion::kHttp1, row.http1), std::pair(HttpVersion::kHttp2, row.http2)}) {
      const auto media = parse_media(row.type, version);
      ASSERT_EQ(media.has_value(), want.has_value()) << row.type;
      if (media) {
        EXPECT_EQ(media->protocol, *want);
      } else {
        EXPECT_EQ(refusal(post({{"content-type", row.type}}, version)).http_override, 415U);
      }
    }
  }
}

TEST(CallPlan, VersionsAndTimeoutsAreChecked) {
  struct Row {
    Fields fields;
    Code want = Code::kOk;
  };
  for (const Row& row : std::initializer_list<Row>{
           {{{"content-type", "application/json"}, {"connect-protocol-version", "1"}}, Code::kOk},
           {{{"content-type", "application/json"}, {"connect-protocol-version", "2"}},
            Code::kInvalidArgument},
           {{{"content-type", "application/json"}, {"connect-protocol-version", ""}},
            Code::kInvalidArgument},
           {{{"content-type", "application/json"}, {"connect-timeout-ms", "0"}},
            Code::kInvalidArgument},
           {{{"content-type", "application/json"}, {"connect-timeout-ms", "12345678901"}},
            Code::kInvalidArgument},
           {{{"content-type", "application/grpc"}, {"grpc-timeout", "1"}}, Code::kInvalidArgument},
           {{{"content-type", "application/grpc"}, {"connect-timeout-ms", "x"}}, Code::kOk},
           {{{"content-type", "application/json"}, {"content-encoding", "br"}},
            Code::kUnimplemented},
           {{{"content-type", "application/grpc"}, {"grpc-encoding", "zstd"}},
            Code::kUnimplemented},
           {{{"content-type", "application/grpc"}, {"content-encoding", "br"}}, Code::kOk},
       }) {
    EXPECT_EQ(refusal(post(row.fields)).code, row.want);
  }
}

TEST(CallPlan, LargeTimeoutsAreClamped) {
  const Limits limits;
  const auto grpc = plan_call(
      post({{"content-type", "application/grpc"}, {"grpc-timeout", "99999999H"}}), limits);
  EXPECT_EQ(grpc->timeout, limits.max_timeout);
  const auto connect = plan_call(
      post({{"content-type", "application/proto"}, {"connect-timeout-ms", "9999999999"}}), limits);
  EXPECT_EQ(connect->timeout, limits.max_timeout);
}

TEST(CallPlan, AnAnnouncedBodyThatIsTooLargeIsNotRead) {
  const Limits limits;
  RequestHead head = post({{"content-type", "application/json"}});
  head.content_length = limits.body_bytes;
  EXPECT_TRUE(plan_call(head, limits));
  head.content_length = limits.body_bytes + 1;
  EXPECT_EQ(plan_call(head, limits).error().code, Code::kResourceExhausted);
  head = post({{"content-type", "application/grpc"}});
  head.content_length = limits.body_bytes + kGrpcPrefixBytes;
  EXPECT_TRUE(plan_call(head, limits));
}

TEST(CallPlan, OnlyWhatHasNoEffectsIsCalledByGet) {
  RequestHead get{.method = "GET"};
  const Method run{.effects = Effects::kSideEffects};
  const Method describe{.effects = Effects::kNone};
  EXPECT_EQ(check_verb(get, run).http_override, 405U);
  EXPECT_EQ(check_verb(get, run).allow, "POST");
  EXPECT_TRUE(check_verb(get, describe).ok());
  for (const char* verb : {"HEAD", "PUT", "DELETE", "OPTIONS", "post", "get"}) {
    get.method = verb;
    EXPECT_EQ(check_verb(get, describe).allow, "GET, POST") << verb;
  }
}

TEST(CallPlan, GetHasItsMessageInTheQuery) {
  RequestHead head{.method = "GET", .query = "encoding=proto&message=&connect=v1"};
  const auto plan = plan_call(head, {});
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->media.codec, Codec::kProto);
  EXPECT_EQ(plan->query_message, "");
  head.query = "encoding=xml&message=";
  EXPECT_EQ(plan_call(head, {}).error().http_override, 415U);
  head.query = "encoding=json&message=&compression=br";
  EXPECT_EQ(plan_call(head, {}).error().code, Code::kUnimplemented);
}

TEST(Unwrap, LimitsHoldAfterInflationToTheByte) {
  const Limits limits{.body_bytes = 1000};
  CallPlan plan{.media = *parse_media("application/proto", HttpVersion::kHttp1),
                .request_encoding = Encoding::kGzip};
  const std::string exact(1000, 'a');
  EXPECT_EQ(unwrap_message(plan, gzip_deflate(exact), limits), exact);
  EXPECT_EQ(unwrap_message(plan, gzip_deflate(exact + "a"), limits).error().code,
            Code::kResourceExhausted);
  EXPECT_EQ(unwrap_message(plan, "", limits), "") << "an empty body is never inflated";
  EXPECT_EQ(unwrap_message(plan, "junk", limits).error().code, Code::kInvalidArgument);
}

TEST(Unwrap, GrpcHasExactlyOneMessage) {
  const Limits limits{.body_bytes = 1000};
  CallPlan plan{.media = *parse_media("application/grpc", HttpVersion::kHttp2)};
  std::string one;
  append_frame(one, 0, "abc");
  std::string compressed;
  append_frame(compressed, kGrpcCompressed, gzip_deflate("abc"));
  EXPECT_EQ(unwrap_message(plan, one, limits), "abc");
  EXPECT_EQ(unwrap_message(plan, one + one, limits).error().code, Code::kUnimplemented);
  EXPECT_EQ(unwrap_message(plan, "", limits).error().code, Code::kUnimplemented);
  EXPECT_EQ(unwrap_message(plan, one.substr(0, 6), limits).error().code, Code::kInvalidArgument);
  EXPECT_EQ(unwrap_message(plan, compressed, limits).error().code, Code::kInternal);
  EXPECT_EQ(unwrap_message(plan, std::string("\0\xFF\xFF\xFF\xFF", 5), limits).error().code,
            Code::kResourceExhausted);
  plan.request_encoding = Encoding::kGzip;
  EXPECT_EQ(unwrap_message(plan, compressed, limits), "abc");
  EXPECT_EQ(unwrap_message(plan, one, limits), "abc") << "not every message need be compressed";
  std::string empty;
  append_frame(empty, kGrpcCompressed, "");
  EXPECT_EQ(unwrap_message(plan, empty, limits), "");
}

}  // namespace
}  // namespace plimsoll::rpc
