#include "plimsoll/outcome.h"

namespace plimsoll {

std::string_view to_string(TerminationCause cause) noexcept {
  switch (cause) {
    case TerminationCause::kExited:
      return "exited";
    case TerminationCause::kTimedOut:
      return "timed_out";
    case TerminationCause::kOutOfMemory:
      return "out_of_memory";
    case TerminationCause::kSignaled:
      return "signaled";
    case TerminationCause::kOutputFlood:
      return "output_flood";
    case TerminationCause::kEngineFault:
      return "engine_fault";
  }
  return "engine_fault";  // not one of ours: never dress it up as a normal end
}

}  // namespace plimsoll
