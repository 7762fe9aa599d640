'use strict';
// Sorts, filters and copies. The page is whole without it.
const rowsOf = (table) => [...table.tBodies[0].rows];

function keyOf(row, column) {
  const cell = row.cells[column];
  return cell.dataset.v === undefined ? cell.textContent.trim() : Number(cell.dataset.v);
}

function sortBy(table, head, column) {
  const direction = head.getAttribute('aria-sort') === 'descending' ? 1 : -1;
  const compare = (a, b) => (typeof a === 'number' ? a - b : -a.localeCompare(b));
  const sorted = rowsOf(table)
    .map((row) => [keyOf(row, column), row])
    .sort(([a], [b]) => direction * compare(a, b));
  for (const [, row] of sorted) table.tBodies[0].append(row);
  for (const other of table.tHead.rows[0].cells) other.removeAttribute('aria-sort');
  head.setAttribute('aria-sort', direction === 1 ? 'ascending' : 'descending');
}

for (const table of document.querySelectorAll('table')) {
  [...table.tHead.rows[0].cells].forEach((head, column) => {
    const button = document.createElement('button');
    button.type = 'button';
    button.append(...head.childNodes);
    button.addEventListener('click', () => sortBy(table, head, column));
    head.append(button);
  });
}

const tools = document.getElementById('tools');
const filter = document.getElementById('filter');
const severity = document.getElementById('severity');
const shown = document.getElementById('shown');
const findings = [...document.querySelectorAll('table.findings')].flatMap(rowsOf);

function narrow() {
  const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
  let count = 0;
  for (const row of findings) {
    const text = row.textContent.toLowerCase();
    const fits =
      words.every((word) => text.includes(word)) &&
      (severity.value === '' || row.dataset.severity === severity.value);
    row.hidden = !fits;
    count += fits ? 1 : 0;
  }
  shown.textContent = `${count} of ${findings.length} shown`;
}

if (findings.length > 0) {
  tools.hidden = false;
  filter.addEventListener('input', narrow);
  severity.addEventListener('change', narrow);
  narrow();
}

async function copy(source, button) {
  let done = true;
  try {
    await navigator.clipboard.writeText(source.textContent);
  } catch {
    const selection = getSelection();
    selection.selectAllChildren(source);
    done = document.execCommand('copy');
    if (done) selection.removeAllRanges();
  }
  button.textContent = done ? 'Copied' : 'Selected: press Ctrl+C';
  shown.textContent = done ? 'Copied to the clipboard' : 'Selected';
  setTimeout(() => (button.textContent = 'Copy'), 2000);
}

for (const source of document.querySelectorAll('.copyable')) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy';
  button.textContent = 'Copy';
  button.addEventListener('click', () => copy(source, button));
  source.after(button);
}

addEventListener('beforeprint', () => {
  for (const details of document.querySelectorAll('details')) details.open = true;
});
