// Runs a snippet on a service: client URL TOKEN_FILE
#include <plimsoll/client.h>
#include <plimsoll/client_retry.h>

#include <iostream>

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  auto token = plimsoll::BearerToken::from_file(argv[2]);
  if (!token) {
    std::cerr << token.error().message << '\n';  // never holds the token
    return 1;
  }
  auto client = plimsoll::Client::build({.base_url = argv[1], .token = *token});
  if (!client) {
    std::cerr << client.error().message << '\n';  // every mistake in the configuration
    return 1;
  }

  plimsoll::RunRequest request;
  request.code = "console.log(6 * 7)";
  request.minimum_isolation = plimsoll::Isolation::kProcess;  // checked again in the answer

  // Again while the service is full: only what provably ran nothing.
  const auto answer = plimsoll::run_with_retry(*client, request, {.attempts = 3});
  if (!answer) {
    std::cerr << answer.error().message << '\n';  // not_dispatched says whether it may have run
    return 1;
  }
  std::cout << answer->outcome.stdout_bytes;          // 42
  std::cerr << answer->record.record_sha256 << '\n';  // of this very run
  return answer->outcome.exit_code;
}
