// usage: node run.mjs BUNDLE [CASES.json...]
// Runs each case in the engine under plain node and compares it with what Node 22 printed.
import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Engine } from './engine.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const golden = resolve(here, '../../../../tests/golden');
const [bundle, ...given] = process.argv.slice(2);
const files = given.length > 0 ? given
  : [join(golden, 'console/cases.json'), join(golden, 'behaviour/behaviour.json')];

const engine = await Engine.boot(bundle);
let passed = 0;
let failed = 0;
for (const file of files) {
  for (const expected of JSON.parse(readFileSync(file, 'utf8'))) {
    let actual;
    try {
      actual = await engine.run(expected.code);
    } catch (error) {
      actual = { stdout: '', stderr: `the test's engine failed: ${error.message}`, exit_code: -1 };
    }
    const wrong = ['stdout', 'stderr', 'exit_code'].filter((key) => actual[key] !== expected[key]);
    if (wrong.length === 0) {
      passed += 1;
      continue;
    }
    failed += 1;
    console.log(`FAILED ${expected.name}\n${expected.code}`);
    for (const key of wrong) {
      console.log(`  ${key} of Node: ${JSON.stringify(expected[key])}`);
      console.log(`  ${key} here:    ${JSON.stringify(actual[key])}`);
    }
  }
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
