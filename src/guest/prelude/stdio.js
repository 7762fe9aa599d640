// process.stdout and process.stderr: synchronous writers, no terminal.
import EventEmitter from 'events';
import * as native from './native.js';
import { invalid_argument_type } from './errors.js';
import { ReflectApply, define_hidden } from './primordials.js';
import { types } from './inspect_bindings.js';
import { schedule_tick } from './ticks.js';

let encode_text; // Buffer.from, once buffer.js has run: for encodings that are not UTF-8
export function use_text_encoder(encoder) { encode_text = encoder; }

function Writable(fd) {
  ReflectApply(EventEmitter, this, []);
  this.fd = fd;
  this.writable = true;
}
Writable.prototype = Object.create(EventEmitter.prototype);
define_hidden(Writable.prototype, 'constructor', Writable);

export const default_write = function write(chunk, encoding, callback) {
  if (typeof encoding === 'function') {
    callback = encoding;
    encoding = undefined;
  }
  if (typeof chunk === 'string') {
    if (encoding === undefined || encoding === 'utf8' || encoding === 'utf-8') {
      native.write(this.fd, chunk);
    } else {
      native.write(this.fd, encode_text(chunk, encoding));
    }
  } else if (types.isTypedArray(chunk) || types.isDataView(chunk)) {
    native.write(this.fd, new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength));
  } else {
    throw invalid_argument_type('chunk',
      'of type string or an instance of Buffer, TypedArray, or DataView', chunk);
  }
  if (typeof callback === 'function') schedule_tick(callback, []);
  return true;
};

const shape = {
  write: default_write,
  end(chunk, encoding, callback) {
    if (chunk !== undefined && typeof chunk !== 'function') this.write(chunk, encoding);
    const last = [callback, encoding, chunk].find((arg) => typeof arg === 'function');
    if (last !== undefined) schedule_tick(last, []);
    return this;
  },
  cork() {},
  uncork() {},
  getColorDepth() { return 1; },
  hasColors() { return false; },
};
for (const name of Object.keys(shape)) define_hidden(Writable.prototype, name, shape[name]);

export const stdout = new Writable(1);
export const stderr = new Writable(2);
