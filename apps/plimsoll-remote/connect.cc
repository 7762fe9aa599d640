#include "connect.h"

#include <utility>

namespace plimsoll::cli {

Result<Client> make_client(const RemoteOptions& options) {
  auto token = BearerToken::from_file(options.token_file);
  if (!token) return std::unexpected(std::move(token).error());
  return Client::build({.base_url = options.url,
                        .token = *std::move(token),
                        .ca_file = options.ca_file,
                        .http_version = options.http,
                        .cleartext = options.cleartext});
}

}  // namespace plimsoll::cli
