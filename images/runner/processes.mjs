// One process of the caller's: started in a session of its own, its output taken within its caps,
// stopped at its deadline, and nothing of it left behind.
import { once } from 'node:events';
import os from 'node:os';

import { Cause, Kind, chunks } from './frames.mjs';
import { start } from './start.mjs';
import { kill_the_rest } from './sweep.mjs';

const DRAIN_MS = 2000; // how long a stream may stay open once its writers have been killed
const TAIL_BYTES = 8192;
const LONGEST_TIMER_MS = 2 ** 31 - 1;
const OUT_OF_HEAP = /^FATAL ERROR: .*heap out of memory$/m;

export const EXIT = Object.freeze({ timedOut: 124, outOfMemory: 137, outputFlood: 153 });

// What is kept of one stream, and what is known of the rest.
class Stream {
  seen = 0;
  tail = Buffer.alloc(0);
  truncated = false;

  constructor(kind, socket) {
    this.kind = kind;
    this.socket = socket;
    this.ended = once(socket, 'close').catch(() => {});
    socket.on('error', () => {}); // its end is all that matters
  }

  // The part of `bytes` that is below the cap.
  keep(bytes, cap) {
    const left = Math.max(0, cap - this.seen);
    this.seen += bytes.length;
    if (bytes.length > left) this.truncated = true;
    const joined = bytes.length >= TAIL_BYTES ? bytes : Buffer.concat([this.tail, bytes]);
    this.tail = joined.subarray(-TAIL_BYTES);
    return bytes.subarray(0, left);
  }
}

// Of one run of one process: how it ended. The first cause stands.
function end_of(exit_code, signal, stderr, stopped) {
  if (stopped === Cause.timedOut) return { cause: stopped, exit_code: EXIT.timedOut, signal: 0 };
  if (stopped === Cause.outputFlood) return { cause: stopped, exit_code: EXIT.outputFlood, signal: 0 };
  if (signal === null) return { cause: Cause.exited, exit_code, signal: 0 };
  const number = os.constants.signals[signal] ?? 0;
  // V8 gives up at the limit of its heap by abort(), with its last words on standard error.
  if (signal === 'SIGABRT' && OUT_OF_HEAP.test(stderr.tail.toString('latin1'))) {
    return { cause: Cause.outOfMemory, exit_code: EXIT.outOfMemory, signal: 0 };
  }
  return { cause: Cause.signaled, exit_code: 128 + number, signal: number };
}

export class Process {
  constructor({ child, exit, outputs: [out, err] }) {
    this.child = child;
    this.exit = exit;
    this.streams = [new Stream(Kind.stdout, out), new Stream(Kind.stderr, err)];
  }

  // Nothing is read of its output until watch().
  static async start(program, args, options) {
    return new Process(await start(program, args, options));
  }

  kill() {
    try {
      process.kill(-this.child.pid, 'SIGKILL');
    } catch {
      // Gone already.
    }
  }

  // Lets it run until it ends or is stopped, and sends its output. Afterwards nothing that it
  // started is left. { cause, exit_code, signal, stdout_truncated, stderr_truncated }
  async watch({ timeout_ms, output_cap, flood_bytes }, send) {
    let stopped = null;
    const stop = (cause) => {
      stopped ??= cause;
      this.kill();
    };
    let written = 0;
    for (const stream of this.streams) {
      stream.socket.on('data', (bytes) => {
        written += bytes.length;
        for (const part of chunks(stream.kind, stream.keep(bytes, output_cap))) send(part);
        if (written > flood_bytes) stop(Cause.outputFlood);
      });
      stream.socket.resume();
    }
    const timer = setTimeout(() => stop(Cause.timedOut), Math.min(timeout_ms, LONGEST_TIMER_MS));
    const [code, signal] = await this.exit;
    clearTimeout(timer);
    this.kill();
    kill_the_rest();
    await this.#drain();
    const [out, err] = this.streams;
    const flooded = stopped === Cause.outputFlood;
    return {
      ...end_of(code, signal, err, stopped),
      stdout_truncated: out.truncated || flooded,
      stderr_truncated: err.truncated || flooded,
    };
  }

  // What is in the pipes still comes; a writer that could not be killed does not hold us.
  async #drain() {
    const give_up = setTimeout(() => {
      for (const { socket } of this.streams) socket.destroy();
    }, DRAIN_MS);
    await Promise.all(this.streams.map(({ ended }) => ended));
    clearTimeout(give_up);
  }
}
