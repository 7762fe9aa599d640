// usage: node run.mjs BUNDLE [CASES.json...]
// Runs each case in the engine under plain node and compares it with what Node 22 printed.
import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Engine } from './engine.mjs';
import { fatal_text } from '../../../../tests/golden/fatal/fatal_text.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const golden = resolve(here, '../../../../tests/golden');
const [bundle, ...given] = process.argv.slice(2);
const files = given.length > 0 ? given
  : ['console/cases.json', 'behaviour/behaviour.json', 'typescript/typescript.json',
    'fatal/fatal.json'].map((name) => join(golden, name));

const engine = await Engine.boot(bundle);
let passed = 0;
let failed = 0;

async function outcome(code) {
  try {
    return await engine.run(code);
  } catch (error) {
    return { stdout: '', stderr: `the test's engine failed: ${error.message}`, exit_code: -1 };
  }
}

function check(name, code, expected, actual) {
  const wrong = ['stdout', 'stderr', 'exit_code'].filter((key) => actual[key] !== expected[key]);
  if (wrong.length === 0) {
    passed += 1;
    return;
  }
  failed += 1;
  console.log(`FAILED ${name}\n${code}`);
  for (const key of wrong) {
    console.log(`  ${key} expected: ${JSON.stringify(expected[key])}`);
    console.log(`  ${key} here:     ${JSON.stringify(actual[key])}`);
  }
}

const read = (path) => readFileSync(path, 'utf8');

// What Node 22 printed.
for (const file of files) {
  for (const expected of JSON.parse(read(file))) {
    const actual = await outcome(expected.code);
    if (file.endsWith('fatal.json')) actual.stderr = fatal_text(actual.stderr);
    check(expected.name, expected.code, expected, actual);
  }
}

if (given.length === 0) {
  // A guest that broke the builtins sees the same output as one that did not.
  for (const { name, poison, code } of JSON.parse(read(join(here, 'hostile.json')))) {
    check(name, `${poison}\n${code}`, await outcome(`\n${code}`),
      await outcome(`${poison}\n${code}`));
  }
  const spied = await outcome(read(join(here, 'spies.js')));
  check('no function of the engine is reachable', 'spies.js', { ...spied, exit_code: 0,
    stdout: spied.stdout.replace(/\S+ \S+ \S+\n$/, 'clean true true\n') }, spied);

  // Output is byte for byte what the guest wrote: lone surrogates are three bytes, NUL is a byte.
  for (const { code, hex } of JSON.parse(read(join(here, 'bytes.json')))) {
    await outcome(code);
    check(code, code, { stdout: hex }, { stdout: engine.stdout_bytes().toString('hex') });
  }

  // The table of docs/javascript.md, row by row; surface.json must be what surface.mjs makes of it.
  const documented = read(resolve(golden, '../../docs/javascript.md'));
  for (const { expression, result } of JSON.parse(read(join(golden, 'surface.json')))) {
    check(expression, expression, { stdout: `${result}\n`, stderr: '', exit_code: 0 },
      await outcome(`console.log(String(${expression}))`));
    check(`the document has ${expression}`, expression, {},
      { stdout: documented.includes(`| \`${expression}\` | \`${result}\` |`) ? undefined : 'no' });
  }
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
