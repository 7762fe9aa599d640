// Where things are in the image, and what the caller's processes find around them.
import os from 'node:os';
import { fileURLToPath } from 'node:url';

const MIB = 1 << 20;
// What a Node process needs besides the heap of its JavaScript, and the runner with it.
const BESIDES_HEAP = 96 * MIB;
const LEAST_HEAP = 16 * MIB;

export const HERE = fileURLToPath(new URL('.', import.meta.url));
export const CLIENT = `${HERE}client.cjs`;
export const BLOCKING_OUTPUT = `${HERE}blocking_output.cjs`;
export const SNIPPET_MAIN = `${HERE}snippet_main.cjs`;
export const SHELL = '/bin/sh';

// The memory that this container has, in bytes; 0: not known.
function container_memory() {
  const constrained = process.constrainedMemory();
  const total = os.totalmem();
  return constrained > 0 && constrained < total ? constrained : total;
}

// V8 is to give up before the kernel does: the one says so, the other kills.
function heap_mb(memory_bytes) {
  const memory = memory_bytes > 0 ? memory_bytes : container_memory();
  const heap = Math.max(LEAST_HEAP, memory / 3, memory - BESIDES_HEAP);
  return Math.floor(heap / MIB);
}

export function node_flags(memory_bytes) {
  return [
    `--max-old-space-size=${heap_mb(memory_bytes)}`, '--disable-warning=ExperimentalWarning',
    `--require=${BLOCKING_OUTPUT}`,
  ];
}

// Nothing of the runner's own environment but where programs are.
export function environment() {
  return {
    PATH: process.env.PATH ?? '/usr/local/bin:/usr/bin:/bin',
    HOME: '/tmp', TMPDIR: '/tmp', LANG: 'C.UTF-8', TZ: 'UTC',
  };
}
