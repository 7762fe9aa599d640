// Event, CustomEvent and EventTarget (DOM standard; there is no tree, so only the target phase).
import * as native from './native.js';
import { coded_error, invalid_argument_type, missing_arguments } from './errors.js';
import { inspect_as } from './inspect.js';
import { schedule_tick } from './ticks.js';
import { ReflectApply, define_classes } from './primordials.js';

const NONE = 0;
const AT_TARGET = 2;

let run; // dispatch's view of an Event's private state

export class Event {
  #type;
  #options;
  #time = native.now();
  #target = null;
  #current = null;
  #phase = NONE;
  #prevented = false;
  #stopped = false;
  #stopped_now = false;
  #dispatching = false;
  #passive = false;

  static {
    run = {
      is: (event) => #type in event,
      begin(event, target) {
        if (event.#dispatching) return false;
        event.#dispatching = true;
        event.#target = event.#current = target;
        event.#phase = AT_TARGET;
        return true;
      },
      passive(event, value) { event.#passive = value; },
      stopped: (event) => event.#stopped_now,
      end(event) {
        event.#dispatching = event.#stopped = event.#stopped_now = false;
        event.#current = null;
        event.#phase = NONE;
      },
    };
  }

  constructor(type, options = undefined) {
    if (arguments.length === 0) throw missing_arguments('type');
    if (options !== undefined && options !== null && typeof options !== 'object') {
      throw invalid_argument_type('options', 'of type object', options);
    }
    this.#type = `${type}`;
    this.#options = {
      bubbles: Boolean(options?.bubbles),
      cancelable: Boolean(options?.cancelable),
      composed: Boolean(options?.composed),
    };
  }

  get type() { return this.#type; }
  get target() { return this.#target; }
  get srcElement() { return this.#target; }
  get currentTarget() { return this.#current; }
  get eventPhase() { return this.#phase; }
  get bubbles() { return this.#options.bubbles; }
  get cancelable() { return this.#options.cancelable; }
  get composed() { return this.#options.composed; }
  get defaultPrevented() { return this.#prevented; }
  get returnValue() { return !this.#prevented; }
  get timeStamp() { return this.#time; }
  get isTrusted() { return false; }
  get cancelBubble() { return this.#stopped; }
  set cancelBubble(value) { if (value) this.#stopped = true; }
  composedPath() { return this.#dispatching ? [this.#current] : []; }
  preventDefault() { if (this.cancelable && !this.#passive) this.#prevented = true; }
  stopPropagation() { this.#stopped = true; }
  stopImmediatePropagation() { this.#stopped = this.#stopped_now = true; }
}

inspect_as(Event.prototype, function render(depth, options, inspect) {
  const name = this.constructor.name;
  if (depth < 0) return name;
  return `${name} ${inspect({
    type: this.type, defaultPrevented: this.defaultPrevented, cancelable: this.cancelable,
    timeStamp: this.timeStamp,
  }, { ...options, depth: Number.isInteger(options.depth) ? options.depth - 1 : options.depth })}`;
});

const constants = { NONE, CAPTURING_PHASE: 1, AT_TARGET, BUBBLING_PHASE: 3 };
for (const name of Object.keys(constants)) {
  for (const place of [Event, Event.prototype]) {
    Reflect.defineProperty(place, name, {
      __proto__: null, value: constants[name], enumerable: true,
    });
  }
}

export class CustomEvent extends Event {
  #detail;

  constructor(type, options = undefined) {
    if (arguments.length === 0) throw missing_arguments('type');
    super(type, options);
    this.#detail = options?.detail ?? null;
  }

  get detail() { return this.#detail; }
}

export class EventTarget {
  #listeners = new Map(); // type → [{ callback, capture, once, passive, removed }]

  addEventListener(type, callback, options = undefined) {
    if (arguments.length < 2) throw missing_arguments('type', 'listener');
    if (callback === null || callback === undefined) return;
    if (typeof callback !== 'function' && typeof callback !== 'object') {
      throw invalid_argument_type('listener', 'an instance of EventListener', callback);
    }
    const settings = typeof options === 'boolean' ? { capture: options } : options ?? {};
    const { once, passive, signal } = settings;
    const capture = Boolean(settings.capture);
    if (signal?.aborted) return;
    type = `${type}`;
    let list = this.#listeners.get(type);
    if (list === undefined) this.#listeners.set(type, list = []);
    if (list.some((known) => known.callback === callback && known.capture === capture)) return;
    list.push({
      callback, capture, once: Boolean(once), passive: Boolean(passive), removed: false,
    });
    signal?.addEventListener('abort', () => this.removeEventListener(type, callback, { capture }),
      { once: true });
  }

  removeEventListener(type, callback, options = undefined) {
    if (arguments.length < 2) throw missing_arguments('type', 'listener');
    const capture = Boolean(typeof options === 'boolean' ? options : options?.capture);
    const list = this.#listeners.get(`${type}`);
    const at = list?.findIndex((known) =>
      known.callback === callback && known.capture === capture) ?? -1;
    if (at === -1) return;
    list[at].removed = true;
    this.#listeners.set(`${type}`, list.toSpliced(at, 1));
  }

  dispatchEvent(event) {
    if (event === null || typeof event !== 'object' || !run.is(event)) {
      throw invalid_argument_type('event', 'an instance of Event', event);
    }
    if (!run.begin(event, this)) {
      throw coded_error(Error, 'ERR_EVENT_RECURSION',
        `The event "${event.type}" is already being dispatched`);
    }
    for (const listener of [...this.#listeners.get(event.type) ?? []]) {
      if (listener.removed) continue;
      if (listener.once) this.removeEventListener(event.type, listener.callback, listener);
      run.passive(event, listener.passive);
      call_listener(listener.callback, this, event);
      run.passive(event, false);
      if (run.stopped(event)) break;
    }
    run.end(event);
    return !event.defaultPrevented;
  }
}

// A listener that throws does not stop the others: the error becomes an uncaught one, as in Node.
function call_listener(callback, target, event) {
  try {
    if (typeof callback === 'function') ReflectApply(callback, target, [event]);
    else callback.handleEvent(event);
  } catch (error) {
    schedule_tick(() => { throw error; }, []);
  }
}

// The on<type> attribute of a target: an event handler that keeps its place in the order.
export function define_handler(prototype, type) {
  const handlers = new WeakMap();
  Reflect.defineProperty(prototype, `on${type}`, {
    __proto__: null,
    enumerable: true,
    configurable: true,
    get() { return handlers.get(this)?.callback ?? null; },
    set(callback) {
      let entry = handlers.get(this);
      if (entry === undefined) {
        entry = { callback: null };
        handlers.set(this, entry);
        this.addEventListener(type, (event) => {
          if (typeof entry.callback === 'function') ReflectApply(entry.callback, this, [event]);
        });
      }
      entry.callback = typeof callback === 'function' ? callback : null;
    },
  });
}

define_classes({ Event, CustomEvent, EventTarget });
inspect_as(EventTarget.prototype, function render(depth) {
  const name = this.constructor.name;
  return depth < 0 ? name : `${name} {}`;
});
