// SHA-256 (FIPS 180-4) over bytes that arrive in pieces.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "record/field_writer.h"

// OpenSSL's EVP_MD_CTX.
struct evp_md_ctx_st;

namespace plimsoll::record {

// A SHA-256.
struct Digest {
  std::array<std::uint8_t, 32> bytes{};

  // 64 lower-case hex digits, the only form that is ever compared or sent.
  [[nodiscard]] std::string hex() const;
};

// Hashes what it is given, by OpenSSL. Not for concurrent use. Throws std::bad_alloc only; an
// OpenSSL that has no SHA-256 ends the process: a service that cannot state its records must not
// run on.
class Sha256Sink final : public ByteSink {
 public:
  Sha256Sink();

  void append(std::string_view bytes) override;
  // The last call.
  [[nodiscard]] Digest finish();

 private:
  struct Free {
    void operator()(evp_md_ctx_st* context) const noexcept;
  };
  std::unique_ptr<evp_md_ctx_st, Free> context_;
};

}  // namespace plimsoll::record
