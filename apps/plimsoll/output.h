// Writes to the real standard streams.
#pragma once

#include <expected>
#include <string>
#include <string_view>

namespace plimsoll::cli {

// All of `bytes`, through short writes, EINTR and a non-blocking descriptor. The error is errno;
// EPIPE when the reader left (SIGPIPE has to be ignored by then).
[[nodiscard]] std::expected<void, int> write_all(int fd, std::string_view bytes);

// "Permission denied" and the like; of any number.
[[nodiscard]] std::string describe_errno(int error);

// One line of talk, "plimsoll: <text>", on stderr. What cannot be written there is lost.
void say(std::string_view text);

// At the start of main: SIGPIPE becomes EPIPE, and descriptors 0 to 2 are taken, so that nothing
// that is opened later is mistaken for a standard stream. A closed one fails to read and write.
void prepare_standard_streams();

}  // namespace plimsoll::cli
