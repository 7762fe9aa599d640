#include "doctor_report.h"

#include <gtest/gtest.h>

#include <array>

#include "docker_tiers.h"
#include "evidence_json.h"
#include "vm_tier.h"

namespace plimsoll::cli {
namespace {

std::array<TierReport, 2> reports() {
  return {TierReport{.tier = Isolation::kProcess,
                     .what = "wasm",
                     .in_this_build = InThisBuild::kYes,
                     .checks = {{.name = "seccomp", .detail = "there"},
                                {.name = "memfd",
                                 .finding = Finding::kWeaker,
                                 .detail = "not executable",
                                 .remedy = "set it"}},
                     .evidence = {.tier = Isolation::kProcess,
                                  .facts = {{.name = "no_new_privs",
                                             .value = "1",
                                             .basis = EvidenceBasis::kMeasured}}}},
          TierReport{.tier = Isolation::kVm, .what = "microvm", .checks = {}}};
}

TEST(DoctorReport, Text) {
  EXPECT_EQ(to_text(reports()),
            "process: usable\n"
            "  wasm\n"
            "  ok       seccomp           there\n"
            "  weaker   memfd             not executable\n"
            "                             do: set it\n"
            "  fact     no_new_privs      1 (measured)\n"
            "\n"
            "vm: the host has what it needs; not in this build\n"
            "  microvm\n"
            "\n"
            "This build can use here: process.\n");
}

TEST(DoctorReport, Json) {
  const Json json = Json::parse(to_json(reports()));
  EXPECT_EQ(json["usable"], Json::array({"process"}));
  EXPECT_EQ(json["tiers"][0]["checks"][1]["finding"], "weaker");
  EXPECT_EQ(json["tiers"][0]["evidence"]["facts"][0]["basis"], "measured");
  EXPECT_EQ(json["tiers"][1]["host_has_it"], true);
  EXPECT_EQ(json["tiers"][1]["usable"], false);
  EXPECT_FALSE(json["tiers"][1].contains("evidence"));
}

TEST(DoctorReport, WhatIsMissingOrUnseenMakesATierUnusable) {
  for (const Finding finding : {Finding::kMissing, Finding::kSkipped}) {
    auto both = reports();
    both[0].checks[0].finding = finding;
    EXPECT_FALSE(both[0].usable());
    EXPECT_NE(to_text(both).find("This build can use here: no tier."), std::string::npos);
  }
}

TEST(DockerTiers, RunscIsReadFromTheEnginesAnswer) {
  EXPECT_TRUE(registers_runsc(
      "HTTP/1.0 200 OK\r\nA: b\r\n\r\n{\"Runtimes\":{\"runc\":{},\"runsc\":{\"path\":\"/x\"}}}"));
  EXPECT_FALSE(registers_runsc("HTTP/1.0 200 OK\r\n\r\n{\"Runtimes\":{\"runc\":{}}}"));
  EXPECT_FALSE(registers_runsc("HTTP/1.0 200 OK\r\n\r\n{\"Runtimes\":[\"runsc\"]}"));
  EXPECT_FALSE(registers_runsc("HTTP/1.0 200 OK\r\n\r\n[\"Runtimes\",\"runsc\"]"));
  EXPECT_FALSE(registers_runsc("HTTP/1.0 200 OK\r\n\r\n{\"Runtimes\":{\"runsc\""));
  EXPECT_FALSE(registers_runsc("{\"Runtimes\":{\"runsc\":{}}}"));
  EXPECT_FALSE(registers_runsc(""));
}

TEST(DockerTiers, AnEndpointThatIsNoSocketIsNotAsked) {
  const auto tiers = examine_docker_tiers({.host = "tcp://127.0.0.1:1"});
  ASSERT_EQ(tiers.size(), 2U);
  EXPECT_EQ(tiers[0].checks[0].finding, Finding::kSkipped);
  EXPECT_EQ(tiers[1].checks[1].finding, Finding::kSkipped);
}

TEST(DockerTiers, AMissingSocketIsExplained) {
  const auto tiers = examine_docker_tiers({.host = "unix:///nonexistent/docker.sock"});
  EXPECT_EQ(tiers[0].checks[0].finding, Finding::kMissing);
  EXPECT_NE(tiers[0].checks[0].detail.find("No such file"), std::string::npos);
  EXPECT_FALSE(tiers[0].checks[0].remedy.empty());
}

TEST(VmTier, TheProcessorsFlagIsAWholeWord) {
  EXPECT_EQ(virtualisation_flag("processor\t: 0\nflags\t\t: fpu vmx sse\nx: y\n"), "vmx");
  EXPECT_EQ(virtualisation_flag("processor\t: 0\nflags\t\t: fpu svm\n"), "svm");
  EXPECT_EQ(virtualisation_flag("processor\t: 0\nflags\t\t: fpu vmx_x\nvmx flags: vnmi\n"), "");
  EXPECT_EQ(virtualisation_flag("processor\t: 0\nflags\t\t: fpu\nx: vmx"), "");
  EXPECT_EQ(virtualisation_flag(""), "");
}

}  // namespace
}  // namespace plimsoll::cli
