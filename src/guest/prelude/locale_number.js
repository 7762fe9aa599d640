// Number formatting as Intl.NumberFormat does it for en-US. The engine has no Intl; without this
// (1234.5).toLocaleString() would silently print 1234.5. Other languages are refused, not guessed.
const english = /^en(?:-|$)/i;

export function require_english(locales) {
  for (const locale of typeof locales === 'string' ? [locales] : locales ?? []) {
    if (english.test(`${locale}`)) return;
    throw new RangeError(`This sandbox formats for en-US only, not for '${locale}'`);
  }
}

const SYMBOLS = {
  __proto__: null, USD: '$', EUR: '€', GBP: '£', JPY: '¥', INR: '₹', CNY: 'CN¥', KRW: '₩',
  BRL: 'R$',
  CAD: 'CA$', AUD: 'A$', MXN: 'MX$', NZD: 'NZ$', HKD: 'HK$', TWD: 'NT$', VND: '₫', ILS: '₪',
};
const WHOLE = new Set(['JPY', 'KRW', 'VND']); // currencies without minor units

function option_number(options, name, low, high, fallback) {
  const value = options[name];
  if (value === undefined) return fallback;
  const number = Number(value);
  if (!(number >= low && number <= high)) throw new RangeError(`${name} value is out of range.`);
  return Math.floor(number);
}

// What NumberFormat resolves its options to.
export function resolve_number(locales, given = {}) {
  require_english(locales);
  const options = given === null || given === undefined ? {} : Object(given);
  const style = options.style ?? 'decimal';
  if (!['decimal', 'percent', 'currency'].includes(style)) {
    throw new RangeError(`This sandbox has no number style '${style}'`);
  }
  for (const name of ['notation', 'unit', 'signDisplay', 'currencySign']) {
    if (options[name] !== undefined && !['standard', 'auto'].includes(options[name])) {
      throw new RangeError(`This sandbox has no number option ${name}: '${options[name]}'`);
    }
  }
  let currency;
  if (style === 'currency') {
    if (options.currency === undefined) {
      throw new TypeError('Currency code is required with currency style.');
    }
    currency = `${options.currency}`.toUpperCase();
    if (!/^[A-Z]{3}$/.test(currency)) {
      throw new RangeError(`Invalid currency code : ${options.currency}`);
    }
  }
  const usual = style === 'currency' ? (WHOLE.has(currency) ? 0 : 2) : 0;
  let least = option_number(options, 'minimumFractionDigits', 0, 100, undefined);
  let most = option_number(options, 'maximumFractionDigits', 0, 100, undefined);
  if (least !== undefined && most !== undefined && least > most) {
    throw new RangeError('maximumFractionDigits value is out of range.');
  }
  const usual_most = style === 'decimal' ? 3 : usual;
  if (least === undefined) least = most === undefined ? usual : Math.min(usual, most);
  if (most === undefined) most = Math.max(usual_most, least);
  return {
    locale: 'en-US', numberingSystem: 'latn', style, currency,
    currencyDisplay: options.currencyDisplay ?? 'symbol',
    minimumIntegerDigits: option_number(options, 'minimumIntegerDigits', 1, 21, 1),
    minimumFractionDigits: least,
    maximumFractionDigits: most,
    minimumSignificantDigits: option_number(options, 'minimumSignificantDigits', 1, 21, undefined),
    maximumSignificantDigits: option_number(options, 'maximumSignificantDigits', 1, 21, undefined),
    useGrouping: options.useGrouping ?? true,
  };
}

// The shortest decimal of a value: digits without leading zeros, and where the point is in them.
function decimal_of(value) {
  const [, whole, fraction = '', exponent = '0'] =
    /^(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(`${value}`);
  const zeros = /^0*/.exec(whole + fraction)[0].length;
  const digits = (whole + fraction).slice(zeros);
  return { digits, point: digits === '' ? 0 : whole.length - zeros + Number(exponent) };
}

// Half away from zero, on the shortest decimal, as ICU rounds. `keep` digits stay.
function rounded({ digits, point }, keep) {
  if (keep >= digits.length) return { digits, point };
  if (keep < 0) return { digits: '', point: 0 };
  const up = digits.charCodeAt(keep) >= 53;
  const kept = digits.slice(0, keep);
  if (!up) return { digits: kept, point };
  const next = `${BigInt(`0${kept}`) + 1n}`;
  return next.length > kept.length && kept !== ''
    ? { digits: next, point: point + 1 }
    : kept === '' ? { digits: '1', point: point + 1 } : { digits: next.padStart(keep, '0'), point };
}

function grouped(whole) {
  let text = whole.slice(-3);
  for (let end = whole.length - 3; end > 0; end -= 3) {
    text = `${whole.slice(Math.max(0, end - 3), end)},${text}`;
  }
  return text;
}

function magnitude(value, options) {
  let decimal = decimal_of(value);
  if (options.style === 'percent' && decimal.digits !== '') decimal.point += 2;
  const { minimumSignificantDigits: fewest, maximumSignificantDigits: most } = options;
  let least_fraction = options.minimumFractionDigits;
  if (fewest !== undefined || most !== undefined) {
    decimal = rounded(decimal, most ?? 21);
    least_fraction = Math.max(0, (fewest ?? 1) - decimal.point);
  } else {
    decimal = rounded(decimal, decimal.point + options.maximumFractionDigits);
  }
  const { digits, point } = decimal;
  const all = point > 0 ? digits.padEnd(point, '0') : '0'.repeat(1 - point) + digits;
  const whole_length = Math.max(point, 1);
  const whole = all.slice(0, whole_length).padStart(options.minimumIntegerDigits, '0');
  const fraction = all.slice(whole_length).replace(/0+$/, '').padEnd(least_fraction, '0');
  const plain = options.useGrouping === false || options.useGrouping === 'false';
  return (plain ? whole : grouped(whole)) + (fraction === '' ? '' : `.${fraction}`);
}

export function format_number(value, options) {
  let negative;
  let text;
  if (typeof value === 'bigint') {
    negative = value < 0n;
    text = magnitude(negative ? -value : value, options);
  } else {
    if (Number.isNaN(value)) return options.style === 'percent' ? 'NaN%' : 'NaN';
    negative = value < 0 || Object.is(value, -0);
    const size = Math.abs(value);
    text = size === Infinity ? '∞' : magnitude(size, options);
  }
  if (options.style === 'percent') text += '%';
  if (options.style === 'currency') {
    const symbol = options.currencyDisplay === 'code' ? undefined : SYMBOLS[options.currency];
    text = symbol === undefined ? `${options.currency}\u00a0${text}` : symbol + text;
  }
  return negative ? `-${text}` : text;
}
