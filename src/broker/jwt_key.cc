#include "broker/jwt_key.h"

#include <fmt/format.h>
#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include <array>

namespace plimsoll {
namespace {

template <auto Function>
struct FreeWith {
  template <class T>
  void operator()(T* object) const noexcept {
    Function(object);
  }
};
using Bio = std::unique_ptr<BIO, FreeWith<&BIO_free>>;
using DigestContext = std::unique_ptr<EVP_MD_CTX, FreeWith<&EVP_MD_CTX_free>>;
using EcdsaSignature = std::unique_ptr<ECDSA_SIG, FreeWith<&ECDSA_SIG_free>>;

constexpr int kP256Bytes = 32;

// Instead of OpenSSL's own, which asks on the terminal.
int no_passphrase(char*, int, int, void*) { return -1; }

EVP_PKEY* read_hmac_key(std::string_view bytes) {
  return ::EVP_PKEY_new_raw_private_key(
      EVP_PKEY_HMAC, nullptr, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
}

EVP_PKEY* read_pem(std::string_view bytes) {
  const Bio bio(::BIO_new_mem_buf(bytes.data(), static_cast<int>(bytes.size())));
  if (!bio) return nullptr;
  return ::PEM_read_bio_PrivateKey(bio.get(), nullptr, &no_passphrase, nullptr);
}

bool is_on_p256(const EVP_PKEY* key) {
  std::array<char, 32> name{};
  std::size_t size = 0;
  return ::EVP_PKEY_is_a(key, "EC") == 1 &&
         ::EVP_PKEY_get_group_name(key, name.data(), name.size(), &size) == 1 &&
         std::string_view(name.data(), size) == "prime256v1";
}

// DER to the 64 bytes of R and S.
std::string to_r_and_s(std::string_view der) {
  const auto* begin = reinterpret_cast<const unsigned char*>(der.data());
  const EcdsaSignature signature(::d2i_ECDSA_SIG(nullptr, &begin, static_cast<long>(der.size())));
  if (!signature) return {};
  std::string both(std::size_t{2} * kP256Bytes, '\0');
  auto* out = reinterpret_cast<unsigned char*>(both.data());
  if (::BN_bn2binpad(::ECDSA_SIG_get0_r(signature.get()), out, kP256Bytes) != kP256Bytes ||
      ::BN_bn2binpad(::ECDSA_SIG_get0_s(signature.get()), out + kP256Bytes, kP256Bytes) !=
          kP256Bytes) {
    return {};
  }
  return both;
}

}  // namespace

std::string_view to_string(JwtAlgorithm algorithm) noexcept {
  switch (algorithm) {
    case JwtAlgorithm::kHs256:
      return "HS256";
    case JwtAlgorithm::kEs256:
      return "ES256";
    case JwtAlgorithm::kEdDsa:
      return "EdDSA";
  }
  return "HS256";
}

void JwtKey::Free::operator()(EVP_PKEY* key) const noexcept { ::EVP_PKEY_free(key); }

std::expected<JwtKey, std::string> JwtKey::read(JwtAlgorithm algorithm, const Secret& bytes) {
  if (bytes.size() > kMaxKeyBytes) {
    return std::unexpected(fmt::format("has more than {} bytes", kMaxKeyBytes));
  }
  if (algorithm == JwtAlgorithm::kHs256) {
    if (bytes.size() < kMinHmacKeyBytes) {
      return std::unexpected(
          fmt::format("is too short; {} bytes or more are accepted", kMinHmacKeyBytes));
    }
    JwtKey key(algorithm, read_hmac_key(bytes.reveal()));
    if (key.key_) return key;
    return std::unexpected(std::string("is none that OpenSSL takes"));
  }
  JwtKey key(algorithm, read_pem(bytes.reveal()));
  ::ERR_clear_error();
  const bool is_right = key.key_ && (algorithm == JwtAlgorithm::kEs256
                                         ? is_on_p256(key.key_.get())
                                         : ::EVP_PKEY_is_a(key.key_.get(), "ED25519") == 1);
  if (is_right) return key;
  return std::unexpected(
      fmt::format("is no private key for {}; PEM of {} without a passphrase is accepted",
                  to_string(algorithm), algorithm == JwtAlgorithm::kEs256 ? "P-256" : "Ed25519"));
}

Result<std::string> JwtKey::sign(std::string_view message) const {
  const std::unexpected<Error> failed(Error{.code = ErrorCode::kInfrastructure,
                                            .message = "OpenSSL did not sign the token",
                                            .not_dispatched = NotDispatchedReason::kEnvironment});
  const DigestContext context(::EVP_MD_CTX_new());
  const EVP_MD* digest = algorithm_ == JwtAlgorithm::kEdDsa ? nullptr : ::EVP_sha256();
  const auto* data = reinterpret_cast<const unsigned char*>(message.data());
  std::array<unsigned char, 256> out{};
  std::size_t size = out.size();
  if (!context || ::EVP_DigestSignInit(context.get(), nullptr, digest, nullptr, key_.get()) != 1 ||
      ::EVP_DigestSign(context.get(), out.data(), &size, data, message.size()) != 1) {
    ::ERR_clear_error();
    return failed;
  }
  std::string signature(reinterpret_cast<const char*>(out.data()), size);
  if (algorithm_ == JwtAlgorithm::kEs256) signature = to_r_and_s(signature);
  if (signature.empty()) return failed;
  return signature;
}

}  // namespace plimsoll
