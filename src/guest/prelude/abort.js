// AbortController and AbortSignal (DOM standard).
import { coded_error, invalid_argument_type } from './errors.js';
import { EventTarget, Event, define_handler } from './events.js';
import { inspect_fields } from './inspect.js';
import { DOMException } from './dom_exception.js';
import { define_classes } from './primordials.js';

const { setTimeout } = globalThis;
const KEY = Symbol('AbortSignal'); // only this module can construct signals
let abort_signal;

export class AbortSignal extends EventTarget {
  #aborted = false;
  #reason = undefined;
  #dependents = new Set();

  static {
    abort_signal = (signal, reason) => signal.#abort(reason);
  }

  constructor(key) {
    if (key !== KEY) {
      throw coded_error(TypeError, 'ERR_ILLEGAL_CONSTRUCTOR', 'Illegal constructor');
    }
    super();
  }

  get aborted() { return this.#aborted; }
  get reason() { return this.#reason; }
  throwIfAborted() { if (this.#aborted) throw this.#reason; }

  #abort(reason = new DOMException('This operation was aborted', 'AbortError')) {
    if (this.#aborted) return;
    this.#aborted = true;
    this.#reason = reason;
    const dependents = [...this.#dependents].filter((signal) => !signal.#aborted);
    for (const signal of dependents) {
      signal.#aborted = true;
      signal.#reason = reason;
    }
    for (const signal of [this, ...dependents]) signal.dispatchEvent(new Event('abort'));
  }

  static abort(reason = new DOMException('This operation was aborted', 'AbortError')) {
    const signal = new AbortSignal(KEY);
    signal.#aborted = true;
    signal.#reason = reason;
    return signal;
  }

  static timeout(delay) {
    if (typeof delay !== 'number') throw invalid_argument_type('delay', 'of type number', delay);
    const signal = new AbortSignal(KEY);
    setTimeout(() => signal.#abort(
      new DOMException('The operation was aborted due to timeout', 'TimeoutError')), delay).unref();
    return signal;
  }

  static any(signals) {
    const list = [...signals];
    for (let i = 0; i < list.length; i++) {
      if (!(list[i] instanceof AbortSignal)) {
        throw invalid_argument_type(`signals[${i}]`, 'an instance of AbortSignal', list[i]);
      }
    }
    const result = new AbortSignal(KEY);
    const first = list.find((signal) => signal.aborted);
    if (first !== undefined) {
      result.#aborted = true;
      result.#reason = first.#reason;
    } else {
      for (const signal of list) signal.#dependents.add(result);
    }
    return result;
  }
}
define_handler(AbortSignal.prototype, 'abort');

export class AbortController {
  #signal = new AbortSignal(KEY);
  get signal() { return this.#signal; }
  abort(reason = undefined) { abort_signal(this.#signal, reason); }
}

define_classes({ AbortSignal, AbortController });

inspect_fields(AbortSignal.prototype, 'AbortSignal', ({ aborted }) => ({ aborted }));
inspect_fields(AbortController.prototype, 'AbortController', ({ signal }) => ({ signal }));
