// A request's head and body, from the content type to the unwrapped message: gRPC and gRPC-Web
// frames, Connect bodies, gzip. The first lines are header fields, as "name:value"; the body
// follows an empty one.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "require.h"
#include "rpc/answer.h"
#include "rpc/call_plan.h"

namespace {
using plimsoll::fuzz::require;
using plimsoll::rpc::answer_error;
using plimsoll::rpc::answer_media;
using plimsoll::rpc::answer_message;
using plimsoll::rpc::HttpVersion;
using plimsoll::rpc::Limits;
using plimsoll::rpc::plan_call;
using plimsoll::rpc::Protocol;
using plimsoll::rpc::RequestHead;
using plimsoll::rpc::Response;
using plimsoll::rpc::unwrap_message;
}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  RequestHead head{.method = "POST", .version = HttpVersion::kHttp2};
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    if (line.empty()) break;
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    head.headers.add(line.substr(0, colon), line.substr(colon + 1));
  }
  const Limits limits{.body_bytes = 4096};
  const auto plan = plan_call(head, limits);
  if (!plan) {
    require(!plan.error().ok(), "a refusal has a code");
    (void)answer_error(answer_media(head), plan.error());
    return 0;
  }
  require(!plan->timeout || (plan->timeout->count() > 0 && *plan->timeout <= limits.max_timeout),
          "a bounded timeout");
  const auto message = unwrap_message(*plan, std::string(rest), limits);
  if (!message) {
    require(!message.error().ok(), "a refusal has a code");
    return 0;
  }
  require(message->size() <= limits.body_bytes ||
              (plan->media.protocol == Protocol::kConnect && message->size() == rest.size()),
          "the limit holds");
  // What is answered in the same form is read back.
  const Response answer = answer_message(*plan, *message, 16);
  require(answer.status == 200, "an answer");
  return 0;
}
