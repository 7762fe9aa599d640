// process: what a snippet can truthfully be told. No host value is in it.
import EventEmitter from 'events';
import * as native from './native.js';
import { coded_error, invalid_argument_type, require_function } from './errors.js';
import { inspect } from './inspect.js';
import { schedule_tick, ticks_pending } from './ticks.js';
import { timers_pending } from './timers.js';
import { stdout, stderr } from './stdio.js';
import { define_global, define_hidden, ReflectDefineProperty } from './primordials.js';

const EXIT_EVENTS = new Set(['exit', 'beforeExit']);
let exit_code; // as the guest set it: undefined, or an integer
let wanted_exit = false;
let exiting = false;
// Whether anybody ever listened: without listeners an end does not depend on the emitter, which
// works with whatever the guest has made of Array.prototype.
let exit_listened = false;
let errors_listened = false;
const ERROR_EVENTS = new Set(['uncaughtException', 'unhandledRejection']);

function want_exit() {
  if (wanted_exit) return;
  wanted_exit = true;
  native.want(4);
}

// Node accepts integers, integer strings, undefined and null.
function validate_code(value) {
  if (value === undefined || value === null) return undefined;
  const number = typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value;
  if (typeof number !== 'number') {
    throw invalid_argument_type('code', 'of type number', value);
  }
  if (!Number.isInteger(number)) {
    throw coded_error(RangeError, 'ERR_OUT_OF_RANGE',
      `The value of "code" is out of range. It must be an integer. Received ${inspect(value)}`);
  }
  return number;
}

function Process() {
  EventEmitter.call(this);
}
Process.prototype = Object.create(EventEmitter.prototype);
define_hidden(Process.prototype, 'constructor', Process);
ReflectDefineProperty(Process, 'name', { __proto__: null, value: 'process', configurable: true });

const process = new Process();

// EventEmitter's own fields are Node's, not enumerable there.
for (const name of Object.keys(process)) define_hidden(process, name, process[name]);

function watch(method) {
  const original = EventEmitter.prototype[method];
  define_hidden(process, method, {
    [method](event, listener) {
      if (EXIT_EVENTS.has(event)) {
        exit_listened = true;
        want_exit();
      }
      if (ERROR_EVENTS.has(event)) errors_listened = true;
      return original.call(this, event, listener);
    },
  }[method]);
}
for (const method of ['on', 'addListener', 'once', 'prependListener', 'prependOnceListener']) {
  watch(method);
}

const hrtime = Object.assign(function hrtime(since) {
  const ns = process.hrtime.bigint();
  let seconds = Number(ns / 1000000000n);
  let rest = Number(ns % 1000000000n);
  if (since !== undefined) {
    if (!Array.isArray(since)) throw invalid_argument_type('time', 'an instance of Array', since);
    seconds -= since[0];
    rest -= since[1];
    if (rest < 0) {
      seconds -= 1;
      rest += 1e9;
    }
  }
  return [seconds, rest];
}, {
  bigint() { return BigInt(Math.round(native.now() * 1000)) * 1000n; },
});

Object.assign(process, {
  title: 'plimsoll',
  version: 'v0.0.0',
  versions: { plimsoll: '0', quickjs: '0.18.0' },
  arch: 'wasm32',
  platform: 'plimsoll',
  release: { name: 'plimsoll' },
  argv: ['node', '[snippet]'],
  execArgv: [],
  execPath: 'node',
  env: {},
  pid: 1,
  ppid: 0,
  exitCode: undefined,
  stdout,
  stderr,
  hrtime,
  nextTick(callback, ...args) {
    require_function(callback);
    if (!exiting) schedule_tick(callback, args);
  },
  exit(code) {
    if (arguments.length > 0 && code !== undefined) process.exitCode = code;
    if (!exiting) {
      exiting = true;
      if (exit_listened) process.emit('exit', exit_code ?? 0);
    }
    native.exit(exit_code ?? 0);
  },
  reallyExit(code) { native.exit(validate_code(code) ?? 0); },
  abort() { native.exit(134); },
  cwd() { return '/'; },
  uptime() { return native.now() / 1000; },
  umask() { return 18; },
  emitWarning(warning, type, code) {
    if (type !== null && typeof type === 'object') ({ type, code } = type);
    const error = typeof warning === 'string'
      ? Object.assign(new Error(warning), { name: type ?? 'Warning' }) : warning;
    if (code !== undefined) error.code = code;
    schedule_tick(print_warning, [error]);
  },
});

function print_warning(warning) {
  process.emit('warning', warning);
  const code = warning.code === undefined ? '' : `[${warning.code}] `;
  native.write(2, `(node:${process.pid}) ${code}${warning.name}: ${warning.message}\n`);
}

ReflectDefineProperty(process, 'exitCode', {
  __proto__: null,
  enumerable: true,
  configurable: true,
  get() { return exit_code; },
  set(value) {
    exit_code = validate_code(value);
    want_exit();
  },
});
ReflectDefineProperty(process, Symbol.toStringTag, {
  __proto__: null, value: 'process', writable: false, enumerable: false, configurable: true,
});
define_global('process', process);

// A listener that throws is the guest's next uncaught error: the engine sees it as this call's.
export function uncaught(error) {
  if (!errors_listened || process.listenerCount('uncaughtException') === 0) return false;
  process.emit('uncaughtException', error, 'uncaughtException');
  return true;
}

export function unhandled(reason, promise) {
  if (!errors_listened) return false;
  if (process.listenerCount('unhandledRejection') > 0) {
    process.emit('unhandledRejection', reason, promise);
    return true;
  }
  if (process.listenerCount('uncaughtException') === 0) return false;
  process.emit('uncaughtException', reason, 'unhandledRejection');
  return true;
}

// At the natural end, without an argument: 'beforeExit', then 'exit'; -1 says that beforeExit made
// new work and that the engine is to loop and ask again. After a fatal error, with its code: 'exit'
// only. Returns the integer that the run ends with.
export function exit_code_of(fatal_code) {
  if (exiting) return exit_code ?? fatal_code ?? 0;
  if (fatal_code === undefined) {
    if (exit_listened && process.emit('beforeExit', exit_code ?? 0) &&
        (timers_pending() || ticks_pending())) {
      return -1;
    }
  } else {
    exit_code = fatal_code;
  }
  exiting = true;
  if (exit_listened) process.emit('exit', exit_code ?? 0);
  return exit_code ?? 0;
}
