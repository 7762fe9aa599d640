// A project: its files, its steps until one fails, its artifacts.
import {
  Cause, Kind, ProjectEnd, artifact_head, chunks, project_done, step_begin, step_done,
} from './frames.mjs';
import { collect } from './artifacts.mjs';
import { Process } from './processes.mjs';
import { CLIENT, SHELL, environment, node_flags } from './settings.mjs';
import { SetupFailure, stage } from './staging.mjs';

function environment_of(run, grant) {
  const options = node_flags(run.memory_bytes);
  if (grant === null) return { ...environment(), NODE_OPTIONS: options.join(' ') };
  options.push(`--require=${CLIENT}`);
  return { ...environment(), NODE_OPTIONS: options.join(' '), PLIMSOLL_GRANT: grant };
}

// How the steps ended: ProjectEnd.completed or .timedOut.
async function run_steps(run, grant, { work, scratch }, until, send) {
  const env = environment_of(run, grant);
  for (const [index, command] of run.steps.entries()) {
    const left = until - performance.now();
    if (left <= 0) return ProjectEnd.timedOut;
    send(step_begin(index));
    const step = await Process.start(SHELL, ['-c', command], { cwd: work, env, folder: scratch });
    const timeout_ms = Math.min(left, run.step_timeout_ms);
    const end = await step.watch({ ...run, timeout_ms }, send);
    send(step_done(index, end));
    if (end.cause === Cause.timedOut) return ProjectEnd.timedOut;
    if (end.cause !== Cause.exited || end.exit_code !== 0) break;
  }
  return ProjectEnd.completed;
}

function send_artifacts(run, work, send) {
  let budget = run.artifact_bytes;
  for (const [index, path] of run.artifacts.entries()) {
    const { state, content, sha256 } = collect(work, path, budget);
    budget -= content.length;
    send(artifact_head(index, state, content, sha256));
    for (const part of chunks(Kind.artifactData, content)) send(part);
  }
}

export async function run_project(run, grant, folders, received, send) {
  try {
    stage(folders.work, run.files);
  } catch (error) {
    if (!(error instanceof SetupFailure)) throw error;
    send(project_done(ProjectEnd.setupFailed, error.fault, error.file));
    return;
  }
  const end = await run_steps(run, grant, folders, received + run.timeout_ms, send);
  if (end === ProjectEnd.completed) send_artifacts(run, folders.work, send);
  send(project_done(end));
}
