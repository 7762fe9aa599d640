// What a run goes through in the runner, gone through while there is none: V8 compiles a function when
// it is first called, and under gVisor a container that waited answers milliseconds sooner for it.
import fs from 'node:fs';

import { Cause, RUN_HEAD, decode_run, done } from './frames.mjs';
import { others } from './sweep.mjs';

const IDLE_MS = 30; // a run that comes at once is not kept waiting

// A function that calls it off.
export function rehearse_when_idle(scratch) {
  const timer = setTimeout(() => {
    const file = `${scratch}/rehearsal`;
    const { code } = decode_run(Buffer.alloc(RUN_HEAD));
    fs.writeFileSync(file, code, { flag: 'wx', mode: 0o600 });
    fs.rmSync(file);
    done({ cause: Cause.exited, exit_code: 0, signal: 0 });
    others();
  }, IDLE_MS);
  return () => clearTimeout(timer);
}
