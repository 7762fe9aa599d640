// The byte formats behind TextEncoder, TextDecoder, Blob and URL. Pure functions.
const from_codes = String.fromCharCode;
const CHUNK = 4096; // arguments of one String.fromCharCode call

// The engine's own functions in C, which go through bytes about thirty times as fast as its
// interpreter: a binary string by way of base64, UTF-8 by way of percent encoding.
const { atob, btoa, escape, unescape, encodeURIComponent, decodeURIComponent } = globalThis;
const bytes_from_base64 = Uint8Array.fromBase64.bind(Uint8Array);
const base64_of = Function.prototype.call.bind(Uint8Array.prototype.toBase64);
const wide = /[^\x00-\x7f]/;
const SHORT = 12; // below this the detour does not pay

export function utf8_bytes(text) {
  if (text.length < SHORT) {
    const bytes = new Uint8Array(utf8_length(text));
    encode_utf8(text, bytes);
    return bytes;
  }
  const binary = wide.test(text) ? unescape(encodeURIComponent(text.toWellFormed())) : text;
  return bytes_from_base64(btoa(binary));
}

// undefined: not valid UTF-8.
function valid_utf8(bytes) {
  const binary = atob(base64_of(bytes));
  if (!wide.test(binary)) return binary;
  try {
    return decodeURIComponent(escape(binary));
  } catch {
    return undefined;
  }
}

export function utf8_length(text) {
  let length = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) length += 1;
    else if (unit < 0x800) length += 2;
    else if (unit >= 0xd800 && unit < 0xdc00 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00) {
      length += 4;
      i += 1;
    } else length += 3;
  }
  return length;
}

// Writes as many whole characters as fit; a lone surrogate becomes U+FFFD.
export function encode_utf8(text, out) {
  let written = 0;
  let read = 0;
  const room = out.length;
  while (read < text.length) {
    let code = text.charCodeAt(read);
    let units = 1;
    if (code < 0x80) {
      if (written >= room) break;
      out[written++] = code;
      read += 1;
      continue;
    }
    if ((code & 0xf800) === 0xd800) {
      const next = text.charCodeAt(read + 1);
      if (code < 0xdc00 && (next & 0xfc00) === 0xdc00) {
        code = 0x10000 + ((code - 0xd800) << 10) + (next - 0xdc00);
        units = 2;
      } else {
        code = 0xfffd;
      }
    }
    const size = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    if (written + size > room) break;
    if (size === 2) {
      out[written++] = 0xc0 | (code >> 6);
    } else if (size === 3) {
      out[written++] = 0xe0 | (code >> 12);
      out[written++] = 0x80 | ((code >> 6) & 63);
    } else {
      out[written++] = 0xf0 | (code >> 18);
      out[written++] = 0x80 | ((code >> 12) & 63);
      out[written++] = 0x80 | ((code >> 6) & 63);
    }
    out[written++] = 0x80 | (code & 63);
    read += units;
  }
  return { read, written };
}

class Text {
  #units = [];
  #text = '';

  put(unit) {
    this.#units.push(unit);
    if (this.#units.length >= CHUNK) this.flush();
  }

  put_point(point) {
    if (point < 0x10000) {
      this.put(point);
    } else {
      this.put(0xd800 + ((point - 0x10000) >> 10));
      this.put(0xdc00 + ((point - 0x10000) & 0x3ff));
    }
  }

  flush() {
    this.#text += Reflect.apply(from_codes, undefined, this.#units);
    this.#units = [];
    return this.#text;
  }
}

// Length and smallest second byte of a sequence, by its first byte; 0 for a byte that starts none.
function utf8_lead(byte) {
  if (byte >= 0xc2 && byte <= 0xdf) return 2;
  if (byte >= 0xe0 && byte <= 0xef) return 3;
  if (byte >= 0xf0 && byte <= 0xf4) return 4;
  return 0;
}

function second_byte_fits(lead, byte) {
  const low = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80;
  const high = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf;
  return byte >= low && byte <= high;
}

// used: how many bytes were consumed; less than all only when `stream` and a character is cut.
export function decode_utf8(bytes, stream) {
  if (bytes.length >= SHORT) {
    const whole = valid_utf8(bytes);
    if (whole !== undefined) return { text: whole, invalid: false, used: bytes.length };
  }
  const text = new Text();
  let invalid = false;
  let i = 0;
  while (i < bytes.length) {
    const lead = bytes[i];
    if (lead < 0x80) {
      text.put(lead);
      i += 1;
      continue;
    }
    const size = utf8_lead(lead);
    let good = size === 0 ? 0 : 1; // bytes that belong to the sequence
    while (good > 0 && good < size && i + good < bytes.length) {
      const byte = bytes[i + good];
      if (good === 1 ? !second_byte_fits(lead, byte) : (byte & 0xc0) !== 0x80) break;
      good += 1;
    }
    if (good === size && size > 0) {
      let point = lead & (0xff >> (size + 1));
      for (let k = 1; k < size; k++) point = (point << 6) | (bytes[i + k] & 63);
      text.put_point(point);
      i += size;
      continue;
    }
    if (stream && good > 0 && i + good === bytes.length) break;
    invalid = true;
    text.put(0xfffd);
    i += good > 0 ? good : 1;
  }
  return { text: text.flush(), invalid, used: i };
}

export function decode_utf16(bytes, stream, little) {
  const text = new Text();
  let invalid = false;
  let i = 0;
  const high = little ? 1 : 0;
  const unit_at = (at) => (bytes[at + high] << 8) | bytes[at + 1 - high];
  for (; i + 1 < bytes.length; i += 2) {
    const unit = unit_at(i);
    if ((unit & 0xf800) !== 0xd800) {
      text.put(unit);
      continue;
    }
    if (unit < 0xdc00) {
      if (i + 3 < bytes.length) {
        const next = unit_at(i + 2);
        if ((next & 0xfc00) === 0xdc00) {
          text.put(unit);
          text.put(next);
          i += 2;
          continue;
        }
      } else if (stream) {
        break;
      }
    }
    invalid = true;
    text.put(0xfffd);
  }
  if (!stream && i < bytes.length) {
    invalid = true;
    if (i + 1 === bytes.length) text.put(0xfffd);
    i = bytes.length;
  }
  return { text: text.flush(), invalid, used: i };
}

// 0x80 to 0x9f of windows-1252; the rest of it is Latin-1.
const HIGH = '\u20ac\x81\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152' +
  '\x8d\u017d\x8f\x90\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a' +
  '\u0153\x9d\u017e\u0178';

export function decode_windows1252(bytes) {
  const text = new Text();
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i];
    text.put(byte >= 0x80 && byte < 0xa0 ? HIGH.charCodeAt(byte - 0x80) : byte);
  }
  return { text: text.flush(), invalid: false, used: bytes.length };
}
