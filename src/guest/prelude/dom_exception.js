// DOMException, and atob and btoa, whose errors are of that class.
import { header_of, missing_arguments, v8_frames } from './errors.js';
import {
  ReflectDefineProperty, ReflectGetOwnPropertyDescriptor, define_global, define_hidden,
} from './primordials.js';

// The engine's DOMException has its raw stack as an own property. Same prototype, so that those
// which the engine throws are instances too.
const NativeDOMException = globalThis.DOMException;
export function DOMException(message = '', name = 'Error') {
  if (new.target === undefined) {
    throw new TypeError("Class constructor DOMException cannot be invoked without 'new'");
  }
  const given = typeof name === 'object' && name !== null ? name : { name };
  const error = Reflect.construct(NativeDOMException, [`${message}`, `${given.name ?? 'Error'}`],
    new.target);
  define_hidden(error, 'stack', header_of(error) + v8_frames(error.stack));
  if ('cause' in given) define_hidden(error, 'cause', given.cause);
  return error;
}
for (const key of Reflect.ownKeys(NativeDOMException)) {
  const property = ReflectGetOwnPropertyDescriptor(NativeDOMException, key);
  if (key !== 'name') ReflectDefineProperty(DOMException, key, { __proto__: null, ...property });
}
define_hidden(NativeDOMException.prototype, 'constructor', DOMException);
define_global('DOMException', DOMException);

const { atob: native_atob, btoa: native_btoa } = globalThis;
define_global('atob', function atob(data) {
  if (arguments.length === 0) throw missing_arguments('input');
  try {
    return native_atob(data);
  } catch (error) {
    if (!(error instanceof NativeDOMException)) throw error;
    throw new DOMException(/[^A-Za-z0-9+/=\t\n\f\r ]/.test(data) ? 'Invalid character'
      : 'The string to be decoded is not correctly encoded.', 'InvalidCharacterError');
  }
});
define_global('btoa', function btoa(data) {
  if (arguments.length === 0) throw missing_arguments('input');
  try {
    return native_btoa(data);
  } catch (error) {
    if (!(error instanceof NativeDOMException)) throw error;
    throw new DOMException('Invalid character', 'InvalidCharacterError');
  }
});
