// The process that a snippet runs in. It may be started before there is one, and then waits: what
// it waits for is the path of the staged file and of the grant, as a line of JSON on descriptor 3.
'use strict';

const fs = require('node:fs');
const module_ = require('node:module');
const path = require('node:path');
const vm = require('node:vm');

const ORDERS = 3;
const NEWLINE = 10;

function await_orders() {
  fs.writeSync(ORDERS, 'r');
  const parts = [];
  const part = Buffer.alloc(4096);
  for (;;) {
    const size = fs.readSync(ORDERS, part);
    if (size === 0) break;
    parts.push(Buffer.from(part.subarray(0, size)));
    if (part[size - 1] === NEWLINE) break;
  }
  fs.closeSync(ORDERS);
  return parts.length === 0 ? null : JSON.parse(Buffer.concat(parts).toString('utf8'));
}

function parses(compile) {
  try {
    compile();
    return true;
  } catch {
    return false;
  }
}

const PARAMETERS = ['exports', 'require', 'module', '__filename', '__dirname'];
const is_module = (code) => parses(() => new vm.SourceTextModule(code));

// `await (f())` at the top is a call of a function `await` in a script, and certainly not meant. In
// a static block of a class, where nothing may await, `await` is no name either.
function awaits_at_the_top(code) {
  return /\bawait\b/.test(code) && !parses(() => new vm.Script(`(class{static{${code}\n}})`)) &&
    is_module(code);
}

function is_script(code) {
  return parses(() => vm.compileFunction(code, PARAMETERS)) && !awaits_at_the_top(code);
}

function without_types(code) {
  for (const mode of ['strip', 'transform']) {
    try {
      return module_.stripTypeScriptTypes(code, { mode });
    } catch {
      // The next one knows more: enums, parameter properties.
    }
  }
  return null;
}

// JavaScript first: what parses as it is it. Where nothing does, Node says what is wrong with it.
function prepare(staged) {
  const code = fs.readFileSync(staged, 'utf8').replace(/^#!.*/, '');
  if (is_script(code)) return staged;
  const as_module = path.format({ ...path.parse(staged), base: undefined, ext: '.mjs' });
  if (!is_module(code)) {
    const plain = without_types(code);
    if (plain === null) return staged;
    fs.writeFileSync(staged, plain);
    if (is_script(plain)) return staged;
  }
  fs.renameSync(staged, as_module);
  return as_module;
}

const flags = process.execArgv.filter((flag) => flag !== '--experimental-vm-modules');
const orders = await_orders();
if (orders === null) process.exit(0);
const main = prepare(orders.file);
if (orders.grant !== null) {
  process.env.PLIMSOLL_GRANT = orders.grant;
  flags.push(`--require=${path.join(__dirname, 'client.cjs')}`);
  require('./client.cjs');
}
process.env.NODE_OPTIONS = flags.join(' '); // for the processes that it starts
delete vm.SourceTextModule;
delete vm.SyntheticModule;
delete vm.Module;
process.execArgv.length = 0;
process.argv[1] = main;

// A run that ended well leaves at once: to take an engine of V8's apart costs as much as many a run.
// Its output is written, since the streams wait. After an error Node still has to print it.
process.on('exit', function leave(code) {
  if (code !== 0) return;
  process.off('exit', leave);
  process.emit('exit', code);
  process.reallyExit(process.exitCode ?? code);
});
module_.runMain();
