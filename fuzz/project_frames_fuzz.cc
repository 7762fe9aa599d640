// What is decoded of a payload of a project's run encodes to the same bytes, so that no bit of a
// guest's is ignored. Input: one byte that names the frame, the payload.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "guest/project_frames.h"
#include "require.h"

namespace {

using plimsoll::fuzz::require;
using Payload = std::span<const std::uint8_t>;

template <class Bytes>
void require_same(const Bytes& again, Payload payload) {
  require(std::equal(again.begin(), again.end(), payload.begin(), payload.end(),
                     [](auto a, std::uint8_t b) { return static_cast<std::uint8_t>(a) == b; }),
          "decode, encode: the same bytes");
}

template <class Frame>
void check(const std::optional<Frame>& frame, Payload payload) {
  if (frame) require_same(encode(*frame), payload);
}

bool lies_in(std::string_view text, Payload payload) {
  const auto* begin = reinterpret_cast<const std::uint8_t*>(text.data());
  return begin >= payload.data() && begin + text.size() <= payload.data() + payload.size();
}

void check_run(Payload payload) {
  const auto run = plimsoll::guest::decode_project_run(payload);
  if (!run) return;
  std::size_t bytes = 0;
  for (const auto& file : run->files) {
    require(lies_in(file.path, payload) && lies_in(file.content, payload), "inside the payload");
    bytes += file.path.size() + file.content.size();
  }
  require(bytes <= plimsoll::guest::kMaxProjectRunBytes, "the files' bound");
  require(!run->steps.empty(), "there is a step");
  const auto again = encode(*run);
  require(again.has_value(), "what is decoded is in its bounds");
  require_same(*again, payload);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const Payload payload(data + 1, size - 1);
  switch (data[0] % 5) {
    case 0:
      check_run(payload);
      break;
    case 1:
      check(plimsoll::guest::decode_step_begin(payload), payload);
      break;
    case 2:
      check(plimsoll::guest::decode_step_done(payload), payload);
      break;
    case 3:
      check(plimsoll::guest::decode_artifact_head(payload), payload);
      break;
    default:
      check(plimsoll::guest::decode_project_done(payload), payload);
  }
  return 0;
}
