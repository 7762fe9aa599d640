// Buffer: npm's buffer, with the base64url encoding that it lacks.
import { Buffer } from 'buffer';
import { inspect_as } from './inspect.js';
import { decode_utf8 } from './text_codecs.js';
import { use_text_encoder } from './stdio.js';
import { define_global, define_hidden } from './primordials.js';

const is_base64url = (encoding) =>
  typeof encoding === 'string' && encoding.toLowerCase() === 'base64url';

const is_utf8 = (encoding) => typeof encoding === 'string' && /^utf-?8$/i.test(encoding);

const from = Buffer.from;
define_hidden(Buffer, 'from', function from_(value, encoding, length) {
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
    if (!is_base64url(encoding)) return toString.call(this, encoding, start, end);
    return toString.call(this, 'base64', start, end)
      .replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
  },
}.toString);
define_hidden(Buffer.prototype, 'write', {
  write(text, offset, length, encoding) {
    const args = [...arguments].map((arg) => is_base64url(arg) ? 'base64' : arg);
    args[0] = text;
    return write.apply(this, args);
  },
}.write);

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
