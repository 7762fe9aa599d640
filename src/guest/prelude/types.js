// TypeScript annotations are taken out by sucrase, which keeps every line where it was. It is kept
// as text and compiled on first use: few snippets need it, and as live objects it would make every
// garbage collection of every other run slower.
import source from 'lazy:./lazy/sucrase.js';

const evaluate = globalThis.eval;
let transform;

export function strip_types(code) {
  transform ??= evaluate(source);
  return transform(code);
}
