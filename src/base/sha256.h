// SHA-256 (FIPS 180-4), by OpenSSL.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

// OpenSSL's EVP_MD_CTX.
struct evp_md_ctx_st;

namespace plimsoll {

using Sha256Digest = std::array<std::uint8_t, 32>;

// Takes its input in pieces. finish() is called once, last. Not for concurrent use. What was hashed
// is wiped when it is destroyed. Throws std::bad_alloc only; an OpenSSL that has no SHA-256 ends
// the process: a service that can neither tell its callers nor state its records must not run on.
class Sha256 {
 public:
  Sha256();

  void update(std::string_view bytes);
  [[nodiscard]] Sha256Digest finish();

 private:
  struct Free {
    void operator()(evp_md_ctx_st* context) const noexcept;
  };
  std::unique_ptr<evp_md_ctx_st, Free> context_;
};

[[nodiscard]] Sha256Digest sha256(std::string_view bytes);

// 64 lower-case hex digits.
[[nodiscard]] std::string to_hex(const Sha256Digest& digest);

}  // namespace plimsoll
