// console.*, as Node 22 prints it on a pipe (no colours).
import * as native from './native.js';
import { format_list, inspect } from './inspect.js';
import { stdout, stderr, default_write } from './stdio.js';
import { make_table } from './console_table.js';
import {
  ObjectIs, ReflectApply, StringIncludes, StringSlice, SymbolToString, define_global, split_on,
} from './primordials.js';

let indent = '';
const counts = new Map();
const timers = new Map();
const map_get = Function.prototype.call.bind(Map.prototype.get);
const map_set = Function.prototype.call.bind(Map.prototype.set);
const map_delete = Function.prototype.call.bind(Map.prototype.delete);

// The text of a primitive as inspect prints it at top level, or undefined for what needs inspect.
function plain(value) {
  switch (typeof value) {
    case 'string': return value;
    case 'number': return value === 0 && ObjectIs(value, -0) ? '-0' : `${value}`;
    case 'boolean': return value ? 'true' : 'false';
    case 'undefined': return 'undefined';
    case 'bigint': return `${value}n`;
    case 'symbol': return SymbolToString(value);
    default: return value === null ? 'null' : undefined;
  }
}

// The common case costs no array, no regular expression and no inspect.
function format(args) {
  const count = args.length;
  if (count === 0) return '';
  const first = args[0];
  let text = plain(first);
  if (text === undefined) return format_list(args);
  if (count === 1) return text;
  if (typeof first === 'string' && StringIncludes(first, '%')) return format_list(args);
  for (let i = 1; i < count; i++) {
    const part = plain(args[i]);
    if (part === undefined) return format_list(args);
    text += ` ${part}`;
  }
  return text;
}

function emit(fd, stream, text) {
  if (indent !== '') {
    if (StringIncludes(text, '\n')) {
      const lines = split_on(text, '\n');
      text = lines[0];
      for (let i = 1; i < lines.length; i++) text += `\n${indent}${lines[i]}`;
    }
    text = indent + text;
  }
  text += '\n';
  // A guest that replaced process.stdout.write wants to see what console prints.
  if (stream.write === default_write) native.write(fd, text);
  else stream.write(text);
}

function out(args) { emit(1, stdout, format(args)); }
function err(args) { emit(2, stderr, format(args)); }

function label_of(label) { return label === undefined ? 'default' : `${label}`; }

function elapsed(ms) {
  let unit = 'ms';
  let value = ms;
  if (ms >= 1000) {
    value = ms / 1000;
    unit = 's';
    if (value >= 60) {
      const minutes = Math.floor(value / 60);
      const rest = (value % 60).toFixed(3).padStart(6, '0');
      if (minutes < 60) return `${minutes}:${rest} (m:ss.mmm)`;
      const hours = Math.floor(minutes / 60);
      return `${hours}:${`${minutes % 60}`.padStart(2, '0')}:${rest.slice(0, 2)} (h:mm:ss)`;
    }
    return `${value.toFixed(3)}${unit}`;
  }
  return `${Number(value.toFixed(3))}${unit}`;
}

function warn_process(text) {
  native.write(2, `(node:1) Warning: ${text}\n`);
}

const methods = {
  log() { out(arguments); },
  info() { out(arguments); },
  debug() { out(arguments); },
  error() { err(arguments); },
  warn() { err(arguments); },
  dirxml() { out(arguments); },
  clear() {},
  trace() {
    const error = { name: 'Trace', message: format(arguments) };
    Error.captureStackTrace(error, methods.trace);
    const head = error.message === '' ? 'Trace' : `Trace: ${error.message}`;
    const at = error.stack.indexOf('\n    at ');
    emit(2, stderr, head + (at === -1 ? '' : StringSlice(error.stack, at)));
  },
  dir(value, options) {
    emit(1, stdout, inspect(value, { customInspect: false, ...options }));
  },
  assert(condition, ...args) {
    if (condition) return;
    if (typeof args[0] === 'string') args[0] = `Assertion failed: ${args[0]}`;
    else args.unshift('Assertion failed');
    err(args);
  },
  count(label) {
    label = label_of(label);
    const count = (map_get(counts, label) ?? 0) + 1;
    map_set(counts, label, count);
    emit(1, stdout, `${label}: ${count}`);
  },
  countReset(label) {
    label = label_of(label);
    if (!map_delete(counts, label)) warn_process(`Count for '${label}' does not exist`);
  },
  group() {
    if (arguments.length > 0) out(arguments);
    indent += '  ';
  },
  groupCollapsed() { ReflectApply(methods.group, undefined, arguments); },
  groupEnd() { indent = StringSlice(indent, 0, indent.length - 2); },
  time(label) {
    label = label_of(label);
    if (map_get(timers, label) !== undefined) {
      warn_process(`Label '${label}' already exists for console.time()`);
      return;
    }
    map_set(timers, label, native.now());
  },
  timeEnd(label) {
    label = label_of(label);
    if (log_time('timeEnd', label, [])) map_delete(timers, label);
  },
  timeLog(label, ...data) { log_time('timeLog', label_of(label), data); },
  table(data, columns) { emit(1, stdout, make_table(data, columns) ?? format([data])); },
};

function log_time(method, label, data) {
  const start = map_get(timers, label);
  if (start === undefined) {
    warn_process(`No such label '${label}' for console.${method}()`);
    return false;
  }
  out([`%s: %s`, label, elapsed(native.now() - start), ...data]);
  return true;
}

const console = {};
for (const name of ['log', 'info', 'debug', 'warn', 'error', 'dir', 'time', 'timeEnd', 'timeLog',
  'trace', 'assert', 'clear', 'count', 'countReset', 'group', 'groupEnd', 'table', 'dirxml',
  'groupCollapsed']) {
  console[name] = methods[name];
}
Reflect.defineProperty(console, Symbol.toStringTag, {
  __proto__: null, value: 'console', writable: false, enumerable: false, configurable: true,
});
define_global('console', console);
