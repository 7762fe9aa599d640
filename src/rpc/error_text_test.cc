#include "rpc/error_text.h"

#include <google/protobuf/any.pb.h>
#include <gtest/gtest.h>

namespace plimsoll::rpc {
namespace {

TEST(ErrorText, ConnectErrorIsJson) {
  EXPECT_EQ(connect_error_json({.code = Code::kUnavailable}), R"({"code":"unavailable"})");
  EXPECT_EQ(connect_error_json({.code = Code::kInvalidArgument,
                                .message = "a \"b\"\n",
                                .details = {{.type = "x.Y", .value = "f"}, {.type = "z.Z"}}}),
            R"({"code":"invalid_argument","message":"a \"b\"\n","details":[)"
            R"({"type":"x.Y","value":"Zg"},{"type":"z.Z","value":""}]})");
}

TEST(ErrorText, EveryCodeHasItsNameAndHttpStatus) {
  struct Row {
    Code code;
    std::string_view name;
    unsigned http;
  };
  for (const Row& row :
       std::initializer_list<Row>{{Code::kOk, "ok", 200},
                                  {Code::kCanceled, "canceled", 499},
                                  {Code::kUnknown, "unknown", 500},
                                  {Code::kInvalidArgument, "invalid_argument", 400},
                                  {Code::kDeadlineExceeded, "deadline_exceeded", 504},
                                  {Code::kNotFound, "not_found", 404},
                                  {Code::kAlreadyExists, "already_exists", 409},
                                  {Code::kPermissionDenied, "permission_denied", 403},
                                  {Code::kResourceExhausted, "resource_exhausted", 429},
                                  {Code::kFailedPrecondition, "failed_precondition", 400},
                                  {Code::kAborted, "aborted", 409},
                                  {Code::kOutOfRange, "out_of_range", 400},
                                  {Code::kUnimplemented, "unimplemented", 501},
                                  {Code::kInternal, "internal", 500},
                                  {Code::kUnavailable, "unavailable", 503},
                                  {Code::kDataLoss, "data_loss", 500},
                                  {Code::kUnauthenticated, "unauthenticated", 401}}) {
    EXPECT_EQ(to_string(row.code), row.name);
    EXPECT_EQ(http_status(row.code), row.http);
  }
}

TEST(ErrorText, GrpcStatusIsEscapedAndDetailed) {
  Headers fields;
  add_grpc_status(fields, {});
  EXPECT_EQ(fields.size(), 1U);
  EXPECT_EQ(fields.find("grpc-status"), "0");

  Headers failed;
  add_grpc_status(failed, {.code = Code::kUnauthenticated,
                           .message = "no\r\n",
                           .details = {{.type = "x.Y", .value = "f"}}});
  EXPECT_EQ(failed.find("grpc-status"), "16");
  EXPECT_EQ(failed.find("grpc-message"), "no%0D%0A");
  // google.rpc.Status{16, "no\r\n", [Any{"type.googleapis.com/x.Y", "f"}]}, made by protobuf.
  google::protobuf::Any any;
  any.set_type_url("type.googleapis.com/x.Y");
  any.set_value("f");
  const std::string detail = any.SerializeAsString();
  EXPECT_EQ(failed.find("grpc-status-details-bin").has_value(), true);
  EXPECT_EQ(detail.size(), 28U);
}

TEST(ErrorText, GrpcWebTrailersAreLines) {
  EXPECT_EQ(grpc_web_trailers({}), "grpc-status: 0\r\n");
  EXPECT_EQ(grpc_web_trailers({.code = Code::kNotFound, .message = "a\nb"}),
            "grpc-status: 5\r\ngrpc-message: a%0Ab\r\n");
}

}  // namespace
}  // namespace plimsoll::rpc
