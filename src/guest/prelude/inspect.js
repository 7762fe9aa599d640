// util.inspect and util.format, as node-inspect-extracted has them from Node's own source;
// build.mjs swaps its guesses about V8's internals for inspect_bindings.js.
import util from 'node-inspect-extracted';
import { forget_last_value } from './inspect_bindings.js';

export const { inspect, formatWithOptions, getStringWidth } = util;
inspect.styles.regexp = 'red'; // Node 22 has one colour for them

export const custom = inspect.custom;

export function format_list(args, options) {
  try {
    return util.format_list(options, args);
  } finally {
    forget_last_value();
  }
}

// Gives a class what Node's own classes print: `Name { ...fields }`, from a getter of the fields.
export function inspect_as(prototype, render) {
  Reflect.defineProperty(prototype, custom, {
    __proto__: null, value: render, writable: true, enumerable: false, configurable: true,
  });
}

// The same for a class that Node prints as `Name { ...fields }`.
export function inspect_fields(prototype, name, fields) {
  inspect_as(prototype, function render(depth, options, inspect) {
    if (depth < 0) return this;
    const inner = { ...options, depth: options.depth === null ? null : options.depth - 1 };
    return `${name} ${inspect(fields(this), inner)}`;
  });
}
