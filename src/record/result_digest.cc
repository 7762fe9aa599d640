#include "record/result_digest.h"

namespace plimsoll::record {
namespace {

// A snippet's and a cell's; a step's have a prefix.
void write_process(FieldWriter& fields, const ProcessResult& process) {
  fields.integer("exit_code", process.exit_code);
  fields.flag("timed_out", process.timed_out);
  fields.bytes("stdout", process.stdout_bytes);
  fields.bytes("stderr", process.stderr_bytes);
  fields.flag("stdout_truncated", process.stdout_truncated);
  fields.flag("stderr_truncated", process.stderr_truncated);
}

void write_step(FieldWriter& fields, const StepResult& step) {
  fields.bytes("step_command", step.command);
  fields.integer("step_exit_code", step.process.exit_code);
  fields.flag("step_timed_out", step.process.timed_out);
  fields.bytes("step_stdout", step.process.stdout_bytes);
  fields.bytes("step_stderr", step.process.stderr_bytes);
  fields.flag("step_stdout_truncated", step.process.stdout_truncated);
  fields.flag("step_stderr_truncated", step.process.stderr_truncated);
}

void write_outcome(FieldWriter& fields, ProjectOutcome outcome) {
  fields.integer("outcome", static_cast<std::int64_t>(outcome));
}

// A result's kind, and its fields in the order of the contract.
struct ResultWriter {
  FieldWriter& fields;

  void operator()(const JavaScriptResult& result) const {
    fields.bytes("kind", "javascript");
    write_process(fields, result.process);
  }

  void operator()(const ProjectResult& result) const {
    fields.bytes("kind", "project");
    write_outcome(fields, result.outcome);
    fields.bytes("outcome_detail", result.outcome_detail);
    fields.flag("artifacts_truncated", result.artifacts_truncated);
    fields.count("steps", result.steps.size());
    for (const StepResult& step : result.steps) write_step(fields, step);
    fields.count("artifacts", result.artifacts.size());
    for (const Artifact& artifact : result.artifacts) {
      fields.bytes("artifact_path", artifact.path);
      fields.bytes("artifact_content", artifact.content);
    }
  }

  void operator()(const ModuleResult& result) const {
    fields.bytes("kind", "module");
    write_outcome(fields, result.outcome);
    fields.bytes("outcome_detail", result.outcome_detail);
    fields.integer("width", result.width);
    fields.bytes("stdout", result.stdout_bytes);
    fields.bytes("stderr", result.stderr_bytes);
    fields.count("runs", result.runs.size());
    for (const ModuleRowResult& run : result.runs) {
      fields.integer("run_status", run.status);
      fields.doubles("run_outputs", run.outputs);
    }
  }

  void operator()(const CellResult& result) const {
    fields.bytes("kind", "cell");
    write_process(fields, result.process);
    fields.flag("interpreter_started", result.interpreter_started);
    fields.flag("interpreter_ended", result.interpreter_ended);
  }
};

}  // namespace

void encode_result(const RunResult& result, ByteSink& sink) {
  FieldWriter fields(sink, "plimsoll.run-result.v1");
  std::visit(ResultWriter{fields}, result);
}

Digest result_digest(const RunResult& result) {
  Sha256Sink sink;
  encode_result(result, sink);
  return sink.finish();
}

}  // namespace plimsoll::record
