// TypeScript annotations are taken out by sucrase, which keeps every line where it was. It is kept
// as text and compiled on first use: few snippets need it, and as live objects it would make every
// garbage collection of every other run slower.
import source from 'lazy:./lazy/sucrase.js';

const evaluate = globalThis.eval;
let transform;

// sucrase takes a namespace with values for a block, which would fail later and obscurely.
const namespace = /^[ \t]*(?:export[ \t]+)?(?:namespace|module)[ \t]+[\w$.]+[ \t\r\n]*\{/m;

// JavaScript with every line where it was; throws a SyntaxError that says what is wrong as
// TypeScript.
export function strip_types(code) {
  transform ??= evaluate(source);
  if (namespace.test(code)) {
    throw new SyntaxError('TypeScript namespaces cannot be run in this sandbox');
  }
  try {
    return transform(code);
  } catch (error) {
    throw new SyntaxError(`${error.message}, read as TypeScript`);
  }
}
