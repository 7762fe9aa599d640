// plimsoll-worker: started by the library only, never by a person.
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "worker/zygote.h"

int main(int argc, char** argv) {
  if (argc == 3 && std::strcmp(argv[1], "--zygote") == 0) {
    char* end = nullptr;
    errno = 0;
    const unsigned long megabytes = std::strtoul(argv[2], &end, 10);
    if (errno == 0 && *end == '\0' && megabytes >= 1 && megabytes <= 4'095) {
      return plimsoll::worker::run_zygote(megabytes << 20);
    }
  }
  std::fputs(
      "plimsoll-worker is started by the plimsoll library; it does nothing on its own.\n"
      "To run a snippet: plimsoll run -e 'console.log(6*7)'\n",
      stderr);
  return 2;
}
