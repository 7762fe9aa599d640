// The header fields of a brokered call, in both directions. The guest chooses none of them: its
// request has no headers, and of the answer's it gets one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "plimsoll/secret.h"

namespace plimsoll {

enum class BodyPart : std::uint8_t { kAbsent, kPresent };

// All field lines that a request carries besides Host and Content-Length, "Name: value" each:
// Accept, User-Agent; Content-Type with a body; Authorization with a credential. They hold the
// credential.
[[nodiscard]] std::vector<Secret> request_fields(BodyPart body, const Secret& credential);

// A credential that can stand in a field: 1 to kMaxCredentialBytes bytes of visible ASCII.
[[nodiscard]] bool is_credential(std::string_view text) noexcept;

// The Content-Type that the guest is told: `value` when it is visible ASCII and blanks and not
// longer than kMaxContentTypeBytes, else nothing.
[[nodiscard]] std::string delivered_content_type(std::string_view value);

// Whether the credential stands in what would be delivered. Byte for byte: an API that encodes it
// first cannot be seen through, and is the operator's own.
[[nodiscard]] bool echoes(std::string_view delivered, const Secret& credential) noexcept;

}  // namespace plimsoll
