#include "record/field_writer.h"

#include <fmt/format.h>

#include <array>
#include <bit>

namespace plimsoll::record {
namespace {

std::array<char, 8> big_endian(std::uint64_t number) noexcept {
  std::array<char, 8> bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<char>(static_cast<unsigned char>(number >> (56 - 8 * i)));
  }
  return bytes;
}

std::string_view view(const std::array<char, 8>& bytes) noexcept {
  return {bytes.data(), bytes.size()};
}

std::string_view view(const fmt::format_int& text) { return {text.data(), text.size()}; }

}  // namespace

FieldWriter::FieldWriter(ByteSink& sink, std::string_view domain) : sink_(sink) { value(domain); }

void FieldWriter::bytes(std::string_view name, std::string_view content) {
  value(name);
  value(content);
}

void FieldWriter::integer(std::string_view name, std::int64_t content) {
  bytes(name, view(fmt::format_int(content)));
}

void FieldWriter::count(std::string_view name, std::uint64_t content) {
  bytes(name, view(fmt::format_int(content)));
}

void FieldWriter::flag(std::string_view name, bool content) {
  bytes(name, content ? "true" : "false");
}

void FieldWriter::doubles(std::string_view name, std::span<const double> content) {
  static_assert(sizeof(double) == 8);
  value(name);
  length(content.size() * sizeof(double));
  for (const double number : content) {
    sink_.append(view(big_endian(std::bit_cast<std::uint64_t>(number))));
  }
}

void FieldWriter::length(std::uint64_t bytes) { sink_.append(view(big_endian(bytes))); }

void FieldWriter::value(std::string_view bytes) {
  length(bytes.size());
  sink_.append(bytes);
}

}  // namespace plimsoll::record
