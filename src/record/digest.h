// SHA-256 over the fields of a record.
#pragma once

#include <string>
#include <string_view>

#include "base/sha256.h"
#include "record/field_writer.h"

namespace plimsoll::record {

// A SHA-256.
struct Digest {
  Sha256Digest bytes{};

  // 64 lower-case hex digits, the only form that is ever compared or sent.
  [[nodiscard]] std::string hex() const { return to_hex(bytes); }
};

// Hashes what it is given. Not for concurrent use. Throws std::bad_alloc only.
class Sha256Sink final : public ByteSink {
 public:
  void append(std::string_view bytes) override { hash_.update(bytes); }
  // The last call.
  [[nodiscard]] Digest finish() { return {hash_.finish()}; }

 private:
  Sha256 hash_;
};

}  // namespace plimsoll::record
