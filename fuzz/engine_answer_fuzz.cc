// The body of an engine's answer, read as each of those that are asked for: whatever it is, it is
// refused or keeps what the reader promises. Input: one byte that chooses the reader, the body; or
// 'U' and what an attach is answered.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "providers/docker/engine_answers.h"
#include "providers/docker/engine_json.h"
#include "require.h"

namespace {

using plimsoll::fuzz::require;
namespace docker = plimsoll::docker;

// Nothing of an engine's words reaches a terminal as it came.
template <class T>
void check_error(const plimsoll::Result<T>& read) {
  if (read) return;
  require(read.error().message.size() <= 1'024, "a bounded message");
  for (const char c : read.error().message) require(c >= ' ' && c != 0x7f, "no control character");
}

void check_version(std::string_view body) {
  const auto version = docker::read_version(body);
  check_error(version);
  if (!version) return;
  require(version->api >= docker::kOldestApi && version->api <= docker::kNewestApi,
          "a version that is spoken here");
}

void check_image(std::string_view body) {
  const auto image = docker::read_image(body);
  check_error(image);
  if (!image) return;
  require(image->id.starts_with("sha256:") && docker::is_hex_id(image->id.substr(7)),
          "an image's id is a digest");
}

void check_state(std::string_view body) {
  const auto state = docker::read_state(body);
  check_error(state);
  if (!state) return;
  require(state->exit_code >= 0 && state->exit_code <= 255 && state->pid >= 0, "numbers in range");
}

void check_entries(std::string_view body) {
  const auto entries = docker::read_entries(body);
  check_error(entries);
  if (!entries) return;
  for (const auto& entry : *entries)
    require(docker::is_hex_id(entry.id), "a container's id is hex");
}

void check_created(std::string_view body) {
  const auto id = docker::read_created_id(body);
  check_error(id);
  require(!id || docker::is_hex_id(*id), "a container's id is hex");
}

// However it is cut, the head of an answer to an attach says the same of where the stream begins.
void check_upgrade(std::string_view answer) {
  const auto whole = docker::read_upgrade(answer);
  check_error(whole);
  if (!whole || !*whole) return;
  require(**whole <= answer.size() && answer.substr(0, **whole).ends_with("\r\n\r\n"),
          "the stream begins behind the head");
  require(answer.starts_with("HTTP/1.1 101 "), "an upgrade");
  const auto before = docker::read_upgrade(answer.substr(0, **whole - 1));
  require(!before || !*before, "no stream before the head has ended");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view body(reinterpret_cast<const char*>(data + 1), size - 1);
  if (data[0] == 'U') {
    check_upgrade(body);
    return 0;
  }
  switch (data[0] % 7) {
    case 0:
      check_version(body);
      break;
    case 1:
      check_error(docker::read_info(body));
      break;
    case 2:
      check_image(body);
      break;
    case 3:
      check_state(body);
      break;
    case 4:
      check_entries(body);
      break;
    case 5:
      check_created(body);
      break;
    default:
      for (const char c : docker::reason_in(body)) require(c >= ' ' && c != 0x7f, "quoted");
      require(docker::reason_in(body).size() <= 2'048, "a bounded reason");
  }
  return 0;
}
