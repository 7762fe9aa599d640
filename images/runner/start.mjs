// Starts a process of the caller's, with pipes for what it writes.
import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const { O_NONBLOCK, O_RDONLY, O_WRONLY } = fs.constants;
const FULL_MS = 3000; // how long the dead of the step before may still count against a limit

// What was killed is counted until init has taken note of it: a start that finds no room tries again.
async function once_there_is_room(start) {
  const until = performance.now() + FULL_MS;
  for (;;) {
    try {
      return await start();
    } catch (error) {
      if (error.code !== 'EAGAIN' || performance.now() > until) throw error;
      await sleep(5);
    }
  }
}

let made_in = null;

// Says where the pipes of the first process are, if not null. Nobody of the caller's has run yet.
export function take_pipes_from(folder) {
  made_in = folder;
}

// Node gives a child sockets, which /dev/stdout does not open. A named pipe is a pipe once it is
// open; its name is gone before anybody runs who could use it.
function make_pipes(folder) {
  const names = ['out', 'err'].map((name) => `${made_in ?? folder}/${name}`);
  if (made_in === null) {
    // A step may have cleaned up: this is in its TMPDIR.
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
    for (const name of names) fs.rmSync(name, { recursive: true, force: true });
    execFileSync('mkfifo', ['-m', '600', ...names], { stdio: 'ignore' });
  }
  made_in = null;
  return names.map((name) => {
    const reader = fs.openSync(name, O_RDONLY | O_NONBLOCK);
    const writer = fs.openSync(name, O_WRONLY);
    fs.rmSync(name);
    return { reader, writer };
  });
}

// When memory runs out, the kernel is to take this one and not the runner.
function prefer_to_kill(child) {
  try {
    fs.writeFileSync(`/proc/${child.pid}/oom_score_adj`, '1000');
  } catch {
    // It is gone, or the kernel has no such thing.
  }
}

// { child, exit, outputs }: the process, a promise of [code, signal], and its standard output and
// error as sockets that are paused. `extra`: more of its standard streams, behind 0 to 2.
export async function start(program, args, { cwd, env, folder, extra = [] }) {
  const pipes = await once_there_is_room(() => make_pipes(folder));
  const stdio = ['ignore', pipes[0].writer, pipes[1].writer, ...extra];
  let child, exit;
  try {
    await once_there_is_room(() => new Promise((resolve, reject) => {
      child = spawn(program, args, { cwd, env, detached: true, stdio });
      exit = new Promise((ended) => { child.once('exit', (code, signal) => ended([code, signal])); });
      child.once('spawn', resolve);
      child.once('error', reject);
    }));
  } finally {
    for (const { writer } of pipes) fs.closeSync(writer);
  }
  prefer_to_kill(child);
  const outputs = pipes.map(({ reader }) => (
    new net.Socket({ fd: reader, readable: true, writable: false }).pause()));
  return { child, exit, outputs };
}
