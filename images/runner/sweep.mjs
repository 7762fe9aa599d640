// Ends every process but the runner and the container's init. Only in a container, where all others
// are the caller's: elsewhere this would be the end of the machine.
import fs from 'node:fs';

const PATIENCE_MS = 5000;

let in_container = false;

// Says that every other process of this pid namespace is the caller's.
export function own_the_container() {
  if (process.pid !== 1 && process.ppid !== 1) throw new Error('not started by a container\'s init');
  in_container = true;
}

function is_alive(pid) {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'latin1');
    const state = stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3);
    return state !== 'Z' && state !== 'X' && state !== 'x';
  } catch {
    return false;
  }
}

// Processes of others that are not dead, by number.
export function others() {
  return fs.readdirSync('/proc')
    .filter((name) => /^[1-9][0-9]*$/.test(name))
    .map(Number)
    .filter((pid) => pid !== 1 && pid !== process.pid && is_alive(pid));
}

// kill(-1) is one call for all of them, so that a process which forks without end does not outrun
// it; a session or a group of its own hides from it nothing. Throws when something stays.
export function kill_the_rest() {
  if (!in_container) return;
  const until = performance.now() + PATIENCE_MS;
  do {
    try {
      process.kill(-1, 'SIGKILL');
    } catch (error) {
      if (error.code !== 'ESRCH') throw error;
    }
    if (others().length === 0) return;
    // A process that is being killed needs a moment of a processor; this gives ours away.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
  } while (performance.now() < until);
  throw new Error('a process outlives SIGKILL');
}
