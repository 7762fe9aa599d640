#include "record/request_digest.h"

#include <cassert>
#include <cstddef>
#include <string>
#include <vector>

namespace plimsoll::record {
namespace {

void write_files(FieldWriter& fields, const std::vector<ProjectFile>& files) {
  fields.count("files", files.size());
  for (const ProjectFile& file : files) {
    fields.bytes("file_path", file.path);
    fields.bytes("file_content", file.content);
  }
}

void write_each(FieldWriter& fields, std::string_view group, std::string_view name,
                const std::vector<std::string>& values) {
  fields.count(group, values.size());
  for (const std::string& value : values) fields.bytes(name, value);
}

// A payload's kind, and its fields in the order of the contract.
struct PayloadWriter {
  FieldWriter& fields;

  void operator()(const std::monostate&) const { assert(false && "a request without a payload"); }

  void operator()(const JavaScriptRun& run) const {
    fields.bytes("kind", "javascript");
    fields.bytes("code", run.code);
    fields.bytes("grant_profile", run.grant_profile);
  }

  void operator()(const ProjectRun& run) const {
    fields.bytes("kind", "project");
    fields.bytes("grant_profile", run.grant_profile);
    write_files(fields, run.files);
    write_each(fields, "steps", "step_command", run.steps);
    write_each(fields, "artifacts", "artifact_path", run.artifacts);
  }

  void operator()(const ModuleRun& run) const {
    fields.bytes("kind", "module");
    fields.bytes("model", run.model);
    fields.doubles("end_time", {&run.end_time, 1});
    fields.doubles("step", {&run.step, 1});
    fields.count("rows", run.rows.size());
    for (const auto& row : run.rows) fields.doubles("row_values", row);
  }

  void operator()(const CellRun& run) const {
    fields.bytes("kind", "cell");
    fields.bytes("language", run.language);
    fields.bytes("code", run.code);
    write_files(fields, run.files);
  }
};

void write_conditions(FieldWriter& fields, const AskedRun& asked) {
  fields.count("protocol", asked.protocol);
  fields.bytes("minimum_isolation", asked.minimum_isolation);
  fields.integer("timeout_ms", asked.timeout_ms);
}

}  // namespace

void encode_request(const AskedRun& asked, ByteSink& sink) {
  FieldWriter fields(sink, "plimsoll.run-request.v2");
  write_conditions(fields, asked);
  fields.bytes("software_mode", asked.software_rule.mode);
  write_each(fields, "software_identities", "software_identity", asked.software_rule.identities);
  std::visit(PayloadWriter{fields}, asked.payload);
}

Digest request_digest(const AskedRun& asked) {
  Sha256Sink sink;
  encode_request(asked, sink);
  return sink.finish();
}

void encode_request_v1(const AskedRun& asked, ByteSink& sink) {
  FieldWriter fields(sink, "plimsoll.run-request.v1");
  write_conditions(fields, asked);
  std::visit(PayloadWriter{fields}, asked.payload);
}

Digest request_digest_v1(const AskedRun& asked) {
  Sha256Sink sink;
  encode_request_v1(asked, sink);
  return sink.finish();
}

}  // namespace plimsoll::record
