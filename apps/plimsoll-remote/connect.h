// A client as the command line describes it.
#pragma once

#include "../plimsoll/remote_options.h"
#include "plimsoll/client.h"

namespace plimsoll::cli {

// Reads the files; connects to nothing. Errors: kInvalidConfig, not dispatched.
[[nodiscard]] Result<Client> make_client(const RemoteOptions& options);

}  // namespace plimsoll::cli
