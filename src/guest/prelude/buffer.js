// Buffer: npm's buffer, with the base64url encoding that it lacks.
import { Buffer } from 'buffer';
import { inspect_as } from './inspect.js';
import { decode_utf8, utf8_bytes } from './text_codecs.js';
import { use_text_encoder } from './stdio.js';
import { define_global, define_hidden } from './primordials.js';

const is_base64url = (encoding) =>
  typeof encoding === 'string' && encoding.toLowerCase() === 'base64url';

const is_utf8 = (encoding) => typeof encoding === 'string' && /^utf-?8$/i.test(encoding);

const strict_base64 = /^[A-Za-z0-9+/]*={0,2}$/;
const hex_pairs = /^(?:[0-9a-fA-F]{2})*/; // Node stops at the first pair that is none
const bytes_from_base64 = Uint8Array.fromBase64.bind(Uint8Array);
const as_buffer = (bytes) => Reflect.setPrototypeOf(bytes, Buffer.prototype) && bytes;

const from = Buffer.from;
define_hidden(Buffer, 'from', function from_(value, encoding, length) {
  if (typeof value === 'string') {
    if (encoding === undefined || is_utf8(encoding)) return as_buffer(utf8_bytes(value));
    if (encoding === 'hex') return as_buffer(Uint8Array.fromHex(hex_pairs.exec(value)[0]));
    if (encoding === 'base64' && value.length % 4 === 0 && strict_base64.test(value)) {
      return as_buffer(bytes_from_base64(value));
    }
  }
  // base64 decoding takes both alphabets.
  return from(value, typeof value === 'string' && is_base64url(encoding) ? 'base64' : encoding,
    length);
});
Reflect.defineProperty(Buffer.from, 'name', { __proto__: null, value: 'from', configurable: true });

const { toString, write } = Buffer.prototype;
define_hidden(Buffer.prototype, 'toString', {
  toString(encoding, start, end) {
    if (encoding === undefined || is_utf8(encoding)) {
      return decode_utf8(this.subarray(start, end), false).text;
    }
    if (encoding === 'hex') return this.subarray(start, end).toHex();
    if (encoding === 'base64') return this.subarray(start, end).toBase64();
    if (!is_base64url(encoding)) return toString.call(this, encoding, start, end);
    return this.subarray(start, end).toBase64({ alphabet: 'base64url', omitPadding: true });
  },
}.toString);
define_hidden(Buffer.prototype, 'write', {
  write(text, offset, length, encoding) {
    const args = [...arguments].map((arg) => is_base64url(arg) ? 'base64' : arg);
    args[0] = text;
    return write.apply(this, args);
  },
}.write);

// Node takes any bytes where npm's buffer wants a Buffer.
const as_argument = (value) => value instanceof Uint8Array && !Buffer.isBuffer(value)
  ? Buffer.from(value.buffer, value.byteOffset, value.byteLength) : value;
for (const name of ['equals', 'compare', 'copy']) {
  const method = Buffer.prototype[name];
  define_hidden(Buffer.prototype, name, {
    [name](other, ...rest) { return method.call(this, as_argument(other), ...rest); },
  }[name]);
}

const { isEncoding } = Buffer;
define_hidden(Buffer, 'isEncoding', {
  isEncoding(encoding) { return is_base64url(encoding) || isEncoding(encoding); },
}.isEncoding);

const SHOWN_BYTES = 50;
function render(depth, options, inspect) {
  let text = [...this.subarray(0, SHOWN_BYTES)].map((byte) =>
    byte.toString(16).padStart(2, '0')).join(' ');
  const more = this.length - SHOWN_BYTES;
  if (more > 0) text += ` ... ${more} more byte${more > 1 ? 's' : ''}`;
  const extra = Object.keys(this).filter((key) => !/^\d+$/.test(key));
  if (extra.length > 0) {
    const shown = inspect(Object.fromEntries(extra.map((key) => [key, this[key]])), options);
    text += `${this.length > 0 ? ', ' : ''}${shown.slice(2, -2)}`;
  }
  return `<${this.constructor.name} ${text}>`;
}
inspect_as(Buffer.prototype, render);
define_hidden(Buffer.prototype, 'inspect', render);

use_text_encoder((text, encoding) => Buffer.from(text, encoding));
define_global('Buffer', Buffer);
