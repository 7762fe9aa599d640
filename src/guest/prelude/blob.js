// Blob and File (File API). The bytes are in memory; there is no stream().
import { bytes_of, TextDecoder, TextEncoder } from './encoding.js';
import { invalid_argument_type } from './errors.js';
import { inspect_fields } from './inspect.js';
import { types } from './inspect_bindings.js';
import * as native from './native.js';
import { define_classes } from './primordials.js';

const encoder = new TextEncoder();
const printable = /^[\x20-\x7e]*$/;
let bytes_in;

function joined(parts, endings) {
  const chunks = [];
  let size = 0;
  for (const part of parts) {
    let bytes;
    if (part instanceof Blob) {
      bytes = bytes_in(part);
    } else if (types.isAnyArrayBuffer(part) || types.isTypedArray(part) || types.isDataView(part)) {
      bytes = bytes_of(part).slice();
    } else {
      const text = `${part}`;
      bytes = encoder.encode(endings === 'native' ? text.replace(/\r\n?/g, '\n') : text);
    }
    chunks.push(bytes);
    size += bytes.length;
  }
  const all = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
}

export class Blob {
  #bytes;
  #type;

  static { bytes_in = (blob) => blob.#bytes; }

  constructor(parts = [], options = undefined) {
    if (typeof parts !== 'object' || typeof parts?.[Symbol.iterator] !== 'function') {
      throw invalid_argument_type('sources', 'a sequence', parts);
    }
    this.#bytes = joined(parts, options?.endings);
    const type = `${options?.type ?? ''}`;
    this.#type = printable.test(type) ? type.toLowerCase() : '';
  }

  get size() { return this.#bytes.length; }
  get type() { return this.#type; }

  slice(start = 0, end = this.size, type = '') {
    const part = new Blob([], { type });
    part.#bytes = this.#bytes.slice(start, end);
    return part;
  }

  async text() { return new TextDecoder().decode(this.#bytes); }
  async bytes() { return this.#bytes.slice(); }
  async arrayBuffer() { return this.#bytes.slice().buffer; }
}

export class File extends Blob {
  #name;
  #modified;

  constructor(parts, name, options = undefined) {
    if (arguments.length < 2) {
      throw new TypeError(`The "fileBits" and "fileName" arguments must be specified`);
    }
    super(parts, options);
    this.#name = `${name}`;
    this.#modified = Math.trunc(Number(options?.lastModified ?? native.wall())) || 0;
  }

  get name() { return this.#name; }
  get lastModified() { return this.#modified; }
}

inspect_fields(Blob.prototype, 'Blob', ({ size, type }) => ({ size, type }));
inspect_fields(File.prototype, 'File', ({ size, type, name, lastModified }) =>
  ({ size, type, name, lastModified }));

define_classes({ Blob, File });
