// A guest that replaces whatever the prelude might call by a spy, uses every feature, and then looks
// through all that it saw and all that can be reached from the global object for a function of the
// engine (the test's engine names them plimsoll_*). Prints 'clean', or what it found.
const seen = [];
const keep = (value) => { seen[seen.length] = value; };
const { log } = console;
const names = Object.getOwnPropertyNames, proto_of = Object.getPrototypeOf;
const describe = Object.getOwnPropertyDescriptor, own_keys = Reflect.ownKeys, { apply } = Reflect;
const define = Object.defineProperty;
const seen_set = new Set(), add = seen_set.add.bind(seen_set), has = seen_set.has.bind(seen_set);

function spy_on(holder, name) {
  const original = describe(holder, name)?.value;
  if (typeof original !== 'function') return;
  try {
    holder[name] = function (...args) {
      keep(this);
      for (let i = 0; i < args.length; i++) keep(args[i]);
      return new.target ? Reflect.construct(original, args, new.target) : apply(original, this, args);
    };
  } catch { /* not writable */ }
}
const watched = [Function.prototype, Array.prototype, Map.prototype, Set.prototype, String.prototype,
  WeakMap.prototype, RegExp.prototype, Promise.prototype, Object, Array, JSON, Number.prototype];
for (const holder of watched) {
  for (const name of names(holder)) {
    if (name !== 'constructor' && name !== 'bind' && name !== 'apply' && name !== 'call') {
      spy_on(holder, name);
    }
  }
}
for (const name of ['call', 'apply', 'bind']) spy_on(Function.prototype, name);
for (const key of ['get', 'set', 'value', 'then', 'constructor_', 'write', 'fd', 'callback']) {
  define(Object.prototype, key, {
    __proto__: null, configurable: true, get() { keep(this); return undefined; },
    set(value) { keep(value); define(this, key, { __proto__: null, value, writable: true, configurable: true }); },
  });
}

const attempts = [
  () => console.log('x', 1, { a: [1] }, new Map([[1, 2]])), () => console.table([{ a: 1 }]),
  () => console.error('%s %o', 'a', { b: 1 }), () => setTimeout(() => {}, 1),
  () => setImmediate(() => {}), () => process.nextTick(() => {}), () => process.hrtime(),
  () => process.stdout.write('w\n'), () => crypto.randomUUID(), () => performance.now(),
  () => crypto.getRandomValues(new Uint8Array(2)), () => structuredClone({ a: new Date() }),
  () => new URL('https://a.b/?c#d').href, () => new TextDecoder().decode(new Uint8Array([65])),
  () => require('fs'), () => crypto.subtle.digest('SHA-256', new Uint8Array(1)),
  () => new AbortController().abort(), () => Buffer.from('x').toString('hex'), () => new Event('x'),
  () => process.emitWarning('w'), () => new Error('e').stack, () => new Blob(['x']).text(),
  () => new Headers({ a: 'b' }).get('a'), () => (5).toLocaleString(), () => process.on('exit', () => {}),
];
process.on('unhandledRejection', () => {});
for (const attempt of attempts) { try { attempt(); } catch { /* the spies may break it */ } }

setTimeout(() => {
  const todo = [globalThis, ...seen];
  let found = 'clean';
  for (let i = 0; i < todo.length; i++) {
    const value = todo[i];
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null) continue;
    if (has(value)) continue;
    add(value);
    let keys;
    try { keys = own_keys(value); } catch { continue; }
    if (typeof value === 'function') {
      const name = describe(value, 'name');
      if (typeof name?.value === 'string' && /^plimsoll_/.test(name.value)) found = name.value;
    }
    todo[todo.length] = proto_of(value);
    for (const key of keys) {
      const property = describe(value, key);
      if (property === undefined) continue;
      todo[todo.length] = property.value;
      todo[todo.length] = property.get;
      todo[todo.length] = property.set;
    }
  }
  log(found, seen.length > 100, todo.length > 2000);
}, 20);
