// A key file that somebody prepared: it is refused, or it signs. Input: a byte for the algorithm,
// then the file.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "broker/jwt_key.h"
#include "require.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using plimsoll::JwtAlgorithm;
  using plimsoll::fuzz::require;
  if (size == 0) return 0;
  constexpr JwtAlgorithm kAlgorithms[] = {JwtAlgorithm::kHs256, JwtAlgorithm::kEs256,
                                          JwtAlgorithm::kEdDsa};
  const JwtAlgorithm algorithm = kAlgorithms[data[0] % 3];
  const plimsoll::Secret file({reinterpret_cast<const char*>(data) + 1, size - 1});
  const auto key = plimsoll::JwtKey::read(algorithm, file);
  if (!key) {
    require(!key.error().empty(), "an error has a message");
    return 0;
  }
  // A key that is on the curve by name only may fail to sign; then it says so.
  if (const auto signature = key->sign("header.claims")) {
    require(signature->size() == (algorithm == JwtAlgorithm::kHs256 ? 32U : 64U), "as JWS has it");
  }
  return 0;
}
