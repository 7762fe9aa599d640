// An answer of the host's to a granted run, as the arguments of the prelude's function.
#pragma once

#include <array>

#include "engine/engine_host.h"
#include "engine/guest_thread.h"
#include "engine/instance.h"

namespace plimsoll::engine {

// Takes the answer's bytes off the channel, whatever becomes of them, and makes the arguments of
// Hook::kReply; the last two are the caller's to free. A text that does not fit into the memory is
// undefined; the hook says so.
[[nodiscard]] Trap reply_arguments(Instance& instance, EngineHost& host, const HostReply& reply,
                                   std::array<JsValue, 4>& args) noexcept;

}  // namespace plimsoll::engine
