// Copies of the builtins that output and error paths use, made before any guest code runs. A guest
// may set Array.prototype.map to null or poison Object.prototype; printing must still work.
const { apply, ownKeys, getPrototypeOf, defineProperty, getOwnPropertyDescriptor } = Reflect;
const { call } = Function.prototype;

// uncurry(f)(self, ...args) is f.call(self, ...args) without looking up `call` on f.
export const uncurry = Function.prototype.bind.bind(call);

export const ReflectApply = apply;
export const ReflectOwnKeys = ownKeys;
export const ReflectGetPrototypeOf = getPrototypeOf;
export const ReflectDefineProperty = defineProperty;
export const ReflectGetOwnPropertyDescriptor = getOwnPropertyDescriptor;

export const ObjectIs = Object.is;
export const ObjectPrototypeToString = uncurry(Object.prototype.toString);
export const ArrayPush = uncurry(Array.prototype.push);
export const ArrayIndexOf = uncurry(Array.prototype.indexOf);
export const ErrorIsError = Error.isError;
export const FunctionOf = Function;
export const JSONParse = JSON.parse;
export const JSONStringify = JSON.stringify;
export const NewPromise = (executor) => new PromiseOf(executor);
const PromiseOf = Promise;
const FunctionToString = uncurry(Function.prototype.toString);
export const MathFloor = Math.floor;
export const MathMax = Math.max;
export const RegExpExec = uncurry(RegExp.prototype.exec);
export const StringOf = String;
export const StringEndsWith = uncurry(String.prototype.endsWith);
export const StringIncludes = uncurry(String.prototype.includes);
export const StringIndexOf = uncurry(String.prototype.indexOf);
export const StringLastIndexOf = uncurry(String.prototype.lastIndexOf);
export const StringRepeat = uncurry(String.prototype.repeat);
export const StringSlice = uncurry(String.prototype.slice);
export const StringStartsWith = uncurry(String.prototype.startsWith);
export const StringToLowerCase = uncurry(String.prototype.toLowerCase);
export const StringToUpperCase = uncurry(String.prototype.toUpperCase);
export const SymbolToString = uncurry(Symbol.prototype.toString);

// Splits on one character without String.prototype.split, which looks up Symbol.split.
export function split_on(text, separator) {
  const parts = [];
  let from = 0;
  for (let at; (at = StringIndexOf(text, separator, from)) !== -1; from = at + 1) {
    define_index(parts, parts.length, StringSlice(text, from, at));
  }
  define_index(parts, parts.length, StringSlice(text, from));
  return parts;
}

// Appends without running a setter that a guest put on Array.prototype.
export function define_index(array, index, value) {
  defineProperty(array, index, {
    __proto__: null, value, writable: true, enumerable: true, configurable: true,
  });
}

export function define_hidden(target, name, value) {
  defineProperty(target, name, {
    __proto__: null, value, writable: true, enumerable: false, configurable: true,
  });
}

// What a web or Node global is: writable, configurable, not enumerable. A function gets the name
// of the global: the bundler may have renamed it.
export function define_global(name, value) {
  if (typeof value === 'function' && value.name !== name) {
    defineProperty(value, 'name', { __proto__: null, value: name, configurable: true });
  }
  define_hidden(globalThis, name, value);
}

const classes = new WeakSet();
const add_class = uncurry(WeakSet.prototype.add);
const is_class = uncurry(WeakSet.prototype.has);

// The source text of a function. The prelude's are stripped of theirs; its classes still say so.
export function function_source(value) {
  return is_class(classes, value) ? 'class {}' : FunctionToString(value);
}

// Globals by name; a class also gets its Symbol.toStringTag, as WebIDL has it.
export function define_classes(made) {
  for (const name of ownKeys(made)) {
    define_global(name, made[name]);
    add_class(classes, made[name]);
    defineProperty(made[name].prototype, Symbol.toStringTag, {
      __proto__: null, value: name, configurable: true,
    });
  }
}
