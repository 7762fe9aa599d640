#include "record/digest.h"

#include <openssl/evp.h>

#include <cstdio>
#include <cstdlib>
#include <new>

namespace plimsoll::record {
namespace {

void require(int success) noexcept {
  if (success == 1) return;
  std::fputs("plimsoll: OpenSSL cannot compute SHA-256\n", stderr);
  std::abort();
}

}  // namespace

std::string Digest::hex() const {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  text.reserve(2 * bytes.size());
  for (const std::uint8_t byte : bytes) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

Sha256Sink::Sha256Sink() : context_(EVP_MD_CTX_new()) {
  if (!context_) throw std::bad_alloc();
  require(EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr));
}

void Sha256Sink::append(std::string_view bytes) {
  require(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()));
}

Digest Sha256Sink::finish() {
  Digest digest;
  require(EVP_DigestFinal_ex(context_.get(), digest.bytes.data(), nullptr));
  return digest;
}

void Sha256Sink::Free::operator()(evp_md_ctx_st* context) const noexcept {
  EVP_MD_CTX_free(context);
}

}  // namespace plimsoll::record
