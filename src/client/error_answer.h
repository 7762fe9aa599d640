// What a service answered instead of a result, and what may be concluded from it.
#pragma once

#include "client/http_exchange.h"
#include "plimsoll/client.h"

namespace plimsoll::client {

// From an answer that is no result: a Connect error (application/json), or whatever else came. Only
// an intact NotDispatched detail with a reason that is known here sets not_dispatched; a bare 401
// of a proxy, broken details, two different reasons or a reason from the future do not. The message
// is the service's, made printable and cut.
[[nodiscard]] ClientError from_error_answer(const HttpReply& reply);

// From a call that had no answer.
[[nodiscard]] ClientError from_failure(HttpFailure failure);

}  // namespace plimsoll::client
