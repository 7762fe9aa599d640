// The guest's end of the guest channel in a container: takes one run from standard input, serves it,
// answers on standard output, and ends. The caller's code runs in processes of its own, whose
// standard streams are not these. See docs/guest-dependencies.md for how it comes into an image, and
// src/guest/frame.h for what it speaks.
//
//   node runner.mjs [--container] [--warm] [--pipes=FOLDER] [--work=FOLDER] [--scratch=FOLDER]
//
//   --container   every other process of this pid namespace is the caller's, and is killed after
//                 each step; without it only the step's process group is
//   --warm        the process of a snippet is started before kReady is sent
//   --pipes       where the pipes of the first process are, if they are made (runner/enter)
//   --work        where files are put down and code runs (default /work)
//   --scratch     where the runner has what its processes need to find (default /tmp/.plimsoll)
import fs from 'node:fs';
import { parseArgs } from 'node:util';

import {
  FROM_HOST, FrameReader, Kind, ProtocolError, decode_project_run, decode_run, frame,
} from './runner/frames.mjs';
import { HostCalls } from './runner/host_calls.mjs';
import { run_project } from './runner/project.mjs';
import { rehearse_when_idle } from './runner/rehearsal.mjs';
import { WaitingSnippet } from './runner/snippet.mjs';
import { take_pipes_from } from './runner/start.mjs';
import { own_the_container } from './runner/sweep.mjs';

const { values: options } = parseArgs({
  options: {
    container: { type: 'boolean', default: false },
    warm: { type: 'boolean', default: false },
    pipes: { type: 'string' },
    work: { type: 'string', default: '/work' },
    scratch: { type: 'string', default: '/tmp/.plimsoll' },
  },
});

// A pipe is written to at once: a host that does not read stops us here, and its deadline ends it.
function send(bytes) {
  process.stdout.write(bytes);
}

function leave(code, why) {
  if (why) process.stderr.write(`runner: ${why}\n`);
  process.stdout.write('', () => process.exit(code));
}

async function grant_of(run, calls) {
  if (run.grant === null) return null;
  const file = `${options.scratch}/grant.json`;
  await calls.serve(run.grant, file);
  return file;
}

async function serve({ kind, payload }, received, waiting, calls) {
  const folders = { work: options.work, scratch: options.scratch };
  if (kind === Kind.run) {
    const run = decode_run(payload);
    const grant = await grant_of(run, calls);
    const snippet = waiting ?? await WaitingSnippet.start(folders, run.memory_bytes);
    const timeout_ms = received + run.timeout_ms - performance.now();
    await snippet.run({ ...run, timeout_ms }, grant, send);
    return;
  }
  const run = decode_project_run(payload);
  waiting?.discard();
  await run_project(run, await grant_of(run, calls), folders, received, send);
}

async function main() {
  if (options.container) own_the_container();
  fs.mkdirSync(options.scratch, { mode: 0o700 });
  take_pipes_from(options.pipes ?? null);
  const calls = new HostCalls(send);
  const folders = { work: options.work, scratch: options.scratch };
  const waiting = options.warm ? await WaitingSnippet.start(folders, 0) : null;
  if (waiting !== null && !await waiting.up()) throw new Error('the snippet\'s process did not come up');
  const call_off = waiting === null ? () => {} : rehearse_when_idle(options.scratch);

  const reader = new FrameReader(FROM_HOST);
  let running = false;
  // One that is killed while it waits, for the machine's memory say, must not look like a run's end.
  waiting?.process.exit.then(() => running || leave(1, 'the snippet\'s process ended early'));
  const take = ({ kind, payload }) => {
    if (kind === Kind.hostReply) return calls.reply(payload);
    if (running) throw new ProtocolError('a second run');
    running = true;
    call_off();
    return serve({ kind, payload }, performance.now(), waiting, calls)
      .then(() => leave(0), (error) => leave(1, error.message));
  };
  process.stdin.on('data', (bytes) => {
    try {
      reader.push(bytes);
      for (let next = reader.next(); next !== null; next = reader.next()) void take(next);
    } catch (error) {
      leave(1, error.message);
    }
  });
  process.stdin.on('end', () => leave(running ? 1 : 0));
  process.stdin.on('error', () => leave(1));
  process.stdout.on('error', () => process.exit(1));
  send(frame(Kind.ready));
}

main().catch((error) => leave(1, error.message));
