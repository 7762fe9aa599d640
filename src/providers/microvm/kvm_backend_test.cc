#include "providers/microvm/kvm_backend.h"

#include <gtest/gtest.h>

#include <string>

namespace plimsoll::microvm {
namespace {

std::string cpuinfo(const std::string& flags) {
  return "processor\t: 0\nmodel name\t: a svm vmx hypervisor\nflags\t\t: " + flags +
         "\nbugs\t\t: none\n";
}

TEST(KvmBackend, IsWhatTheProcessorOrTheModuleSays) {
  EXPECT_EQ(backend_of(cpuinfo("fpu vmx sse"), false).name, "kvm/vmx");
  EXPECT_EQ(backend_of(cpuinfo("fpu svm"), false).name, "kvm/svm");
  EXPECT_EQ(backend_of(cpuinfo("fpu sse"), true).name, "kvm/pvm");
  EXPECT_EQ(backend_of(cpuinfo("fpu vmx sse"), true).name, "kvm/pvm") << "never more than it is";
  EXPECT_EQ(backend_of(cpuinfo("fpu svm sse"), true).name, "kvm/pvm") << "never more than it is";
  EXPECT_EQ(backend_of(cpuinfo("fpu sse"), false).name, "");
  EXPECT_EQ(backend_of(cpuinfo("svm_lock vmx_flags xsvm"), false).name, "");
}

TEST(KvmBackend, SaysWhetherThisHostIsAVirtualMachine) {
  EXPECT_EQ(backend_of(cpuinfo("fpu hypervisor vmx"), false).nested, "yes");
  EXPECT_EQ(backend_of(cpuinfo("fpu vmx"), false).nested, "no");
}

TEST(KvmBackend, WithoutFlagsNothingIsKnown) {
  for (const char* text : {"", "flags", "processor: 0\n"}) {
    const KvmBackend backend = backend_of(text, true);
    EXPECT_EQ(backend.name, "") << text;
    EXPECT_EQ(backend.nested, "") << text;
  }
}

}  // namespace
}  // namespace plimsoll::microvm
