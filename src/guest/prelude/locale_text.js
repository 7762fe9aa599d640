// String comparison close to the Unicode root collation, which is what Node sorts names by: base
// letters first, then accents, then lower before upper case. The engine compares code units.
const ORDER = '\t\n\v\f\r _-,;:!?.\'"()[]{}@*/\\&#%`^+<=>|~$0123456789';
const LETTERS = 200; // weight of 'a'; other scripts follow by code point
const marks = /\p{M}/u;

const weights = new Uint16Array(128);
for (let i = 0; i < ORDER.length; i++) weights[ORDER.charCodeAt(i)] = i + 1;
for (let i = 0; i < 26; i++) weights[97 + i] = weights[65 + i] = LETTERS + i;

const weight_of = (code) => code < 128 ? weights[code] : code + LETTERS;
const sign = (number) => number < 0 ? -1 : number > 0 ? 1 : 0;

// Sorting asks about each string many times.
const CACHED = 4096;
let cache = new Map();
function cached_parts(text) {
  let parts = cache.get(text);
  if (parts === undefined) {
    if (cache.size >= CACHED) cache = new Map();
    cache.set(text, parts = parts_of(text));
  }
  return parts;
}

// Base characters, their accents and their cases, in step.
function parts_of(text) {
  const bases = [];
  const accents = [];
  const uppers = [];
  for (const character of text.normalize('NFD')) {
    if (character > '\x7f' && marks.test(character)) {
      if (bases.length > 0) accents[bases.length - 1] += character;
      continue;
    }
    const lower = character.toLowerCase();
    for (const base of lower === 'ß' ? 'ss' : lower === 'æ' ? 'ae' : lower) {
      bases.push(base);
      accents.push('');
      uppers.push(lower !== character);
    }
  }
  return { bases, accents, uppers };
}

const is_digit = (base) => base >= '0' && base <= '9';

function number_at(bases, start) {
  let end = start;
  while (end < bases.length && is_digit(bases[end])) end += 1;
  return { end, value: BigInt(bases.slice(start, end).join('')) };
}

function compare_bases(a, b, numeric) {
  let i = 0;
  let j = 0;
  while (i < a.length && j < b.length) {
    if (numeric && is_digit(a[i]) && is_digit(b[j])) {
      const left = number_at(a, i);
      const right = number_at(b, j);
      if (left.value !== right.value) return left.value < right.value ? -1 : 1;
      i = left.end;
      j = right.end;
      continue;
    }
    const difference = weight_of(a[i].codePointAt(0)) - weight_of(b[j].codePointAt(0));
    if (difference !== 0) return sign(difference);
    i += 1;
    j += 1;
  }
  return sign((a.length - i) - (b.length - j));
}

function compare_each(a, b) {
  for (let i = 0; i < a.length && i < b.length; i++) {
    if (a[i] !== b[i]) return a[i] < b[i] ? -1 : 1;
  }
  return 0;
}

// Characters whose order is that of their lower-case codes: the engine compares those in C.
const simple = /^[ \-.A-Za-z0-9]*$/;
function compare_simple(a, b) {
  const left = a.toLowerCase();
  const right = b.toLowerCase();
  if (left !== right) return left < right ? -1 : 1;
  return a > b ? -1 : 1; // 'a' is above 'A' as a code, and first here
}

// The same for ASCII, without taking the strings apart: sorting names is common. undefined: the
// strings need the long way.
function compare_ascii(a, b, numeric) {
  const shorter = a.length < b.length ? a.length : b.length;
  let cases = 0;
  for (let i = 0; i < shorter; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x > 127 || y > 127) return undefined;
    if (x === y && !numeric) continue;
    if (numeric && x >= 48 && x <= 57 && y >= 48 && y <= 57) return undefined;
    const difference = weights[x] - weights[y];
    if (difference !== 0) return difference < 0 ? -1 : 1;
    if (cases === 0 && x !== y) cases = x > y ? -1 : 1;
  }
  if (a.length === b.length) return cases;
  const next = a.length > b.length ? a.charCodeAt(shorter) : b.charCodeAt(shorter);
  if (next > 127) return undefined; // perhaps an accent of the last character
  return a.length < b.length ? -1 : 1;
}

export function compare_text(a, b, options) {
  if (a === b) return 0;
  if (options?.sensitivity === undefined && options?.caseFirst === undefined) {
    if (!options?.numeric && simple.test(a) && simple.test(b)) return compare_simple(a, b);
    const order = compare_ascii(a, b, Boolean(options?.numeric));
    if (order !== undefined) return order;
  }
  const left = cached_parts(a);
  const right = cached_parts(b);
  const sensitivity = options?.sensitivity ?? 'variant';
  const base = compare_bases(left.bases, right.bases, Boolean(options?.numeric));
  if (base !== 0 || sensitivity === 'base') return base;
  if (sensitivity !== 'case') {
    const accent = compare_each(left.accents, right.accents);
    if (accent !== 0 || sensitivity === 'accent') return accent;
  }
  const order = compare_each(left.uppers, right.uppers);
  return options?.caseFirst === 'upper' ? -order : order;
}
