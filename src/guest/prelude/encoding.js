// TextEncoder and TextDecoder (WHATWG Encoding), for UTF-8, UTF-16 and windows-1252 (which is what
// the standard means by latin1 and ascii).
import { coded_error, invalid_argument_type } from './errors.js';
import { inspect_as } from './inspect.js';
import { types } from './inspect_bindings.js';
import { decode_utf16, decode_utf8, decode_windows1252, encode_utf8, utf8_bytes }
  from './text_codecs.js';
import { define_classes } from './primordials.js';

const LABELS = new Map();
function label(encoding, names) {
  for (const name of names.split(' ')) LABELS.set(name, encoding);
}
label('utf-8', 'utf-8 utf8 unicode-1-1-utf-8 unicode11utf8 unicode20utf8 x-unicode20utf8');
label('utf-16le', 'utf-16le utf-16 ucs-2 csunicode iso-10646-ucs-2 unicode unicodefeff');
label('utf-16be', 'utf-16be unicodefffe');
label('windows-1252', 'windows-1252 latin1 ascii us-ascii iso-8859-1 iso8859-1 iso88591 ' +
  'iso_8859-1 iso_8859-1:1987 iso-ir-100 l1 cp1252 cp819 ibm819 csisolatin1 ansi_x3.4-1968 x-cp1252');

export function bytes_of(data, name = 'input') {
  if (types.isAnyArrayBuffer(data)) return new Uint8Array(data);
  if (types.isTypedArray(data) || types.isDataView(data)) {
    return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  }
  throw invalid_argument_type(name, 'an instance of ArrayBuffer or ArrayBufferView', data);
}

export class TextEncoder {
  get encoding() { return 'utf-8'; }

  encode(input = '') {
    return utf8_bytes(`${input}`);
  }

  encodeInto(source, destination) {
    if (typeof source !== 'string') throw invalid_argument_type('src', 'of type string', source);
    if (!types.isTypedArray(destination)) {
      throw invalid_argument_type('dest', 'an instance of Uint8Array', destination);
    }
    return encode_utf8(source, destination);
  }
}

export class TextDecoder {
  #encoding;
  #fatal;
  #ignore_bom;
  #pending = []; // bytes of a character that a streamed chunk cut
  #at_start = true;

  constructor(name = 'utf-8', options = undefined) {
    const encoding = LABELS.get(`${name}`.trim().toLowerCase());
    if (encoding === undefined) {
      throw coded_error(RangeError, 'ERR_ENCODING_NOT_SUPPORTED',
        `The "${name}" encoding is not supported`);
    }
    this.#encoding = encoding;
    this.#fatal = Boolean(options?.fatal);
    this.#ignore_bom = Boolean(options?.ignoreBOM);
  }

  get encoding() { return this.#encoding; }
  get fatal() { return this.#fatal; }
  get ignoreBOM() { return this.#ignore_bom; }

  decode(input = new Uint8Array(0), options = undefined) {
    const stream = Boolean(options?.stream);
    let bytes = bytes_of(input, 'list');
    if (this.#pending.length > 0) {
      const joined = new Uint8Array(this.#pending.length + bytes.length);
      joined.set(this.#pending);
      joined.set(bytes, this.#pending.length);
      bytes = joined;
    }
    let text;
    try {
      let used;
      ({ text, used } = this.#decode(bytes, stream));
      this.#pending = Array.from(bytes.subarray(used));
    } catch (error) {
      this.#pending = [];
      this.#at_start = true;
      throw error;
    }
    if (this.#at_start && text !== '') {
      if (!this.#ignore_bom && this.#encoding !== 'windows-1252' && text[0] === '\ufeff') {
        text = text.slice(1);
      }
      this.#at_start = false;
    }
    if (!stream) this.#at_start = true;
    return text;
  }

  #decode(bytes, stream) {
    const result = this.#encoding === 'utf-8' ? decode_utf8(bytes, stream)
      : this.#encoding === 'windows-1252' ? decode_windows1252(bytes)
      : decode_utf16(bytes, stream, this.#encoding === 'utf-16le');
    if (this.#fatal && result.invalid) {
      throw coded_error(TypeError, 'ERR_ENCODING_INVALID_ENCODED_DATA',
        `The encoded data was not valid for encoding ${this.#encoding}`);
    }
    return result;
  }
}

define_classes({ TextEncoder, TextDecoder });

inspect_as(TextEncoder.prototype, function render(depth, options, inspect) {
  return inspect(Object.assign(Object.create({ constructor: TextEncoder }),
    { encoding: this.encoding }), options);
});
