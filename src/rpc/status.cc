#include "rpc/status.h"

#include <array>
#include <cstddef>

namespace plimsoll::rpc {

namespace {

struct Row {
  std::string_view name;
  unsigned http = 500;
};

// Indexed by code. The HTTP column is the Connect protocol's.
constexpr std::array<Row, 17> kRows{{
    {.name = "ok", .http = 200},
    {.name = "canceled", .http = 499},
    {.name = "unknown", .http = 500},
    {.name = "invalid_argument", .http = 400},
    {.name = "deadline_exceeded", .http = 504},
    {.name = "not_found", .http = 404},
    {.name = "already_exists", .http = 409},
    {.name = "permission_denied", .http = 403},
    {.name = "resource_exhausted", .http = 429},
    {.name = "failed_precondition", .http = 400},
    {.name = "aborted", .http = 409},
    {.name = "out_of_range", .http = 400},
    {.name = "unimplemented", .http = 501},
    {.name = "internal", .http = 500},
    {.name = "unavailable", .http = 503},
    {.name = "data_loss", .http = 500},
    {.name = "unauthenticated", .http = 401},
}};

const Row& row(Code code) noexcept {
  const auto index = static_cast<std::size_t>(code);
  return index < kRows.size() ? kRows[index] : kRows[2];
}

}  // namespace

std::string_view to_string(Code code) noexcept { return row(code).name; }

unsigned http_status(Code code) noexcept { return row(code).http; }

}  // namespace plimsoll::rpc
