// The encoding that digests are computed over. A value is its length, unsigned 64-bit big-endian,
// and its bytes; a field is its name as a value and its content as a value; what is hashed is a
// domain as a value and the fields in their order. Each length is written before its bytes, so that
// no two different lists of fields have one encoding, whatever a caller puts into them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace plimsoll::record {

// Takes the encoding, piece by piece.
class ByteSink {
 public:
  ByteSink() = default;
  ByteSink(const ByteSink&) = delete;
  ByteSink& operator=(const ByteSink&) = delete;
  virtual ~ByteSink() = default;
  virtual void append(std::string_view bytes) = 0;
};

// Writes a domain and fields to a sink, which must outlive it. Not for concurrent use.
class FieldWriter {
 public:
  FieldWriter(ByteSink& sink, std::string_view domain);

  void bytes(std::string_view name, std::string_view content);
  // Decimal ASCII.
  void integer(std::string_view name, std::int64_t content);
  void count(std::string_view name, std::uint64_t content);
  // "true", "false".
  void flag(std::string_view name, bool content);
  // Each as 8 bytes, big-endian IEEE 754, one after the other: -0 and NaN payloads are kept.
  void doubles(std::string_view name, std::span<const double> content);

 private:
  void length(std::uint64_t bytes);
  void value(std::string_view bytes);

  ByteSink& sink_;
};

}  // namespace plimsoll::record
