// Takes the calls of the caller's processes and passes them on to the host, and its answers back.
// Each Node process of theirs connects to a socket of the container's own; no socket of the host's
// is in here. The host takes a bounded number of calls at once and judges each; what is bounded here
// is memory only.
import crypto from 'node:crypto';
import fs from 'node:fs';
import net from 'node:net';

import { FrameReader, Kind, MAX_CALL, ProtocolError, frame } from './frames.mjs';

const MOST_IN_FLIGHT = 16; // of the whole run; the host answers no more at once
const MOST_CONNECTIONS = 64;
const MOST_UNREAD = 4 << 20; // bytes of answers that a process may leave before it is not served
const FROM_PROCESS = new Map([[Kind.hostCall, MAX_CALL]]);

export class HostCalls {
  #send;
  #server = null;
  #open = new Map(); // number to the host -> { socket, id }
  #waiting = []; // { socket, payload }, at most one of each connection, which is paused meanwhile
  #next = 1;

  // `send` takes frames for the host.
  constructor(send) {
    this.#send = send;
  }

  // Opens the socket and writes what the processes need to know into `path`.
  async serve({ global, preamble }, path) {
    const socket = `\0plimsoll-${crypto.randomBytes(16).toString('hex')}`;
    this.#server = net.createServer((connection) => this.#accept(connection));
    this.#server.maxConnections = MOST_CONNECTIONS;
    await new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(socket, resolve);
    });
    fs.writeFileSync(path, JSON.stringify({ socket, global, preamble }), { flag: 'wx', mode: 0o600 });
  }

  #accept(socket) {
    const reader = new FrameReader(FROM_PROCESS);
    socket.on('error', () => {});
    socket.on('data', (bytes) => {
      reader.push(bytes);
      this.#take(socket, reader);
    });
    socket.resume_calls = () => this.#take(socket, reader);
  }

  // Passes on what is whole; stops reading while the host has enough to do.
  #take(socket, reader) {
    try {
      for (let next = reader.next(); next !== null; next = reader.next()) {
        if (next.payload.length < 12) throw new ProtocolError('a call without its head');
        if (this.#open.size < MOST_IN_FLIGHT && socket.writableLength < MOST_UNREAD) {
          this.#pass_on(socket, next.payload);
          continue;
        }
        this.#waiting.push({ socket, payload: next.payload });
        socket.pause();
        if (socket.writableLength >= MOST_UNREAD) socket.once('drain', () => this.#pass_on_waiting());
        return;
      }
      socket.resume();
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      socket.destroy();
    }
  }

  #pass_on(socket, payload) {
    const number = this.#next++;
    this.#open.set(number, { socket, id: payload.readUInt32LE(0) });
    const numbered = Buffer.from(payload);
    numbered.writeUInt32LE(number, 0);
    this.#send(frame(Kind.hostCall, numbered));
  }

  #pass_on_waiting() {
    this.#waiting = this.#waiting.filter(({ socket }) => !socket.destroyed);
    while (this.#open.size < MOST_IN_FLIGHT) {
      const at = this.#waiting.findIndex(({ socket }) => socket.writableLength < MOST_UNREAD);
      if (at < 0) return;
      const [{ socket, payload }] = this.#waiting.splice(at, 1);
      this.#pass_on(socket, payload);
      socket.resume_calls();
    }
  }

  // An answer of the host's. Throws on one that nobody asked for.
  reply(payload) {
    if (payload.length < 16) throw new ProtocolError('an answer without its head');
    const number = payload.readUInt32LE(0);
    const call = this.#open.get(number);
    if (call === undefined) throw new ProtocolError('an answer that nobody asked for');
    this.#open.delete(number);
    if (!call.socket.destroyed) {
      const numbered = Buffer.from(payload);
      numbered.writeUInt32LE(call.id, 0);
      call.socket.write(frame(Kind.hostReply, numbered));
    }
    this.#pass_on_waiting();
  }
}

