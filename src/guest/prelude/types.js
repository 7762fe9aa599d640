// TypeScript annotations are taken out by sucrase, which keeps every line where it was. It is in
// the snapshot as live objects: to compile it for each snippet would take longer than most run.
import transform from 'small:./parts/sucrase.js';

// sucrase takes a namespace with values for a block, which would fail later and obscurely.
const namespace = /^[ \t]*(?:export[ \t]+)?(?:namespace|module)[ \t]+[\w$.]+[ \t\r\n]*\{/m;

// JavaScript with every line where it was; throws a SyntaxError that says what is wrong as
// TypeScript.
export function strip_types(code) {
  if (namespace.test(code)) {
    throw new SyntaxError('TypeScript namespaces cannot be run in this sandbox');
  }
  try {
    return transform(code);
  } catch (error) {
    throw new SyntaxError(`${error.message}, read as TypeScript`);
  }
}
