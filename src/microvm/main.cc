// plimsoll-vmm: started by the library only, never by a person.
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "microvm/vmm_zygote.h"

int main(int argc, char** argv) {
  if (argc == 3 && std::strcmp(argv[1], "--zygote") == 0) {
    char* end = nullptr;
    errno = 0;
    const unsigned long megabytes = std::strtoul(argv[2], &end, 10);
    if (errno == 0 && *end == '\0' && megabytes >= 1 && megabytes <= 1'024) {
      return plimsoll::microvm::run_vmm_zygote(megabytes << 20);
    }
  }
  std::fputs(
      "plimsoll-vmm is started by the plimsoll library; it does nothing on its own.\n"
      "To run a snippet: plimsoll run --provider microvm -e 'console.log(6*7)'\n",
      stderr);
  return 2;
}
