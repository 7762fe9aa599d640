// Date formatting as Intl.DateTimeFormat does it for en-US in UTC, for the usual options.
import { require_english } from './locale_number.js';

const MONTHS = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August',
  'September', 'October', 'November', 'December'];
const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const UTC = /^(?:utc|gmt|etc\/utc|etc\/gmt)$/i;
const DATE_FIELDS = ['weekday', 'year', 'month', 'day'];
const TIME_FIELDS = ['hour', 'minute', 'second'];
const DATE_STYLES = {
  full: { weekday: 'long', year: 'numeric', month: 'long', day: 'numeric' },
  long: { year: 'numeric', month: 'long', day: 'numeric' },
  medium: { year: 'numeric', month: 'short', day: 'numeric' },
  short: { year: '2-digit', month: 'numeric', day: 'numeric' },
};
const TIME_STYLES = {
  medium: { hour: 'numeric', minute: '2-digit', second: '2-digit' },
  short: { hour: 'numeric', minute: '2-digit' },
};
const ALL_DATE = { year: 'numeric', month: 'numeric', day: 'numeric' };
const ALL_TIME = TIME_STYLES.medium;
const KNOWN = new Set([...DATE_FIELDS, ...TIME_FIELDS, 'dateStyle', 'timeStyle', 'timeZone',
  'hour12', 'hourCycle', 'timeZoneName', 'localeMatcher', 'formatMatcher', 'calendar',
  'numberingSystem']);

function unknown(name, value) {
  return new RangeError(`This sandbox has no date option ${name}: '${value}'`);
}

// usual: the fields when the options name none; required: those that make it a full format.
export function resolve_date(locales, given, required, usual) {
  require_english(locales);
  const options = given === null || given === undefined ? {} : Object(given);
  for (const name of Object.keys(options)) {
    if (!KNOWN.has(name)) throw unknown(name, options[name]);
  }
  if (options.timeZone !== undefined && !UTC.test(options.timeZone)) {
    throw new RangeError(`This sandbox has only the time zone UTC, not '${options.timeZone}'`);
  }
  const fields = {};
  const { dateStyle: date, timeStyle: time } = options;
  if (date !== undefined || time !== undefined) {
    if (date !== undefined && !Object.hasOwn(DATE_STYLES, date)) throw unknown('dateStyle', date);
    if (time !== undefined && !Object.hasOwn(TIME_STYLES, time)) throw unknown('timeStyle', time);
    Object.assign(fields, DATE_STYLES[date], TIME_STYLES[time]);
  } else {
    for (const name of [...DATE_FIELDS, ...TIME_FIELDS]) {
      if (options[name] !== undefined) fields[name] = options[name];
    }
    const asked = required === 'date' ? DATE_FIELDS : required === 'time' ? TIME_FIELDS
      : [...DATE_FIELDS, ...TIME_FIELDS];
    if (!asked.some((name) => name in fields)) Object.assign(fields, usual);
  }
  return {
    fields,
    wordy: date === 'full' || date === 'long',
    hour12: options.hour12 ?? !/^h2/.test(options.hourCycle ?? ''),
    midnight: options.hour12 === false ? 24 : 0, // as ICU has it for en-US
    zone: options.timeZoneName !== undefined,
  };
}

const two = (number) => `${number}`.padStart(2, '0');
const numeral = (number, style) => style === '2-digit' ? two(number % 100) : `${number}`;

function date_text(date, { weekday, year, month, day }) {
  const y = year && numeral(date.getUTCFullYear(), year);
  const d = day && numeral(date.getUTCDate(), day);
  const name = DAYS[date.getUTCDay()];
  const w = weekday && (weekday === 'long' ? name : name.slice(0, weekday === 'narrow' ? 1 : 3));
  if (month === undefined || month === 'numeric' || month === '2-digit') {
    const m = month && numeral(date.getUTCMonth() + 1, month);
    const numbers = [m, d, y].filter(Boolean).join('/');
    if (w === undefined) return numbers;
    return numbers === d ? `${d} ${w}` : [w, numbers].filter(Boolean).join(', ');
  }
  const full = MONTHS[date.getUTCMonth()];
  const m = month === 'long' ? full : full.slice(0, month === 'narrow' ? 1 : 3);
  const month_day = d === undefined ? m : `${m} ${d}`;
  const joined = y === undefined ? month_day : d === undefined ? `${m} ${y}` : `${month_day}, ${y}`;
  return w === undefined ? joined : `${w}, ${joined}`;
}

function time_text(date, { hour, minute, second }, hour12, midnight) {
  const parts = [];
  if (hour !== undefined) {
    const h = date.getUTCHours();
    const shown = hour12 ? h % 12 || 12 : h || midnight;
    parts.push(!hour12 || hour === '2-digit' ? two(shown) : `${shown}`);
  }
  const alone = hour === undefined && (minute === undefined || second === undefined);
  if (minute !== undefined) {
    parts.push(alone ? `${date.getUTCMinutes()}` : two(date.getUTCMinutes()));
  }
  if (second !== undefined) {
    parts.push(alone ? `${date.getUTCSeconds()}` : two(date.getUTCSeconds()));
  }
  const text = parts.join(':');
  return hour !== undefined && hour12 ? `${text} ${date.getUTCHours() < 12 ? 'AM' : 'PM'}` : text;
}

export function format_date(date, { fields, wordy, hour12, midnight, zone }) {
  if (Number.isNaN(date.getTime())) return 'Invalid Date';
  const day = date_text(date, fields);
  let time = time_text(date, fields, hour12, midnight);
  if (zone) time += ' UTC';
  if (day === '' || time === '') return day + time;
  return `${day}${wordy ? ' at ' : ', '}${time}`;
}

export { ALL_DATE, ALL_TIME };
