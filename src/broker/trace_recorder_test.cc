#include "broker/trace_recorder.h"

#include <gtest/gtest.h>

namespace plimsoll {
namespace {

// Everything that a trace says, field by field: another one breaks the build here, and whoever adds
// it has to say why it cannot hold a path, a query, a body or a credential.
using ExpectedRow = std::tuple<std::string, std::string, unsigned, bool, std::uint64_t,
                               std::uint64_t, std::chrono::microseconds>;

TEST(TraceRecorder, ATraceHasNoFieldForAPathAQueryABodyOrACredential) {
  const CallRow row{.method = "GET", .route = "/v1/*"};
  const auto& [method, route, status, delivered, request, response, latency] = row;
  static_assert(std::is_same_v<
                ExpectedRow,
                std::tuple<
                    std::remove_cvref_t<decltype(method)>, std::remove_cvref_t<decltype(route)>,
                    std::remove_cvref_t<decltype(status)>, std::remove_cvref_t<decltype(delivered)>,
                    std::remove_cvref_t<decltype(request)>, std::remove_cvref_t<decltype(response)>,
                    std::remove_cvref_t<decltype(latency)>>>);
  const CallTrace trace;
  const auto& [rows, dropped, denied, shed, over_budget, echoes, openings] = trace;
  static_assert(std::is_same_v<decltype(rows), const std::vector<CallRow>>);
  for (const std::uint64_t count : {dropped, denied, shed, over_budget, echoes, openings}) {
    EXPECT_EQ(count, 0U);
  }
  EXPECT_EQ(method + route, "GET/v1/*");
}

TEST(TraceRecorder, TheFirst256RowsStayAndTheRestIsCounted) {
  TraceRecorder recorder;
  const Route route = *Route::parse("POST /v1/orders/*?status");
  for (unsigned i = 0; i < 300; ++i) {
    recorder.add(route, {.status = 200 + i,
                         .delivered = true,
                         .request_bytes = 1,
                         .response_bytes = 2,
                         .latency = std::chrono::microseconds(3)});
  }
  recorder.count_denied();
  recorder.count_shed();
  recorder.count_shed();
  recorder.count_over_budget();
  const CallTrace& trace = recorder.trace();
  ASSERT_EQ(trace.rows.size(), kMaxTraceRows);
  EXPECT_EQ(trace.rows[255].status, 455U);
  EXPECT_EQ(trace.rows[0].method, "POST");
  EXPECT_EQ(trace.rows[0].route, "/v1/orders/*?status");
  EXPECT_EQ(trace.dropped, 44U);
  EXPECT_EQ(trace.calls(), 304U);
}

}  // namespace
}  // namespace plimsoll
