// There are no modules in the sandbox; an import and a require say so, and what to use instead.
import { coded_error } from './errors.js';
import { define_global, StringOf, StringStartsWith, StringSlice } from './primordials.js';

const INSTEAD = {
  __proto__: null,
  assert: 'console.assert is a global',
  buffer: 'Buffer, Blob, File, atob and btoa are globals',
  console: 'console is a global',
  crypto: 'crypto.getRandomValues, crypto.randomUUID and crypto.subtle.digest are globals',
  events: 'EventTarget, Event and CustomEvent are globals',
  perf_hooks: 'performance is a global',
  process: 'process is a global',
  timers: 'setTimeout, setInterval, setImmediate and their clear functions are globals',
  'timers/promises': 'await new Promise((resolve) => setTimeout(resolve, ms)) does it',
  url: 'URL and URLSearchParams are globals',
  util: 'console.log inspects; structuredClone, TextEncoder and TextDecoder are globals',
};

export function import_error(specifier) {
  const name = StringOf(specifier);
  const bare = StringStartsWith(name, 'node:') ? StringSlice(name, 5) : name;
  const instead = INSTEAD[bare];
  return coded_error(Error, 'ERR_PLIMSOLL_NO_MODULES',
    `Cannot import '${name}': this sandbox has no file system, no network and no modules` +
    (instead === undefined ? '' : `; ${instead}`));
}

// Scripts written for Node end with module.exports or ask whether they are the main module.
const module = { id: '.', filename: '[snippet]', loaded: false, children: [], exports: {} };
const require = function require(specifier) {
  throw import_error(specifier);
};
require.main = module;

define_global('require', require);
define_global('module', module);
define_global('exports', module.exports);
