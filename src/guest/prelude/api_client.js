// The client of the API that a run was granted: convenience, not a boundary. What it sends, the host
// judges; a guest that goes around it, or breaks it, meets the same broker.
import * as native from './native.js';
import { coded_error } from './errors.js';
import {
  FunctionOf, JSONParse, JSONStringify, MathFloor, NewPromise, ReflectApply, StringIncludes,
  StringOf, StringToLowerCase, StringToUpperCase, define_global, define_index, uncurry,
} from './primordials.js';

const MOST_IN_FLIGHT = 16; // what the host answers at once; further calls wait here, in order
const REFUSED = 65536;

const map_get = uncurry(Map.prototype.get);
const map_set = uncurry(Map.prototype.set);
const map_delete = uncurry(Map.prototype.delete);

const is_bytes = (value) => native.kind(value) === 'Uint8Array';

const open = new Map(); // calls that were sent, by number
let in_flight = 0;
let next_id = 1;
let waiting = [];
let waited = 0;

function send(call) {
  const id = next_id++;
  if (!native.host_call(id, call.method, call.target, call.body)) {
    call.reject(coded_error(Error, 'ERR_PLIMSOLL_NO_GRANT', 'This run was granted no API'));
    return;
  }
  in_flight += 1;
  map_set(open, id, call);
}

function send_waiting() {
  while (in_flight < MOST_IN_FLIGHT && waited < waiting.length) {
    const call = waiting[waited];
    waiting[waited++] = undefined;
    send(call);
  }
  if (waited === waiting.length) {
    waiting = [];
    waited = 0;
  }
}

// Called by the engine for each answer.
export function reply(id, status, type, body) {
  const call = map_get(open, id);
  if (call === undefined) return;
  map_delete(open, id);
  in_flight -= 1;
  const refused = status >= REFUSED;
  if (body === undefined) {
    call.reject(coded_error(RangeError, 'ERR_PLIMSOLL_REPLY_SIZE',
      'The answer does not fit into the memory that is left'));
  } else {
    call.resolve({ status: refused ? status - REFUSED : status, content_type: type ?? '', body, refused });
  }
  send_waiting();
}

// What the API answered, as it is: { status, content_type, body, refused }. `target` goes to the host
// untouched. `body` is a string or bytes; undefined for none.
function raw(method, target, body) {
  return NewPromise((resolve, reject) => {
    const sent = body === undefined || is_bytes(body) ? body : StringOf(body);
    const call = {
      __proto__: null, method: StringOf(method), target: StringOf(target), body: sent, resolve, reject,
    };
    if (in_flight < MOST_IN_FLIGHT && waited === waiting.length) send(call);
    else define_index(waiting, waiting.length, call);
  });
}

function is_json(content_type) {
  const type = StringToLowerCase(content_type);
  return StringIncludes(type, 'application/json') || StringIncludes(type, '+json');
}

function value_of(answer) {
  if (answer.body === '') return null;
  if (!is_json(answer.content_type)) return answer.body;
  try {
    return JSONParse(answer.body);
  } catch {
    return answer.body;
  }
}

function encoded(body) {
  if (body === undefined || typeof body === 'string' || is_bytes(body)) return body;
  const text = JSONStringify(body);
  if (text === undefined) throw new TypeError(`A ${typeof body} cannot be sent as JSON`);
  return text;
}

async function call(method, path, body) {
  const verb = StringToUpperCase(StringOf(method));
  const answer = await raw(verb, path, encoded(body));
  if (!answer.refused && MathFloor(answer.status / 100) === 2) return value_of(answer);
  const what = answer.refused ? `was refused (${answer.status}): ${answer.body}` : `answered ${answer.status}`;
  const error = new Error(`${verb} ${StringOf(path)} ${what}`);
  error.status = answer.status;
  error.body = answer.refused ? answer.body : value_of(answer);
  error.policy = answer.refused;
  throw error;
}

const client = {
  call,
  raw,
  get: (path) => call('GET', path),
  put: (path, body) => call('PUT', path, body),
  post: (path, body) => call('POST', path, body),
  patch: (path, body) => call('PATCH', path, body),
  del: (path, body) => call('DELETE', path, body),
};

// Called by the engine before the snippet of a run that was granted an API. The preamble is the
// operator's; it sees the client under its name, and what it declares stays its own.
export function grant(name, preamble) {
  define_global(name, client);
  if (preamble !== '') ReflectApply(FunctionOf(name, preamble), undefined, [client]);
}
