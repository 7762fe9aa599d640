// The guest's JavaScript: defines the globals, then hands its internals to the engine as the
// bundle's completion value. Evaluated once, into the snapshot that every run starts from.
import './native.js';
import './dom_exception.js';
import './console.js';
import './process.js';
import './encoding.js';
import './events.js';
import './abort.js';
import './url.js';
import './structured_clone.js';
import './blob.js';
import './headers.js';
import './crypto.js';
import './performance.js';
import './buffer.js';
import './locale.js';
import { grant, reply } from './api_client.js';
import { fatal } from './fatal.js';
import { import_error } from './modules.js';
import { exit_code_of, uncaught, unhandled } from './process.js';
import { ticks } from './ticks.js';
import { turn } from './timers.js';
import { strip_types } from './types.js';
import { define_global } from './primordials.js';

define_global('global', globalThis);
Reflect.defineProperty(globalThis, Symbol.toStringTag, {
  __proto__: null, value: 'global', writable: false, enumerable: false, configurable: true,
});

export default {
  ticks, turn, uncaught, unhandled, fatal, exit_code: exit_code_of, strip_types, import_error,
  grant, reply,
};
