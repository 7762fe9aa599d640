// What a service answers: a result, a description, an error. Whatever comes, nothing is believed
// that does not hold, nothing is claimed that was not said, and nothing unprintable gets into a
// message.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "client/describe_answer.h"
#include "client/error_answer.h"
#include "client/run_answer.h"
#include "require.h"

namespace {

using plimsoll::ClientError;
using plimsoll::Isolation;
using plimsoll::fuzz::require;

// What the seeds answer.
const plimsoll::AskedRun kAsked{.minimum_isolation = "process",
                                .payload = plimsoll::JavaScriptRun{.code = "console.log(6*7)"}};

void check_message(const ClientError& error) {
  require(!error.message.empty() && error.message.size() <= 4096, "a message of some length");
  require(std::ranges::all_of(error.message, [](char c) { return c >= ' ' && c <= '~'; }),
          "a printable message");
}

void run_answer(std::string_view input) {
  auto answer = plimsoll::client::decode_run_answer(input);
  if (!answer) return;
  const plimsoll::Outcome& outcome = answer->remote.outcome;
  require(outcome.exit_code >= 0 && outcome.exit_code <= 255, "an exit code");
  require(outcome.evidence.facts.size() <= 256, "a bounded number of facts");
  const std::string named = answer->isolation;
  const Isolation tier = outcome.evidence.tier;
  if (const auto refuted = plimsoll::client::refute(*answer, kAsked, Isolation::kProcess)) {
    check_message(*refuted);
    require(!refuted->not_dispatched, "no claim about an answer that was given");
    require(refuted->answered.has_value(), "the answer attached");
    return;
  }
  require(meets(tier, Isolation::kProcess), "the floor");
  require(to_string(tier) == named, "one tier");
}

void description(std::string_view input) {
  const auto described = plimsoll::client::decode_description(input);
  if (described) {
    require(described->protocol == 2, "our protocol");
  } else {
    check_message(described.error());
  }
}

void error(std::string_view input) {
  for (const unsigned status : {200U, 302U, 401U, 429U, 503U}) {
    const ClientError error =
        plimsoll::client::from_error_answer({.status = status,
                                             .content_type = "application/json",
                                             .retry_after = std::nullopt,
                                             .body = std::string(input)});
    check_message(error);
    require(!error.answered, "no answer");
    require(!error.not_dispatched || status >= 400, "no claim by a success");
    require(!error.retry_after || error.retry_after->count() >= 0, "no time in the past");
  }
}

}  // namespace

// The first byte says what the rest is.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view input(reinterpret_cast<const char*>(data + 1), size - 1);
  if (*data == 'r') run_answer(input);
  if (*data == 'd') description(input);
  if (*data == 'e') error(input);
  return 0;
}
