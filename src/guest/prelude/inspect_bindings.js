// What node-inspect-extracted expects of V8's internal bindings, answered by this engine. The
// package guesses from prototypes, which a guest can forge; the engine knows each object's class.
import * as native from './native.js';
import {
  ArrayPush, ErrorIsError, ObjectPrototypeToString, ReflectGetOwnPropertyDescriptor,
  ReflectOwnKeys, RegExpExec, StringSlice, uncurry,
} from './primordials.js';

const kPending = 0;
const kRejected = 2;
const ONLY_ENUMERABLE = 2;
const index_pattern = /^(0|[1-9][0-9]{0,9})$/;
const MAX_INDEX = 2 ** 32 - 2;

// inspect asks a dozen questions about one value in a row; the engine is asked once.
let last_value;
let last_kind;
function kind(value) {
  if (typeof value !== 'object' && typeof value !== 'function') return '';
  if (value === null) return '';
  if (value !== last_value) {
    last_kind = native.kind(value);
    last_value = value;
  }
  return last_kind;
}

// The last value must not outlive the print: a WeakRef to it would never clear.
export function forget_last_value() {
  last_value = undefined;
}

const is = (name) => (value) => kind(value) === name;

const TYPED_ARRAYS = new Set(['Int8Array', 'Uint8Array', 'Uint8ClampedArray', 'Int16Array',
  'Uint16Array', 'Int32Array', 'Uint32Array', 'Float16Array', 'Float32Array', 'Float64Array',
  'BigInt64Array', 'BigUint64Array']);
const BOXED = new Set(['Number', 'String', 'Boolean', 'BigInt', 'Symbol']);
const has = uncurry(Set.prototype.has);

export const types = {
  isAsyncFunction: (v) => kind(v) === 'AsyncFunction' || kind(v) === 'AsyncGeneratorFunction',
  isGeneratorFunction: (v) =>
    kind(v) === 'GeneratorFunction' || kind(v) === 'AsyncGeneratorFunction',
  isAnyArrayBuffer: (v) => kind(v) === 'ArrayBuffer' || kind(v) === 'SharedArrayBuffer',
  isArrayBuffer: is('ArrayBuffer'),
  isArgumentsObject: is('Arguments'),
  isBoxedPrimitive: (v) => has(BOXED, kind(v)),
  isDataView: is('DataView'),
  isExternal: () => false,
  isMap: is('Map'),
  isMapIterator: is('Map Iterator'),
  isModuleNamespaceObject: is('Module'),
  isNativeError: (v) => ErrorIsError(v),
  isPromise: is('Promise'),
  isSet: is('Set'),
  isSetIterator: is('Set Iterator'),
  isWeakMap: is('WeakMap'),
  isWeakSet: is('WeakSet'),
  isRegExp: is('RegExp'),
  isDate: is('Date'),
  isTypedArray: (v) => has(TYPED_ARRAYS, kind(v)),
  isStringObject: is('String'),
  isNumberObject: is('Number'),
  isBooleanObject: is('Boolean'),
  isBigIntObject: is('BigInt'),
  isSymbolObject: is('Symbol'),
};

export const util_binding = {
  constants: { kPending, kRejected, ALL_PROPERTIES: 0, ONLY_ENUMERABLE },
  Proxy,
  getOwnNonIndexProperties(value, filter = ONLY_ENUMERABLE) {
    const found = [];
    const keys = ReflectOwnKeys(value);
    for (let i = 0; i < keys.length; i++) {
      const key = keys[i];
      if (typeof key === 'string' && RegExpExec(index_pattern, key) !== null &&
          +key <= MAX_INDEX) continue;
      if (filter === ONLY_ENUMERABLE &&
          !ReflectGetOwnPropertyDescriptor(value, key)?.enumerable) continue;
      ArrayPush(found, key);
    }
    return found;
  },
  getPromiseDetails(value) {
    return native.promise(value);
  },
  // undefined: not a proxy. Else [target, handler], or only the target.
  getProxyDetails(value, both = true) {
    if (kind(value) !== 'Proxy') return undefined;
    const details = native.proxy(value); // [null, null] when it was revoked
    return both ? details : details[0];
  },
  // The engine offers no look into an iterator or a weak collection without consuming it.
  previewEntries: undefined,
  getConstructorName(value) {
    // V8's answer for an object whose prototype chain names no constructor: its class.
    const name = kind(value);
    if (name !== '' && name !== 'Proxy') return name;
    return StringSlice(ObjectPrototypeToString(value), 8, -1);
  },
  getExternalValue: () => 0n,
};

// inspect asks for the URL class only when it meets one; url.js provides it later in the bundle.
let the_url_class;
export function use_url_class(value) { the_url_class = value; }
export function url_class() { return the_url_class; }

export const array_includes = uncurry(Array.prototype.includes);
export const array_push = uncurry(Array.prototype.push);
export const array_pop = uncurry(Array.prototype.pop);

export { function_source } from './primordials.js';
