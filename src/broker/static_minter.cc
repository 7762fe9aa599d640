#include <memory>
#include <utility>

#include "broker/header_policy.h"
#include "plimsoll/token_minter.h"

namespace plimsoll {
namespace {

class StaticMinter final : public TokenMinter {
 public:
  explicit StaticMinter(Secret bearer) : bearer_(std::move(bearer)) {}
  [[nodiscard]] Result<Secret> mint(const MintScope&) const override { return bearer_.copy(); }

 private:
  Secret bearer_;
};

}  // namespace

Result<std::shared_ptr<const TokenMinter>> static_token(Secret bearer) {
  if (!is_credential(bearer.reveal())) {
    return std::unexpected(
        Error{.code = ErrorCode::kInvalidConfig,
              .message = "the bearer is no token; visible ASCII without blanks is accepted, 1 to "
                         "16384 bytes",
              .not_dispatched = NotDispatchedReason::kEnvironment});
  }
  return std::make_shared<const StaticMinter>(std::move(bearer));
}

}  // namespace plimsoll
