// console.table, after Node's lib/internal/console/constructor.js and lib/internal/cli_table.js.
import { getStringWidth, inspect } from './inspect.js';
import { types } from './inspect_bindings.js';
import { invalid_argument_type } from './errors.js';

const { keys: object_keys, values: object_values, hasOwn: has_own } = Object;
const { isArray: is_array } = Array;
const { max } = Math;

const INDEX = '(index)';
const ITERATION_INDEX = '(iteration index)';
const KEY = 'Key';
const VALUES = 'Values';

function cell(value) {
  const depth = value !== null && typeof value === 'object' && !is_array(value) &&
    object_keys(value).length > 2 ? -1 : 0;
  return inspect(value, { maxArrayLength: 3, breakLength: Infinity, depth });
}

// head: column titles; columns: one array of cells for each.
function render(head, columns) {
  const widths = head.map((title, i) => {
    let width = getStringWidth(title);
    for (let row = 0; row < columns[i].length; row++) {
      const text = columns[i][row];
      if (text !== undefined) width = max(width, getStringWidth(text));
    }
    return width + 2;
  });
  const rows = columns.reduce((most, column) => max(most, column.length), 0);
  const rule = widths.map((width) => '─'.repeat(width));
  const line = (cells) => `│${cells.map((text, i) =>
    ` ${text}${' '.repeat(widths[i] - getStringWidth(text) - 1)}`).join('│')}│\n`;
  let text = `┌${rule.join('┬')}┐\n${line(head)}├${rule.join('┼')}┤\n`;
  for (let row = 0; row < rows; row++) {
    text += line(columns.map((column) => column[row] ?? ''));
  }
  return `${text}└${rule.join('┴')}┘`;
}

function numbers(count) {
  const list = [];
  for (let i = 0; i < count; i++) list.push(`${i}`);
  return list;
}

function map_table(data) {
  const keys = [];
  const values = [];
  for (const [key, value] of data) {
    keys.push(cell(key));
    values.push(cell(value));
  }
  return render([ITERATION_INDEX, KEY, VALUES], [numbers(keys.length), keys, values]);
}

function set_table(data) {
  const values = [];
  for (const value of data) values.push(cell(value));
  return render([ITERATION_INDEX, VALUES], [numbers(values.length), values]);
}

// undefined: the data is no table; the caller prints it as console.log would.
export function make_table(data, columns) {
  if (data === null || typeof data !== 'object') return undefined;
  if (columns !== undefined && !is_array(columns)) {
    throw invalid_argument_type('properties', 'an instance of Array', columns);
  }
  if (types.isMap(data)) return map_table(data);
  if (types.isSet(data)) return set_table(data);

  const fields = { __proto__: null };
  const loose = [];
  let has_loose = false;
  const rows = object_keys(data);
  for (let i = 0; i < rows.length; i++) {
    const item = data[rows[i]];
    const primitive = item === null || (typeof item !== 'function' && typeof item !== 'object');
    if (primitive) {
      has_loose = true;
      loose[i] = cell(item);
      continue;
    }
    for (const name of columns ?? object_keys(item)) {
      fields[name] ??= [];
      fields[name][i] = has_own(item, name) ? cell(item[name]) : '';
    }
  }
  const head = [INDEX, ...object_keys(fields)];
  const cells = [rows, ...object_values(fields)];
  if (has_loose) {
    head.push(VALUES);
    cells.push(loose);
  }
  return render(head, cells);
}
