// The wire contract does not drift: what was generated has the names and numbers of
// proto/descriptor.golden. After a wanted change, PLIMSOLL_UPDATE_GOLDEN=1 rewrites that file; its
// diff is what a reviewer reads.
#include <google/protobuf/descriptor.pb.h>
#include <gtest/gtest.h>
#include <plimsoll/v1/run.pb.h>

#include <cstdlib>
#include <fstream>
#include <functional>
#include <sstream>
#include <vector>

#include "core/run_result.h"
#include "descriptor_dump.h"
#include "plimsoll/evidence.h"
#include "plimsoll/outcome.h"
#include "plimsoll/result.h"

namespace plimsoll {
namespace {

constexpr const char* kGolden = PLIMSOLL_SOURCE_DIR "/proto/descriptor.golden";

const google::protobuf::FileDescriptor& run_file() { return *v1::RunRequest::descriptor()->file(); }

// Every file that is linked.
std::string everything() {
  std::string text;
  for (const std::string name :
       {"plimsoll/v1/sandbox.proto", "plimsoll/v1/run.proto", "plimsoll/v1/payload.proto",
        "plimsoll/v1/result.proto", "plimsoll/v1/evidence.proto", "plimsoll/v1/session.proto",
        "google/rpc/status.proto", "google/rpc/error_details.proto", "grpc/health/v1/health.proto",
        "grpc/reflection/v1/reflection.proto"}) {
    const auto* file = run_file().pool()->FindFileByName(name);
    text += file == nullptr ? name + " is not linked\n" : dump_of(*file) + "\n";
  }
  return text;
}

TEST(Descriptor, NamesAndNumbersAreThoseOfTheGoldenFile) {
  const std::string now = everything();
  if (std::getenv("PLIMSOLL_UPDATE_GOLDEN") != nullptr) std::ofstream(kGolden) << now;
  std::ostringstream golden;
  golden << std::ifstream(kGolden).rdbuf();
  EXPECT_EQ(now, golden.str());
}

google::protobuf::FileDescriptorProto copy_of(const google::protobuf::FileDescriptor& file) {
  google::protobuf::FileDescriptorProto copy;
  file.CopyTo(&copy);
  file.CopyJsonNameTo(&copy);
  return copy;
}

// The dump of run.proto after a change of it, in a pool of its own.
template <class Change>
std::string dump_after(Change change) {
  google::protobuf::DescriptorPool pool;
  for (int i = 0; i < run_file().dependency_count(); ++i) {
    EXPECT_NE(pool.BuildFile(copy_of(*run_file().dependency(i))), nullptr);
  }
  auto changed = copy_of(run_file());
  change(changed);
  const auto* file = pool.BuildFile(changed);
  return file == nullptr ? "" : dump_of(*file);
}

TEST(Descriptor, EachPlantedDriftShows) {
  using File = google::protobuf::FileDescriptorProto;
  using Field = google::protobuf::FieldDescriptorProto;
  const auto first_field = [](File& file) {
    return file.mutable_message_type(0)->mutable_field(0);
  };
  const std::string before = dump_after([](File&) {});
  ASSERT_EQ(before, dump_of(run_file()));
  const std::vector<std::function<void(File&)>> changes = {
      [&](File& file) { first_field(file)->set_number(9); },
      [&](File& file) { first_field(file)->set_name("protocols"); },
      [&](File& file) { first_field(file)->set_type(Field::TYPE_INT32); },
      [&](File& file) { first_field(file)->set_label(Field::LABEL_REPEATED); },
      [&](File& file) { first_field(file)->set_json_name("p"); },
      [](File& file) { file.mutable_message_type(0)->mutable_field(4)->set_oneof_index(0); },
      [](File& file) { file.mutable_message_type(0)->mutable_field()->DeleteSubrange(0, 1); },
      [](File& file) { file.mutable_enum_type(0)->mutable_value(1)->set_number(99); },
      [](File& file) { file.mutable_enum_type(0)->mutable_value(1)->set_name("OTHER"); },
  };
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const std::string after = dump_after(changes[i]);
    EXPECT_FALSE(after.empty()) << i;
    EXPECT_NE(after, before) << i;
  }
}

// The numbers that the library's own enumerations share with the wire.
TEST(Descriptor, TheLibrarysEnumerationsHaveTheNumbersOfTheWire) {
  const auto check = [](const google::protobuf::EnumDescriptor* wire, std::string_view prefix,
                        auto last, const auto& name_of) {
    EXPECT_EQ(wire->value_count(), static_cast<int>(last) + 1) << wire->full_name();
    for (int i = 1; i < wire->value_count(); ++i) {
      std::string name = std::string(prefix) + std::string(name_of(static_cast<decltype(last)>(i)));
      for (char& c : name) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
      EXPECT_EQ(wire->FindValueByNumber(i)->name(), name);
    }
  };
  const auto to_text = [](auto value) { return to_string(value); };
  check(v1::EvidenceBasis_descriptor(), "EVIDENCE_BASIS_", EvidenceBasis::kMeasured, to_text);
  check(v1::TerminationCause_descriptor(), "TERMINATION_CAUSE_", TerminationCause::kEngineFault,
        to_text);
  check(v1::NotDispatchedReason_descriptor(), "NOT_DISPATCHED_REASON_",
        NotDispatchedReason::kEnvironment, to_text);
  EXPECT_EQ(static_cast<int>(ProjectOutcome::kCompleted), v1::PROJECT_OUTCOME_COMPLETED);
  EXPECT_EQ(static_cast<int>(ProjectOutcome::kSetupFailed), v1::PROJECT_OUTCOME_SETUP_FAILED);
  EXPECT_EQ(static_cast<int>(ProjectOutcome::kTimedOut), v1::PROJECT_OUTCOME_TIMED_OUT);
  EXPECT_EQ(static_cast<int>(ProjectOutcome::kProtocolError), v1::PROJECT_OUTCOME_PROTOCOL_ERROR);
}

TEST(Descriptor, DescribeAloneHasNoSideEffects) {
  const auto* service = run_file().pool()->FindServiceByName("plimsoll.v1.SandboxService");
  ASSERT_NE(service, nullptr);
  for (int i = 0; i < service->method_count(); ++i) {
    EXPECT_EQ(service->method(i)->options().idempotency_level() ==
                  google::protobuf::MethodOptions::NO_SIDE_EFFECTS,
              service->method(i)->name() == "Describe");
  }
}

}  // namespace
}  // namespace plimsoll
