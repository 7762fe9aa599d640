// performance: the engine's own counts from the snapshot; this one counts from the run's start.
import * as native from './native.js';
import { EventTarget } from './events.js';
import { inspect_as } from './inspect.js';
import { DOMException } from './dom_exception.js';
import { define_classes, define_global } from './primordials.js';

class PerformanceEntry {
  constructor(name, entryType, startTime, duration, detail) {
    Object.assign(this, { name, entryType, startTime, duration, detail });
  }

  toJSON() { return { ...this }; }
}
class PerformanceMark extends PerformanceEntry {}
class PerformanceMeasure extends PerformanceEntry {}

class Performance extends EventTarget {
  #origin;
  #entries = [];

  now() { return native.now(); }

  get timeOrigin() {
    this.#origin ??= native.wall() - native.now();
    return this.#origin;
  }

  mark(name, options = undefined) {
    const entry = new PerformanceMark(`${name}`, 'mark', options?.startTime ?? native.now(), 0,
      options?.detail ?? null);
    this.#entries.push(entry);
    return entry;
  }

  #time_of(mark) {
    if (typeof mark === 'number') return mark;
    const found = this.#entries.findLast((entry) =>
      entry.entryType === 'mark' && entry.name === `${mark}`);
    if (found === undefined) {
      throw new DOMException(`The "${mark}" performance mark has not been set`, 'SyntaxError');
    }
    return found.startTime;
  }

  measure(name, from = undefined, to = undefined) {
    const options = from !== null && typeof from === 'object' ? from : { start: from, end: to };
    const end = options.end === undefined ? native.now() : this.#time_of(options.end);
    const start = options.start === undefined ? 0 : this.#time_of(options.start);
    const entry = new PerformanceMeasure(`${name}`, 'measure', start, end - start,
      options.detail ?? null);
    this.#entries.push(entry);
    return entry;
  }

  getEntries() { return this.#entries.toSorted((a, b) => a.startTime - b.startTime); }
  getEntriesByType(type) { return this.getEntries().filter((entry) => entry.entryType === type); }
  getEntriesByName(name, type = undefined) {
    return this.getEntries().filter((entry) =>
      entry.name === name && (type === undefined || entry.entryType === type));
  }
  clearMarks(name = undefined) { this.#clear('mark', name); }
  clearMeasures(name = undefined) { this.#clear('measure', name); }
  #clear(type, name) {
    this.#entries = this.#entries.filter((entry) =>
      entry.entryType !== type || (name !== undefined && entry.name !== name));
  }

  toJSON() { return { timeOrigin: this.timeOrigin }; }
}
inspect_as(Performance.prototype, function render(depth, options, inspect) {
  return `Performance ${inspect({ timeOrigin: this.timeOrigin }, options)}`;
});

define_classes({ Performance, PerformanceEntry, PerformanceMark, PerformanceMeasure });
define_global('performance', new Performance());
