// The answer to a run: decoded, and held against its own record and evidence.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "core/run_payload.h"
#include "plimsoll/client.h"
#include "plimsoll/isolation.h"

namespace plimsoll::client {

// A plimsoll.v1.RunResponse, whole, as it came; nothing of it has been checked but its form.
struct RunAnswer {
  RemoteOutcome remote;
  bool has_record = false;
  bool has_evidence = false;
  std::string isolation;  // as the answer names it
};

// The error says what makes no sense: no protobuf, no JavaScript result, an exit code that is none,
// a termination that contradicts the rest.
[[nodiscard]] std::expected<RunAnswer, std::string> decode_run_answer(std::string_view bytes);

// nullopt: the answer holds. First the record against the request and the result, then the
// evidence against the answer and the floor; the error has the answer attached.
[[nodiscard]] std::optional<ClientError> refute(RunAnswer& answer, const AskedRun& asked,
                                                Isolation floor);

}  // namespace plimsoll::client
