#include "broker/header_policy.h"

#include <string.h>

#include <algorithm>

#include "broker/broker.h"
#include "plimsoll/token_minter.h"

namespace plimsoll {

std::vector<Secret> request_fields(BodyPart body, const Secret& credential) {
  std::vector<Secret> fields;
  fields.emplace_back("Accept: application/json");
  fields.emplace_back("User-Agent: plimsoll-broker");
  if (body == BodyPart::kPresent) fields.emplace_back("Content-Type: application/json");
  if (!credential.empty()) {
    constexpr std::string_view kName = "Authorization: Bearer ";
    std::string line;
    line.reserve(kName.size() + credential.size());  // never moved: one place to wipe
    line += kName;
    line += credential.reveal();
    fields.emplace_back(line);
    ::explicit_bzero(line.data(), line.size());
  }
  return fields;
}

bool is_credential(std::string_view text) noexcept {
  return !text.empty() && text.size() <= kMaxCredentialBytes &&
         std::ranges::all_of(text, [](char c) { return c > 0x20 && c < 0x7F; });
}

std::string delivered_content_type(std::string_view value) {
  const bool fine = value.size() <= kMaxContentTypeBytes &&
                    std::ranges::all_of(value, [](char c) { return c >= 0x20 && c < 0x7F; });
  return std::string(fine ? value : std::string_view());
}

bool echoes(std::string_view delivered, const Secret& credential) noexcept {
  return !credential.empty() && delivered.find(credential.reveal()) != std::string_view::npos;
}

}  // namespace plimsoll
