// toLocaleString and its kin, localeCompare, and the part of Intl that they carry: en-US and UTC.
import { ALL_DATE, ALL_TIME, format_date, resolve_date } from './locale_date.js';
import { format_number, resolve_number } from './locale_number.js';
import { compare_text } from './locale_text.js';
import { define_global, define_hidden } from './primordials.js';

function define_methods(prototype, methods) {
  for (const name of Object.keys(methods)) define_hidden(prototype, name, methods[name]);
}

const number_value = Number.prototype.valueOf;
const bigint_value = BigInt.prototype.valueOf;
const date_string = Date.prototype.toString;
const time_string = Date.prototype.toTimeString;
const usual_number = resolve_number(undefined);
const number_options = (locales, options) => locales === undefined && options === undefined
  ? usual_number : resolve_number(locales, options);

define_methods(Number.prototype, {
  toLocaleString(locales = undefined, options = undefined) {
    return format_number(number_value.call(this), number_options(locales, options));
  },
});
define_methods(BigInt.prototype, {
  toLocaleString(locales = undefined, options = undefined) {
    return format_number(bigint_value.call(this), number_options(locales, options));
  },
});
define_methods(String.prototype, {
  localeCompare(that, locales = undefined, options = undefined) {
    return compare_text(`${this}`, `${that}`, options);
  },
});

const zone_name = (date, text) => text !== 'Invalid Date' && date.getTimezoneOffset() === 0
  ? `${text} (Coordinated Universal Time)` : text;
define_methods(Date.prototype, {
  toString() { return zone_name(this, date_string.call(this)); },
  toTimeString() { return zone_name(this, time_string.call(this)); },
  toLocaleString(locales = undefined, options = undefined) {
    return format_date(this, resolve_date(locales, options, 'any', { ...ALL_DATE, ...ALL_TIME }));
  },
  toLocaleDateString(locales = undefined, options = undefined) {
    return format_date(this, resolve_date(locales, options, 'date', ALL_DATE));
  },
  toLocaleTimeString(locales = undefined, options = undefined) {
    return format_date(this, resolve_date(locales, options, 'time', ALL_TIME));
  },
});

class NumberFormat {
  #options;
  constructor(locales = undefined, options = undefined) {
    this.#options = resolve_number(locales, options);
    define_hidden(this, 'format', (value) =>
      format_number(typeof value === 'bigint' ? value : Number(value), this.#options));
  }
  resolvedOptions() { return { ...this.#options }; }
}

class DateTimeFormat {
  #options;
  constructor(locales = undefined, options = undefined) {
    this.#options = resolve_date(locales, options, 'any', ALL_DATE);
    define_hidden(this, 'format', (date = Date.now()) =>
      format_date(new Date(date), this.#options));
  }
  resolvedOptions() {
    return { locale: 'en-US', calendar: 'gregory', numberingSystem: 'latn', timeZone: 'UTC',
      ...this.#options.fields };
  }
}

class Collator {
  #options;
  constructor(locales = undefined, options = undefined) {
    this.#options = { usage: 'sort', sensitivity: 'variant', numeric: false, ...options };
    define_hidden(this, 'compare', (a, b) => compare_text(`${a}`, `${b}`, this.#options));
  }
  resolvedOptions() { return { locale: 'en-US', ...this.#options }; }
}

const Intl = {};
const classes = { NumberFormat, DateTimeFormat, Collator };
for (const name of Object.keys(classes)) {
  Reflect.defineProperty(classes[name], 'name', {
    __proto__: null, value: name, configurable: true,
  });
  Reflect.defineProperty(classes[name].prototype, Symbol.toStringTag, {
    __proto__: null, value: `Intl.${name}`, configurable: true,
  });
  define_hidden(Intl, name, classes[name]);
}
define_hidden(Intl, 'getCanonicalLocales', (locales) => [].concat(locales ?? []));
Reflect.defineProperty(Intl, Symbol.toStringTag, {
  __proto__: null, value: 'Intl', configurable: true,
});
define_global('Intl', Intl);
