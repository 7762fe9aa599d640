// The client of the API that a run was granted, loaded into each Node process of the caller's before
// its own code. Convenience, not a boundary: what it sends, the host judges. The same client as the
// other providers have (src/guest/prelude/api_client.js); docs/guest-dependencies.md says how it gets
// here.
'use strict';

const fs = require('node:fs');
const net = require('node:net');

const CALL = 21;
const REPLY = 3;
const MOST_IN_FLIGHT = 16; // further calls wait here, in order
const MAX_REPLY = 16 + 256 + (4 << 20);

let path;
let socket = null;
let next_id = 1;
const open = new Map(); // calls that were sent, by number
const waiting = [];

function is_bytes(value) {
  return value instanceof Uint8Array;
}

// { status, refused, content_type, body }; the layout of src/guest/frame.h.
function decoded(payload) {
  const type = payload.readUInt32LE(8);
  return {
    status: payload.readUInt16LE(4),
    content_type: payload.toString('utf8', 16, 16 + type),
    body: payload.toString('utf8', 16 + type),
    refused: payload[6] === 1,
  };
}

function fail_all() {
  socket = null;
  const lost = [...open.values(), ...waiting.splice(0)];
  open.clear();
  for (const { reject } of lost) reject(new Error('The host does not answer calls any more'));
}

function connection() {
  if (socket !== null) return socket;
  let unread = Buffer.alloc(0);
  const mine = net.connect(path);
  socket = mine;
  mine.on('error', () => {});
  mine.on('close', () => { if (socket === mine) fail_all(); });
  mine.on('data', (bytes) => {
    unread = Buffer.concat([unread, bytes]);
    while (unread.length >= 8) {
      const size = unread.readUInt32LE(0);
      if (unread[4] !== REPLY || size < 16 || size > MAX_REPLY) {
        mine.destroy();
        return;
      }
      if (unread.length < 8 + size) return;
      const payload = unread.subarray(8, 8 + size);
      unread = unread.subarray(8 + size);
      const call = open.get(payload.readUInt32LE(0));
      open.delete(payload.readUInt32LE(0));
      call?.resolve(decoded(payload));
      send_waiting();
    }
  });
  return mine;
}

function send(call) {
  const id = next_id++;
  const method = Buffer.from(call.method);
  const target = Buffer.from(call.target);
  const body = call.body === undefined ? Buffer.alloc(0) : Buffer.from(call.body);
  const head = Buffer.alloc(20);
  head.writeUInt32LE(12 + method.length + target.length + body.length, 0);
  head[4] = CALL;
  head.writeUInt32LE(id, 8);
  head[12] = method.length;
  head[13] = call.body === undefined ? 0 : 1;
  head.writeUInt32LE(target.length, 16);
  open.set(id, call);
  connection().write(Buffer.concat([head, method, target, body]));
}

// A process with nothing else to do ends, unless it waits for an answer.
function send_waiting() {
  while (open.size < MOST_IN_FLIGHT && waiting.length > 0) send(waiting.shift());
  if (socket !== null) socket[open.size > 0 ? 'ref' : 'unref']();
}

// What the host takes at most, and one byte: what is longer is cut to it, to be seen and refused.
function bounded(bytes, most) {
  return bytes.length > most + 1 ? bytes.subarray(0, most + 1) : bytes;
}

// What the API answered, as it is: { status, content_type, body, refused }. `target` goes to the host
// untouched. `body` is a string or bytes; undefined for none.
function raw(method, target, body) {
  return new Promise((resolve, reject) => {
    const sent = body === undefined || is_bytes(body) ? body : String(body);
    waiting.push({
      method: bounded(Buffer.from(String(method)), 16),
      target: bounded(Buffer.from(String(target)), 64 << 10),
      body: sent === undefined ? undefined : bounded(Buffer.from(sent), 1 << 20),
      resolve,
      reject,
    });
    send_waiting();
  });
}

function value_of(answer) {
  if (answer.body === '') return null;
  const type = answer.content_type.toLowerCase();
  if (!type.includes('application/json') && !type.includes('+json')) return answer.body;
  try {
    return JSON.parse(answer.body);
  } catch {
    return answer.body;
  }
}

function encoded(body) {
  if (body === undefined || typeof body === 'string' || is_bytes(body)) return body;
  const text = JSON.stringify(body);
  if (text === undefined) throw new TypeError(`A ${typeof body} cannot be sent as JSON`);
  return text;
}

async function call(method, target, body) {
  const verb = String(method).toUpperCase();
  const answer = await raw(verb, target, encoded(body));
  if (!answer.refused && Math.floor(answer.status / 100) === 2) return value_of(answer);
  const what = answer.refused
    ? `was refused (${answer.status}): ${answer.body}` : `answered ${answer.status}`;
  const error = new Error(`${verb} ${String(target)} ${what}`);
  error.status = answer.status;
  error.body = answer.refused ? answer.body : value_of(answer);
  error.policy = answer.refused;
  throw error;
}

const client = {
  call,
  raw,
  get: (target) => call('GET', target),
  put: (target, body) => call('PUT', target, body),
  post: (target, body) => call('POST', target, body),
  patch: (target, body) => call('PATCH', target, body),
  del: (target, body) => call('DELETE', target, body),
};

// The preamble is the operator's; it sees the client under its name, and what it declares stays its
// own.
function grant(file) {
  const { socket: name, global: global_name, preamble } = JSON.parse(fs.readFileSync(file, 'utf8'));
  path = name;
  Object.defineProperty(globalThis, global_name, {
    value: client, writable: true, enumerable: false, configurable: true,
  });
  if (preamble !== '') new Function(global_name, preamble)(client);
}

if (process.env.PLIMSOLL_GRANT) grant(process.env.PLIMSOLL_GRANT);
