// crypto: random values from the engine, UUIDs, and digests by @noble/hashes, which is compiled on
// first use.
import * as native from './native.js';
import { bytes_of } from './encoding.js';
import { coded_error } from './errors.js';
import { types } from './inspect_bindings.js';
import { DOMException } from './dom_exception.js';
import { define_classes, define_global } from './primordials.js';
import source from 'lazy:./parts/hashes.js';

const QUOTA_BYTES = 65536;
const evaluate = globalThis.eval;
const HEX = Array.from({ length: 256 }, (_, i) => i.toString(16).padStart(2, '0'));
const KEY = Symbol('crypto');
let hashes;

class SubtleCrypto {
  constructor(key) {
    if (key !== KEY) throw coded_error(TypeError, 'ERR_ILLEGAL_CONSTRUCTOR', 'Illegal constructor');
  }

  async digest(algorithm, data) {
    const given = typeof algorithm === 'object' && algorithm !== null ? algorithm.name : algorithm;
    const name = `${given}`.toUpperCase();
    const bytes = bytes_of(data, 'data').slice();
    hashes ??= evaluate(source);
    if (!Object.hasOwn(hashes, name)) {
      throw new DOMException('Unrecognized algorithm name', 'NotSupportedError');
    }
    return hashes[name](bytes).slice().buffer;
  }
}

class Crypto {
  #subtle;

  constructor(key) {
    if (key !== KEY) throw coded_error(TypeError, 'ERR_ILLEGAL_CONSTRUCTOR', 'Illegal constructor');
    this.#subtle = new SubtleCrypto(KEY);
  }

  get subtle() { return this.#subtle; }

  getRandomValues(array) {
    if (!types.isTypedArray(array) || /^Float/.test(native.kind(array))) {
      throw new DOMException('The data argument must be an integer-type TypedArray',
        'TypeMismatchError');
    }
    if (array.byteLength > QUOTA_BYTES) {
      throw new DOMException(`The requested length exceeds ${QUOTA_BYTES} bytes`,
        'QuotaExceededError');
    }
    new Uint8Array(array.buffer, array.byteOffset, array.byteLength)
      .set(native.random(array.byteLength));
    return array;
  }

  randomUUID() {
    const bytes = native.random(16);
    bytes[6] = (bytes[6] & 0x0f) | 0x40;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    let text = '';
    for (let i = 0; i < 16; i++) {
      text += HEX[bytes[i]];
      if (i === 3 || i === 5 || i === 7 || i === 9) text += '-';
    }
    return text;
  }
}

define_classes({ Crypto, SubtleCrypto });
define_global('crypto', new Crypto(KEY));
