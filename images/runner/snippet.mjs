// A snippet: one file, one Node process. That process may be started ahead of the run.
import fs from 'node:fs';

import { done } from './frames.mjs';
import { Process } from './processes.mjs';
import { SNIPPET_MAIN, environment, node_flags } from './settings.mjs';

export class WaitingSnippet {
  constructor(process_, work) {
    this.process = process_;
    this.file = `${work}/snippet.js`;
    this.orders = process_.child.stdio[3];
    this.orders.on('error', () => {}); // it ended: its exit says so
  }

  // Starts the process; it waits for its file.
  static async start({ work, scratch }, memory_bytes) {
    const flags = [...node_flags(memory_bytes), '--experimental-vm-modules'];
    return new WaitingSnippet(await Process.start(process.execPath, [...flags, SNIPPET_MAIN], {
      cwd: work, env: environment(), folder: scratch, extra: ['pipe'],
    }), work);
  }

  // Whether it has come up, once that is known.
  up() {
    return new Promise((resolve) => {
      this.orders.once('data', () => resolve(true));
      this.orders.once('close', () => resolve(false));
    });
  }

  async run({ code, ...limits }, grant, send) {
    fs.writeFileSync(this.file, code, { flag: 'wx', mode: 0o644 });
    this.orders.end(`${JSON.stringify({ file: this.file, grant })}\n`);
    send(done(await this.process.watch(limits, send)));
  }

  discard() {
    this.orders.destroy();
    this.process.kill();
    for (const { socket } of this.process.streams) socket.destroy();
  }
}
