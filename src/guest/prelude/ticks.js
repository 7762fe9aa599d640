// process.nextTick: a queue that the engine drains between callbacks and before microtasks.
import * as native from './native.js';
import { ReflectApply, define_index } from './primordials.js';

let queue = [];
let head = 0;
let wanted = false;

export function schedule_tick(callback, args) {
  if (!wanted) {
    wanted = true;
    native.want(1);
  }
  define_index(queue, queue.length, { __proto__: null, callback, args });
}

// Runs what is queued, also what that queues. An error leaves the rest queued and goes to the
// engine, which calls again if the guest took the error. Returns whether anything ran.
export function ticks() {
  if (head === queue.length) return false;
  while (head < queue.length) {
    const { callback, args } = queue[head];
    head += 1;
    ReflectApply(callback, undefined, args);
  }
  queue = [];
  head = 0;
  return true;
}

export function ticks_pending() {
  return head < queue.length;
}
