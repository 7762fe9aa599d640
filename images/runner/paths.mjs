// Which paths a project may name. A path ends in a file system: it stays inside of the project's
// folder, one file has one name, and what is one file elsewhere is not two here.
import { SetupFault } from './frames.mjs';

const MAX_NAME_BYTES = 255;
const CONTROL = /[\u0000-\u001f\u007f]/;

// The components of a path in order, or null: it must be UTF-8, relative, without control
// characters, without empty, '.' or '..' components, and each name at most 255 bytes.
export function components_of(bytes) {
  let path;
  try {
    path = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
  if (path === '' || CONTROL.test(path)) return null;
  const components = path.split('/');
  const is_name = (name) => name !== '' && name !== '.' && name !== '..' &&
    Buffer.byteLength(name) <= MAX_NAME_BYTES;
  return components.every(is_name) ? components : null;
}

// What is equal for two names that a file system without regard to case, or with Unicode's normal
// forms, would take for one.
function folded(name) {
  return name.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFKC');
}

// Checks the paths of one project against each other, in the order of add().
export class PathSet {
  #spelling = new Map(); // folded path -> { path, is_file }

  // SetupFault.none, or what is wrong with the file.
  add(components) {
    let path = '';
    let key = '';
    for (const [at, name] of components.entries()) {
      path += `/${name}`;
      key += `/${folded(name)}`;
      const is_file = at === components.length - 1;
      const known = this.#spelling.get(key);
      if (known === undefined) this.#spelling.set(key, { path, is_file });
      else if (known.path !== path || known.is_file || is_file) return SetupFault.twin;
    }
    return SetupFault.none;
  }
}
