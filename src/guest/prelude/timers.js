// setTimeout, setInterval, setImmediate and the loop step that the engine drives.
//
// The order is Node's: the timers phase runs every timer that is due, by due time and then by
// insertion; the check phase runs the immediates that existed when it began; and so on.
import * as native from './native.js';
import {
  MathFloor, ReflectApply, define_global, define_hidden, define_index, uncurry,
} from './primordials.js';
import { require_function } from './errors.js';

const LONGEST_MS = 2 ** 31 - 1;
const map_get = uncurry(Map.prototype.get);
const map_set = uncurry(Map.prototype.set);
const map_delete = uncurry(Map.prototype.delete);

const heap = []; // of live timers, the next one first
const numbered = new Map(); // timers that were turned into numbers, so that clearTimeout(n) works
let immediates = [];
let next_id = 1;
let next_sequence = 0;
let held_open = 0; // live timers and immediates that keep the run alive
let wanted = false;

// The phase between two calls of turn().
let checking = []; // immediates of the current check phase
let checked = 0;
let phase_now = -1; // the loop's clock during a timers phase; -1 outside one
let first_phase = true;

function want_loop() {
  if (wanted) return;
  wanted = true;
  native.want(2);
}

const before = (a, b) => a._due < b._due || (a._due === b._due && a._sequence < b._sequence);

function place(index, timer) {
  define_index(heap, index, timer);
  timer._at = index;
}

function sift_up(index) {
  const timer = heap[index];
  while (index > 0) {
    const parent = (index - 1) >> 1;
    if (!before(timer, heap[parent])) break;
    place(index, heap[parent]);
    index = parent;
  }
  place(index, timer);
}

function sift_down(index) {
  const timer = heap[index];
  for (;;) {
    let child = 2 * index + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && before(heap[child + 1], heap[child])) child += 1;
    if (!before(heap[child], timer)) break;
    place(index, heap[child]);
    index = child;
  }
  place(index, timer);
}

function insert(timer, due) {
  timer._due = due;
  timer._sequence = next_sequence++;
  place(heap.length, timer);
  sift_up(heap.length - 1);
  if (timer._held) held_open += 1;
}

function remove(timer) {
  const index = timer._at;
  if (index < 0) return;
  const last = heap[heap.length - 1];
  heap.length -= 1;
  if (last !== timer) {
    place(index, last);
    sift_down(index);
    sift_up(last._at);
  }
  timer._at = -1;
  if (timer._held) held_open -= 1;
}

function start(timer) {
  insert(timer, MathFloor(native.now()) + timer._after);
}

function delay_of(value) {
  const after = +value;
  return after >= 1 && after <= LONGEST_MS ? MathFloor(after) : 1;
}


class Timeout {
  constructor(callback, after, args, repeat) {
    define_hidden(this, '_callback', callback);
    define_hidden(this, '_after', delay_of(after));
    define_hidden(this, '_args', args);
    define_hidden(this, '_repeat', repeat);
    define_hidden(this, '_held', true);
    define_hidden(this, '_at', -1);
    define_hidden(this, '_due', 0);
    define_hidden(this, '_sequence', 0);
    define_hidden(this, '_id', 0);
    want_loop();
    start(this);
  }

  ref() {
    if (!this._held && this._at >= 0) held_open += 1;
    this._held = true;
    return this;
  }

  unref() {
    if (this._held && this._at >= 0) held_open -= 1;
    this._held = false;
    return this;
  }

  hasRef() { return this._held; }

  refresh() {
    if (this._callback === null) return this;
    remove(this);
    start(this);
    return this;
  }

  close() {
    clearTimeout(this);
    return this;
  }

  [Symbol.toPrimitive]() {
    if (this._id === 0) {
      this._id = next_id++;
      map_set(numbered, this._id, this);
    }
    return this._id;
  }

  [Symbol.dispose]() { clearTimeout(this); }
}

class Immediate {
  constructor(callback, args) {
    define_hidden(this, '_callback', callback);
    define_hidden(this, '_args', args);
    define_hidden(this, '_held', true);
    want_loop();
    held_open += 1;
    define_index(immediates, immediates.length, this);
  }

  ref() {
    if (!this._held && this._callback !== null) held_open += 1;
    this._held = true;
    return this;
  }

  unref() {
    if (this._held && this._callback !== null) held_open -= 1;
    this._held = false;
    return this;
  }

  hasRef() { return this._held; }

  [Symbol.dispose]() { clearImmediate(this); }
}

function rest_of(args, from) {
  const rest = [];
  for (let i = from; i < args.length; i++) define_index(rest, i - from, args[i]);
  return rest;
}

function setTimeout(callback, after) {
  require_function(callback);
  return new Timeout(callback, after, rest_of(arguments, 2), false);
}

function setInterval(callback, after) {
  require_function(callback);
  return new Timeout(callback, after, rest_of(arguments, 2), true);
}

function setImmediate(callback) {
  require_function(callback);
  return new Immediate(callback, rest_of(arguments, 1));
}

function clearTimeout(timer) {
  if (typeof timer === 'number' || typeof timer === 'string') timer = map_get(numbered, +timer);
  if (!(timer instanceof Timeout)) return;
  remove(timer);
  timer._callback = null;
  if (timer._id !== 0) map_delete(numbered, timer._id);
}

function clearInterval(timer) { clearTimeout(timer); }

function clearImmediate(immediate) {
  if (!(immediate instanceof Immediate) || immediate._callback === null) return;
  immediate._callback = null;
  if (immediate._held) held_open -= 1;
}

function run_timer(timer) {
  remove(timer);
  try {
    ReflectApply(timer._callback, timer, timer._args);
  } finally {
    // Rearmed also after an error: a guest with an uncaughtException listener goes on.
    if (timer._repeat && timer._callback !== null && timer._at < 0) start(timer);
    else if (timer._at < 0 && timer._id !== 0) map_delete(numbered, timer._id);
  }
}

function run_immediate(immediate) {
  const callback = immediate._callback;
  if (callback === null) return false;
  immediate._callback = null;
  if (immediate._held) held_open -= 1;
  ReflectApply(callback, immediate, immediate._args);
  return true;
}

// The loop's clock at the start of a timers phase. Node's first phase comes more than 1 ms after
// the start of the script, so a zero timeout of the script runs before its immediates; here that is
// made a rule.
function loop_clock() {
  const now = MathFloor(native.now()) + (first_phase ? 1 : 0);
  first_phase = false;
  return now;
}

function run_next() {
  if (checked < checking.length) {
    while (checked < checking.length) if (run_immediate(checking[checked++])) return true;
  }
  if (phase_now < 0) phase_now = loop_clock();
  const limit = phase_now;
  if (heap.length > 0 && heap[0]._due <= limit) {
    run_timer(heap[0]);
    return true;
  }
  phase_now = -1;
  checking = immediates;
  checked = 0;
  immediates = [];
  while (checked < checking.length) if (run_immediate(checking[checked++])) return true;
  return false;
}

// Runs at most one callback. Then: -1 nothing is left, 0 something can run now, else the
// milliseconds until the next timer.
export function turn() {
  run_next();
  if (held_open === 0) return -1;
  if (checked < checking.length || immediates.length > 0) return 0;
  if (heap.length === 0) return -1;
  const wait = heap[0]._due - native.now();
  return wait > 0 ? wait : 0;
}

export function timers_pending() {
  return held_open > 0;
}

const globals = {
  setTimeout, setInterval, setImmediate, clearTimeout, clearInterval, clearImmediate,
};
for (const name of Object.keys(globals)) define_global(name, globals[name]);
