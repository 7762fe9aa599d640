// One thing that a tier needs, as this host has it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "plimsoll/evidence.h"
#include "plimsoll/isolation.h"

namespace plimsoll::cli {

enum class Finding {
  kOk,       // it is there
  kMissing,  // the tier cannot do without it
  kWeaker,   // the tier works without it, with one wall less
  kSkipped,  // it could not be looked at
};

// "ok", "missing", "weaker", "skipped".
[[nodiscard]] std::string_view to_string(Finding finding) noexcept;

struct HostCheck {
  std::string name;
  Finding finding = Finding::kOk;
  std::string detail;    // what was seen
  std::string remedy{};  // what to do about it; empty when there is nothing to do
};

enum class InThisBuild { kYes, kNo };

struct TierReport {
  Isolation tier = Isolation::kUnknown;
  std::string what;  // what makes the tier, in a few words
  InThisBuild in_this_build = InThisBuild::kNo;
  std::vector<HostCheck> checks;
  IsolationEvidence evidence{};  // of a tier that was started for real; else empty

  // Whether nothing that it needs is missing or unseen.
  [[nodiscard]] bool host_has_it() const noexcept;
  // Whether `plimsoll run` can use it here and now.
  [[nodiscard]] bool usable() const noexcept {
    return in_this_build == InThisBuild::kYes && host_has_it();
  }
};

}  // namespace plimsoll::cli
