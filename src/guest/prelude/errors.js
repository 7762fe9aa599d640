// V8-shaped stacks, and Node's coded errors.
//
// The engine keeps the backtrace of an error in a slot behind Error.prototype.stack, as text
// without the "Name: message" line. The accessor is replaced by one that adds that line when
// somebody reads it, so that making an error costs nothing extra. What differs from V8: the line
// shows the name and message of the moment of reading, and `stack` is not an own property.
import * as native from './native.js';
import {
  ReflectApply, ReflectDefineProperty, ReflectGetOwnPropertyDescriptor, ReflectGetPrototypeOf,
  StringEndsWith, StringIncludes, StringIndexOf, StringOf, StringSlice, StringStartsWith,
  ErrorIsError, define_hidden, split_on, uncurry,
} from './primordials.js';

// The engine evaluates this bundle under that name; frames in it are not the guest's business.
const PRELUDE = 'plimsoll:prelude';

const native_stack = ReflectGetOwnPropertyDescriptor(Error.prototype, 'stack');
const get_native_stack = uncurry(native_stack.get);
const native_capture = Error.captureStackTrace;
const error_to_string = uncurry(Error.prototype.toString);
const object_to_string = uncurry(Object.prototype.toString);

// "    at <eval> ([snippet]:1:5)" as V8 has it: "    at [snippet]:1:5".
function v8_frame(line) {
  if (StringEndsWith(line, ' (native)')) return `${StringSlice(line, 0, -9)} (<anonymous>)`;
  const anonymous = StringStartsWith(line, '    at <anonymous> (') ? 20
    : StringStartsWith(line, '    at <eval> (') ? 15 : 0;
  if (anonymous === 0) return line;
  return `    at ${StringSlice(line, anonymous, -1)}`;
}

export function v8_frames(raw) {
  const lines = split_on(raw, '\n');
  let text = '';
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i];
    if (line === '' || StringIncludes(line, PRELUDE)) continue;
    text += `\n${v8_frame(line)}`;
  }
  return text;
}

export function is_error(value) {
  return ErrorIsError(value) || (typeof value === 'object' && value !== null &&
    native.kind(value) === 'DOMException');
}

export function header_of(error) {
  try {
    return is_error(error) ? error_to_string(error) : object_to_string(error);
  } catch {
    return 'Error';
  }
}

const BUILTIN = new Set([Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError,
  URIError, AggregateError, SuppressedError, InternalError].map((kind) => kind.prototype));
const is_builtin = uncurry(Set.prototype.has);

// V8 leaves out the frames of an error's own constructors, so that the first is where it was made.
function without_constructors(error, raw) {
  const names = { __proto__: null };
  let known = false;
  for (let level = ReflectGetPrototypeOf(error); level !== null && !is_builtin(BUILTIN, level);
    level = ReflectGetPrototypeOf(level)) {
    const made_by = ReflectGetOwnPropertyDescriptor(level, 'constructor')?.value;
    const name = typeof made_by === 'function'
      ? ReflectGetOwnPropertyDescriptor(made_by, 'name')?.value : undefined;
    if (typeof name !== 'string' || name === '') continue;
    names[name] = true;
    known = true;
  }
  while (known && StringStartsWith(raw, '    at ')) {
    const end = StringIndexOf(raw, ' (');
    if (end === -1 || names[StringSlice(raw, 7, end)] !== true) break;
    raw = StringSlice(raw, StringIndexOf(raw, '\n') + 1);
  }
  return raw;
}

function get_stack() {
  const raw = get_native_stack(this);
  // Error.prepareStackTrace of the guest may have put anything there.
  if (typeof raw !== 'string' || (raw !== '' && !StringStartsWith(raw, '    at '))) return raw;
  return header_of(this) + v8_frames(without_constructors(this, raw));
}

const { get, set } = ReflectGetOwnPropertyDescriptor({
  get stack() { return ReflectApply(get_stack, this, []); },
  set stack(value) {
    if (typeof value === 'string') ReflectApply(native_stack.set, this, [value]);
    else define_hidden(this, 'stack', value); // the engine's setter refuses what V8 takes
  },
}, 'stack');
ReflectDefineProperty(Error.prototype, 'stack', {
  __proto__: null,
  get,
  set,
  enumerable: false,
  configurable: true,
});

define_hidden(Error, 'captureStackTrace', function captureStackTrace(target, hide) {
  ReflectApply(native_capture, Error, hide === undefined ? [target] : [target, hide]);
  const raw = ReflectGetOwnPropertyDescriptor(target, 'stack')?.value;
  if (typeof raw !== 'string' || (raw !== '' && !StringStartsWith(raw, '    at '))) return;
  define_hidden(target, 'stack', header_of(target) + v8_frames(raw));
});

// An error with Node's `code`: its stack starts with "TypeError [CODE]: ..." as Node's does.
export function coded_error(Base, code, message) {
  const error = new Base(message);
  const stack = error.stack;
  define_hidden(error, 'stack',
    `${error.name} [${code}]${StringSlice(stack, StringOf(error.name).length)}`);
  error.code = code;
  return error;
}

function received(value) {
  if (value === null || value === undefined) return `${value}`;
  if (typeof value === 'function') return `function ${value.name}`;
  if (typeof value === 'object') {
    const name = value.constructor?.name;
    return name ? `an instance of ${name}` : 'an object';
  }
  if (typeof value === 'bigint') return `type bigint (${value}n)`;
  if (typeof value === 'symbol') return `type symbol (${StringOf(value)})`;
  if (typeof value !== 'string') return `type ${typeof value} (${value})`;
  const text = value.length > 28 ? `${StringSlice(value, 0, 25)}...` : value;
  return `type string (${StringIncludes(text, "'") ? JSON.stringify(text) : `'${text}'`})`;
}

export function invalid_argument_type(name, expected, value) {
  return coded_error(TypeError, 'ERR_INVALID_ARG_TYPE',
    `The "${name}" argument must be ${expected}. Received ${received(value)}`);
}

export function missing_arguments(...names) {
  const quoted = names.map((name) => `"${name}"`);
  const list = quoted.length > 1
    ? `${quoted.slice(0, -1).join(', ')} and ${quoted.at(-1)} arguments`
    : `${quoted[0]} argument`;
  return coded_error(TypeError, 'ERR_MISSING_ARGS', `The ${list} must be specified`);
}

export function require_function(value, name = 'callback') {
  if (typeof value !== 'function') throw invalid_argument_type(name, 'of type function', value);
}

export function invalid_url(input, base) {
  const error = coded_error(TypeError, 'ERR_INVALID_URL', 'Invalid URL');
  error.input = input;
  if (base !== undefined) error.base = base;
  return error;
}
