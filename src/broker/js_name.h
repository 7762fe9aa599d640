// The name of the guest's client: what a grant may call it without taking something away from the
// guest or confusing whoever reads its code.
#pragma once

#include <cstddef>
#include <string_view>

namespace plimsoll {

inline constexpr std::size_t kMaxGlobalBytes = 64;

// An ASCII identifier (letters, digits, '_' and '$', no digit first), 1 to kMaxGlobalBytes bytes,
// that is no word of the language and no name that the guest's global object has by itself, from
// its engine, its prelude or Object.prototype.
[[nodiscard]] bool is_client_name(std::string_view name) noexcept;

}  // namespace plimsoll
