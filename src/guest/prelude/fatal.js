// The text of an uncaught error on stderr, as Node 22 prints it, without its hints about flags.
import { is_error } from './errors.js';
import { inspect } from './inspect.js';
import {
  MathMax, RegExpExec, StringEndsWith, StringIndexOf, StringLastIndexOf, StringOf, StringRepeat,
  StringSlice, StringStartsWith, split_on,
} from './primordials.js';

const REJECTED = 'This error originated either by throwing inside of an async function without a ' +
  'catch block, or by rejecting a promise which was not handled with .catch(). The promise ' +
  'rejected with the reason ';
const LONGEST_LINE = 2000; // a minified source would drown the message
const throw_before = /(?:^|[^\w$.])throw(?![\w$])[^;]*$/;
const new_before = /(?:^|[^\w$.])new\s+$/;
const digits = /^:(\d+):(\d+)/;

// [line, column] of the first frame that is in the script.
function location_of(error, filename) {
  const stack = error.stack;
  if (typeof stack !== 'string') return undefined;
  const lines = split_on(stack, '\n');
  for (let i = 0; i < lines.length; i++) {
    if (!StringStartsWith(lines[i], '    at ')) continue;
    const at = StringIndexOf(lines[i], `${filename}:`);
    if (at === -1) continue;
    const found = RegExpExec(digits, StringSlice(lines[i], at + filename.length));
    if (found !== null) return [+found[1], +found[2]];
  }
  return undefined;
}

// The location, the source line and a caret; empty when the error does not say where it was made.
function excerpt(error, kind, source, filename) {
  const place = location_of(error, filename);
  if (place === undefined) return '';
  const line = split_on(source, '\n')[place[0] - 1];
  if (line === undefined) return `${filename}:${place[0]}\n\n`;
  const text = StringEndsWith(line, '\r') ? StringSlice(line, 0, -1) : line;
  if (text.length > LONGEST_LINE) return `${filename}:${place[0]}\n\n`;
  let column = MathMax(0, place[1] - 1);
  const before = StringSlice(text, 0, column);
  // Node points at the throw statement, or at `new`; the error only knows where it was made.
  const thrown = kind === 'exception' ? RegExpExec(throw_before, before) : null;
  if (thrown !== null) column = StringIndexOf(text, 'throw', thrown.index);
  else if (RegExpExec(new_before, before) !== null) column = StringLastIndexOf(before, 'new');
  return `${filename}:${place[0]}\n${text}\n${StringRepeat(' ', column)}^\n\n`;
}

function describe(error, kind, source, filename) {
  if (is_error(error)) return `${excerpt(error, kind, source, filename)}${inspect(error)}\n`;
  if (kind === 'rejection') {
    const reason = typeof error === 'object' || typeof error === 'function'
      ? `"${rejected_object(error)}".` : `"${StringOf(error)}".`;
    return `[UnhandledPromiseRejection: ${REJECTED}${reason}] {\n` +
      "  code: 'ERR_UNHANDLED_REJECTION'\n}\n";
  }
  return `Uncaught:\n${inspect(error)}\n`;
}

function rejected_object(value) {
  if (value === null) return 'null';
  if (typeof value === 'function') return inspect(value, { depth: 0 });
  const name = value.constructor?.name;
  return typeof name === 'string' && name !== '' ? `#<${name}>` : '#<Object>';
}

// Never throws: a hostile error (throwing getters, proxies), or one that left no memory to print it,
// is described in fewer words.
export function fatal(error, kind, source, filename) {
  try {
    return describe(error, kind, StringOf(source), StringOf(filename));
  } catch { /* try with less */ }
  try {
    return `Uncaught:\n${inspect(error, { customInspect: false, getters: false, depth: 0 })}\n`;
  } catch { /* try with less */ }
  try {
    return `Uncaught:\n${StringOf(error)}\n`;
  } catch { /* it cannot be printed */ }
  return 'Uncaught:\n<an error that cannot be printed>\n';
}
