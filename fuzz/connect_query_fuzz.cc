// The query of a Connect GET.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "require.h"
#include "rpc/connect_query.h"

namespace {
using plimsoll::fuzz::require;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view query(reinterpret_cast<const char*>(data), size);
  const auto parsed = plimsoll::rpc::parse_connect_query(query);
  if (parsed) {
    require(parsed->message.size() <= size, "no bytes from nowhere");
  } else {
    require(parsed.error().code == plimsoll::rpc::Code::kInvalidArgument, "its code");
  }
  return 0;
}
