// Links the installed client, and asks a service that is not there.
#include <cstdio>
#include <string>

#include "plimsoll/client.h"
#include "plimsoll/client_retry.h"

int main() {
  auto token = plimsoll::BearerToken::from_text("secret");
  if (!token) return 1;
  auto client = plimsoll::Client::build({.base_url = "http://127.0.0.1:1", .token = *token});
  if (!client) {
    std::fprintf(stderr, "build: %s\n", client.error().message.c_str());
    return 1;
  }
  const auto answer =
      plimsoll::run_with_retry(*client, {.code = "console.log(6*7)"}, {.attempts = 2});
  if (answer) return 1;
  std::puts(std::string(plimsoll::to_string(answer.error().code)).c_str());
  return answer.error().not_dispatched ? 0 : 1;
}
