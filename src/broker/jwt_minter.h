// Mints a JWT (RFC 7519) for one run: who is behind it, what it may do, and that it ends with it.
#pragma once

#include <memory>

#include "base/clock.h"
#include "base/entropy.h"
#include "plimsoll/token_minter.h"

namespace plimsoll {

// jwt_minter() with its seams, which live as long as the minter. Claims: iss, aud, sub (the
// caller), scope (when there are scopes), iat, nbf (5 s before, for a clock that is behind), exp,
// jti (128 random bits). mint() refuses an empty subject with kInvalidRequest.
[[nodiscard]] Result<std::shared_ptr<const TokenMinter>> make_jwt_minter(JwtConfig config,
                                                                         const Clock& clock,
                                                                         Entropy& entropy);

}  // namespace plimsoll
