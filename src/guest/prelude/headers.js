// Headers and FormData (Fetch standard and XMLHttpRequest standard).
import { Blob, File } from './blob.js';
import { inspect_fields } from './inspect.js';
import { define_classes } from './primordials.js';

const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const bad_value = /[\0\r\n]|[^\x00-\xff]/;
const edge_space = /^[\t\n\r ]+|[\t\n\r ]+$/g;

function checked_name(method, name) {
  const text = `${name}`;
  if (!token.test(text)) {
    throw new TypeError(`Headers.${method}: ${text} is an invalid header name.`);
  }
  return text;
}

function checked_value(method, value) {
  const text = `${value}`.replace(edge_space, '');
  if (bad_value.test(text)) {
    throw new TypeError(`Headers.${method}: ${text} is an invalid header value.`);
  }
  return text;
}

export class Headers {
  #lists = new Map(); // lower-case name → { name as first given, values }

  static {
    // Node prints the names as they were given, in that order.
    inspect_fields(Headers.prototype, 'Headers', (headers) => Object.fromEntries(
      [...headers.#lists.values()].map(({ name, values }) => [name, values.join(', ')])));
  }

  constructor(init = undefined) {
    if (init === undefined) return;
    if (init === null || (typeof init !== 'object' && typeof init !== 'function')) {
      throw new TypeError('Headers constructor: init must be an object or a sequence of pairs.');
    }
    if (typeof init[Symbol.iterator] === 'function') {
      for (const pair of init) {
        const items = [...pair];
        if (items.length !== 2) {
          throw new TypeError('Headers constructor: expected name/value pair to be length 2, ' +
            `found ${items.length}.`);
        }
        this.append(items[0], items[1]);
      }
    } else {
      for (const name of Reflect.ownKeys(init)) {
        if (Object.getOwnPropertyDescriptor(init, name)?.enumerable) this.append(name, init[name]);
      }
    }
  }

  append(name, value) {
    name = checked_name('append', name);
    value = checked_value('append', value);
    const list = this.#lists.get(name.toLowerCase());
    if (list === undefined) this.#lists.set(name.toLowerCase(), { name, values: [value] });
    else list.values.push(value);
  }

  delete(name) { this.#lists.delete(checked_name('delete', name).toLowerCase()); }

  get(name) {
    return this.#lists.get(checked_name('get', name).toLowerCase())?.values.join(', ') ?? null;
  }

  has(name) { return this.#lists.has(checked_name('has', name).toLowerCase()); }

  set(name, value) {
    name = checked_name('set', name);
    this.#lists.set(name.toLowerCase(), { name, values: [checked_value('set', value)] });
  }

  getSetCookie() { return [...this.#lists.get('set-cookie')?.values ?? []]; }

  #sorted() {
    const pairs = [];
    for (const name of [...this.#lists.keys()].sort()) {
      const { values } = this.#lists.get(name);
      if (name === 'set-cookie') for (const value of values) pairs.push([name, value]);
      else pairs.push([name, values.join(', ')]);
    }
    return pairs;
  }

  // The list may change while it is walked: each step sorts anew, as the standard has it.
  *entries() {
    for (let i = 0, pairs = this.#sorted(); i < pairs.length; i++, pairs = this.#sorted()) {
      yield pairs[i];
    }
  }

  *keys() { for (const [name] of this.entries()) yield name; }
  *values() { for (const [, value] of this.entries()) yield value; }

  forEach(callback, self = undefined) {
    for (const [name, value] of this.entries()) callback.call(self, value, name, this);
  }
}

export class FormData {
  #entries = [];

  constructor(form = undefined) {
    if (form !== undefined) throw new TypeError('FormData constructor: there are no forms here.');
  }

  #entry(name, value, filename) {
    if (value instanceof Blob) {
      if (!(value instanceof File) || filename !== undefined) {
        value = new File([value], filename ?? (value instanceof File ? value.name : 'blob'), {
          type: value.type,
          ...(value instanceof File ? { lastModified: value.lastModified } : undefined),
        });
      }
    } else {
      value = `${value}`.toWellFormed();
    }
    return [`${name}`.toWellFormed(), value];
  }

  append(name, value, filename = undefined) {
    this.#entries.push(this.#entry(name, value, filename));
  }

  set(name, value, filename = undefined) {
    const entry = this.#entry(name, value, filename);
    const at = this.#entries.findIndex(([known]) => known === entry[0]);
    this.delete(entry[0]);
    if (at === -1) this.#entries.push(entry);
    else this.#entries.splice(at, 0, entry);
  }

  delete(name) { this.#entries = this.#entries.filter(([known]) => known !== `${name}`); }
  get(name) { return this.#entries.find(([known]) => known === `${name}`)?.[1] ?? null; }
  getAll(name) {
    return this.#entries.filter(([known]) => known === `${name}`).map(([, value]) => value);
  }
  has(name) { return this.#entries.some(([known]) => known === `${name}`); }
  *entries() { for (let i = 0; i < this.#entries.length; i++) yield [...this.#entries[i]]; }
  *keys() { for (const [name] of this.entries()) yield name; }
  *values() { for (const [, value] of this.entries()) yield value; }
  forEach(callback, self = undefined) {
    for (const [name, value] of this.entries()) callback.call(self, value, name, this);
  }
}

for (const made of [Headers, FormData]) {
  Reflect.defineProperty(made.prototype, Symbol.iterator, {
    __proto__: null, value: made.prototype.entries, writable: true, configurable: true,
  });
}
define_classes({ Headers, FormData });
