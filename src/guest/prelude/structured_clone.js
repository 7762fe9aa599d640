// structuredClone (HTML standard, StructuredSerializeInternal), with transfer of array buffers.
import { util_binding, types } from './inspect_bindings.js';
import * as native from './native.js';
import { missing_arguments } from './errors.js';
import { DOMException } from './dom_exception.js';
import { define_global, define_hidden, StringOf } from './primordials.js';

const ERRORS = { EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError };
const VIEWS = Object.fromEntries([DataView, Int8Array, Uint8Array, Uint8ClampedArray, Int16Array,
  Uint16Array, Int32Array, Uint32Array, Float16Array, Float32Array, Float64Array, BigInt64Array,
  BigUint64Array].map((kind) => [kind.name, kind]));

function described(value) {
  if (typeof value === 'function' || typeof value === 'symbol') return StringOf(value);
  const name = value?.constructor?.name;
  const known = typeof name === 'string' && name !== '';
  return `#<${known ? name : util_binding.getConstructorName(value)}>`;
}

function refuse(value) {
  return new DOMException(`${described(value)} could not be cloned.`, 'DataCloneError');
}

function detached() {
  return new DOMException('An ArrayBuffer is detached and could not be cloned.', 'DataCloneError');
}

class Cloner {
  #seen = new Map(); // original → clone, so that cycles and shared parts stay so
  #views;

  // views: what the views of buffers that are transferred looked like before.
  constructor(views) {
    this.#views = views;
  }

  clone(value) {
    if (typeof value === 'function' || typeof value === 'symbol') throw refuse(value);
    if (typeof value !== 'object' || value === null) return value;
    const known = this.#seen.get(value);
    if (known !== undefined) return known;
    const kind = native.kind(value);
    const make = MAKERS[kind];
    if (make !== undefined) return make(value, this);
    if (types.isTypedArray(value) || kind === 'DataView') return this.#view(value, kind);
    throw refuse(value);
  }

  remember(original, clone) {
    this.#seen.set(original, clone);
    return clone;
  }

  #view(view, kind) {
    let shape = this.#views.get(view);
    if (shape === undefined) {
      const length = kind === 'DataView' ? view.byteLength : view.length;
      shape = { offset: view.byteOffset, length };
      this.#views.set(view, shape);
    }
    const buffer = this.clone(view.buffer);
    return this.remember(view, new VIEWS[kind](buffer, shape.offset, shape.length));
  }

  fields(from, to) {
    for (const key of Object.keys(from)) {
      Reflect.defineProperty(to, key, {
        __proto__: null, value: this.clone(from[key]),
        writable: true, enumerable: true, configurable: true,
      });
    }
    return to;
  }

  error(error) {
    const name = `${error.name}`;
    const Kind = Object.hasOwn(ERRORS, name) ? ERRORS[name] : Error;
    const copy = this.remember(error, new Kind());
    define_hidden(copy, 'stack', `${error.stack}`);
    const message = Object.getOwnPropertyDescriptor(error, 'message');
    if (message !== undefined && 'value' in message) {
      define_hidden(copy, 'message', `${message.value}`);
    }
    if (Object.hasOwn(error, 'cause')) define_hidden(copy, 'cause', this.clone(error.cause));
    return copy;
  }
}

const boxed = (value, cloner) => cloner.remember(value, Object(value.valueOf()));

const MAKERS = {
  __proto__: null,
  Object(value, cloner) { return cloner.fields(value, cloner.remember(value, {})); },
  Arguments(value, cloner) { return cloner.fields(value, cloner.remember(value, {})); },
  Array(value, cloner) {
    return cloner.fields(value, cloner.remember(value, new Array(value.length)));
  },
  Date(value, cloner) { return cloner.remember(value, new Date(value.getTime())); },
  RegExp(value, cloner) { return cloner.remember(value, new RegExp(value.source, value.flags)); },
  Boolean: boxed,
  Number: boxed,
  String: boxed,
  BigInt: boxed,
  ArrayBuffer(value, cloner) {
    if (value.detached) throw detached();
    return cloner.remember(value, value.slice(0));
  },
  Map(value, cloner) {
    const copy = cloner.remember(value, new Map());
    for (const [key, item] of [...value]) copy.set(cloner.clone(key), cloner.clone(item));
    return copy;
  },
  Set(value, cloner) {
    const copy = cloner.remember(value, new Set());
    for (const item of [...value]) copy.add(cloner.clone(item));
    return copy;
  },
  Error(value, cloner) { return cloner.error(value); },
};

// Only when all of the value can be cloned may the originals lose their bytes, so a value with
// transfers is cloned twice: once to see that it can be.
function clone_with_transfer(value, transfer) {
  const views = new Map();
  const buffers = new Set();
  for (const buffer of transfer) {
    if (!types.isArrayBuffer(buffer)) {
      throw new DOMException('Value not transferable', 'DataCloneError');
    }
    if (buffer.detached) throw detached();
    if (buffers.has(buffer)) {
      throw new DOMException('ArrayBuffer occurs in the transfer list more than once',
        'DataCloneError');
    }
    buffers.add(buffer);
  }
  new Cloner(views).clone(value);
  const cloner = new Cloner(views);
  for (const buffer of buffers) cloner.remember(buffer, buffer.transfer());
  return cloner.clone(value);
}

define_global('structuredClone', function structuredClone(value, options = undefined) {
  if (arguments.length === 0) throw missing_arguments('value');
  const transfer = options?.transfer;
  if (transfer === undefined) return new Cloner(new Map()).clone(value);
  return clone_with_transfer(value, transfer);
});
