// A snippet: one file, one Node process. That process may be started ahead of the run.
import fs from 'node:fs';

import { done } from './frames.mjs';
import { Process } from './processes.mjs';
import { SNIPPET_MAIN, environment, node_flags } from './settings.mjs';

// Starts the process; it waits for its file.
export class WaitingSnippet {
  constructor({ work, scratch }, memory_bytes) {
    const flags = [...node_flags(memory_bytes), '--experimental-vm-modules'];
    this.process = new Process(process.execPath, [...flags, SNIPPET_MAIN], {
      cwd: work, env: environment(), folder: scratch, extra: ['pipe'],
    });
    this.orders = this.process.child.stdio[3];
    this.orders.on('error', () => {}); // it ended: its exit says so
    this.file = `${work}/snippet.js`;
    // It waits from here on; or it could not be started, which its exit says.
    this.ready = new Promise((resolve) => {
      this.orders.once('data', resolve);
      this.orders.once('close', resolve);
    });
  }

  async run({ code, ...limits }, grant, send) {
    fs.writeFileSync(this.file, code, { flag: 'wx', mode: 0o644 });
    this.orders.end(JSON.stringify({ file: this.file, grant }));
    send(done(await this.process.watch(limits, send)));
  }

  discard() {
    this.orders.destroy();
    this.process.kill();
    for (const { socket } of this.process.streams) socket.destroy();
  }
}
