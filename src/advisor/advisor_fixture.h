// Traces and grants for the advisor's tests.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "broker/route.h"
#include "plimsoll/call_trace.h"
#include "plimsoll/grant.h"

namespace plimsoll::advisor {

inline CallRow row_of(std::string method, std::string route, unsigned status = 200,
                      std::chrono::microseconds latency = std::chrono::milliseconds(10),
                      std::uint64_t response_bytes = 100) {
  return {.method = std::move(method),
          .route = std::move(route),
          .status = status,
          .delivered = true,
          .request_bytes = 0,
          .response_bytes = response_bytes,
          .latency = latency};
}

inline CallTrace times(std::size_t count, const CallRow& row) {
  return {.rows = std::vector<CallRow>(count, row)};
}

inline Grant grant_of(std::vector<std::string> allow, std::vector<std::string> catalog = {}) {
  auto grant = Grant::build({.base_url = "https://api.example.com",
                             .allow = std::move(allow),
                             .catalog = std::move(catalog)});
  EXPECT_TRUE(grant) << (grant ? "" : grant.error().message);
  return *std::move(grant);
}

inline std::vector<Route> routes_of(const std::vector<std::string>& lines) {
  std::vector<Route> routes;
  for (const std::string& line : lines) {
    auto route = Route::parse(line);
    EXPECT_TRUE(route) << line;
    if (route) routes.push_back(*std::move(route));
  }
  return routes;
}

}  // namespace plimsoll::advisor
