// The engine's side of the native interface, in JavaScript: what src/engine does in C++, so that
// the prelude can be tested with node alone.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { randomFillSync } from 'node:crypto';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
export const modules = process.env.PLIMSOLL_NODE_MODULES ??
  resolve(here, '../../../../deps/npm/node_modules');
const require = createRequire(join(modules, 'x.js'));
const { QuickJS, JSException } = await import(pathToFileURL(require.resolve('quickjs-wasi')));

const ASYNC = 128;
const STRIP_SOURCE = 16;
const MODULE = 1;
const wasm = new WebAssembly.Module(readFileSync(require.resolve('quickjs-wasi/quickjs.wasm')));
const SCRIPT = '[snippet]';

class Exit extends Error {}

export class Engine {
  // Evaluates the bundle and takes the snapshot that every run starts from.
  static async boot(bundle_path) {
    const engine = new Engine();
    engine.reset();
    const vm = await QuickJS.create(engine.options());
    engine.vm = vm;
    engine.install_natives();
    // Compiled elsewhere, without the functions' source texts: both would double the snapshot.
    const compiler = await QuickJS.create(engine.options());
    const code = compiler.compile(readFileSync(bundle_path, 'utf8'), 'plimsoll:prelude', 0,
      STRIP_SOURCE);
    compiler.dispose();
    const started = performance.now();
    const internals = vm.evalBytecode(code);
    engine.prelude_ms = performance.now() - started;
    vm.runGC();
    engine.token = vm.exportHandle(internals);
    engine.snapshot = vm.snapshot();
    vm.dispose();
    return engine;
  }

  reset() {
    this.output = [undefined, [], []];
    this.bits = 0;
    this.exited = false;
    this.rejections = new Map();
    this.started = performance.now();
  }

  async run(source, deadline_ms = 10_000) {
    this.reset();
    this.deadline = performance.now() + deadline_ms;
    this.vm = await QuickJS.restore(this.snapshot, this.options());
    for (const [name, fn] of Object.entries(this.natives())) {
      this.vm.registerHostCallback(`plimsoll_${name}`, fn);
    }
    this.internals = this.vm.importHandle(this.token);
    this.started = performance.now();
    let exit_code;
    try {
      exit_code = await this.script(source);
    } catch (error) {
      if (!this.exited) throw error;
      exit_code = this.exited_with;
    }
    if (this.exited) exit_code = this.exited_with;
    return {
      stdout: Buffer.concat(this.output[1]).toString(),
      stderr: Buffer.concat(this.output[2]).toString(),
      exit_code,
    };
  }

  stdout_bytes() { return Buffer.concat(this.output[1]); }

  // ---- the run ----

  async script(source) {
    this.source = source;
    const result = this.start(source);
    if (result === undefined) return this.fatal_code;
    this.vm.markPromiseHandled(result);
    let reported = false;
    for (let wait = 0; wait >= 0;) {
      if (!reported && result.promiseState === 2) {
        reported = true;
        const exports = this.vm._getExports();
        const reason = new result.constructor(this.vm, exports.qjs_promise_result(result.ptr));
        if (!this.uncaught(reason)) return this.fatal_code;
      }
      if (!this.drain()) return this.fatal_code;
      if (result.promiseState === 2 && !reported) continue;
      if (wait > 0) await new Promise((done) => setTimeout(done, wait));
      wait = -1;
      if (this.bits & 2) {
        const next = this.attempt(() => this.call('turn').toNumber());
        wait = next ?? 0;
        if (this.fatal_code !== undefined) return this.fatal_code;
      }
      if (!this.drain()) return this.fatal_code;
      if (this.bits & 2 && wait < 0) wait = Math.max(-1, this.call('turn').toNumber());
      if (wait < 0 && this.bits & 4 && !this.pending(result)) {
        const code = this.attempt(() => this.call('exit_code').toNumber());
        if (this.fatal_code !== undefined) return this.fatal_code;
        if (code !== -1) return code;
        wait = 0;
      }
    }
    return this.pending(result) ? 13 : 0;
  }

  pending(result) { return result.promiseState === 0; }

  // The promise of the script, or undefined when the run is over (this.fatal_code is set).
  start(source) {
    this.fatal_code = undefined;
    try {
      return this.vm.evalCode(source, SCRIPT, ASYNC);
    } catch (error) {
      if (this.exited) throw error;
      if (/^\s*(import|export)\b/m.test(source)) {
        try { return this.vm.evalCode(source, SCRIPT, MODULE); } catch (e) { error = e; }
      }
      try {
        const stripped = this.call('strip_types', this.vm.newString(source)).toString();
        return this.vm.evalCode(stripped, SCRIPT, ASYNC);
      } catch {
        this.uncaught(error.handle);
        return undefined;
      }
    }
  }

  call(name, ...args) {
    const fn = this.internals.getProp(name);
    return this.vm.callFunction(fn, this.vm.undefined, ...args);
  }

  // Runs guest code; an error goes to the guest's listener or ends the run.
  attempt(work) {
    try {
      return work();
    } catch (error) {
      if (this.exited || !(error instanceof JSException)) throw error;
      this.uncaught(error.handle);
      return undefined;
    }
  }

  uncaught(error, kind = 'exception') {
    if (this.exited) throw new Exit('exit');
    if (kind === 'exception') {
      try {
        if (this.vm.dump(this.call('uncaught', error))) return true;
      } catch (thrown) {
        if (this.exited) throw thrown;
        error = thrown.handle;
        this.fatal_code = 7;
      }
    }
    const text = this.call('fatal', error, this.vm.newString(kind), this.vm.newString(this.source),
      this.vm.newString(SCRIPT));
    this.output[2].push(Buffer.from(this.text_bytes(text)));
    this.fatal_code ??= 1;
    if (this.bits & 4) {
      this.fatal_code = this.call('exit_code', this.vm.newNumber(this.fatal_code)).toNumber();
    }
    return false;
  }

  rejection(promise, reason, handled) {
    const id = promise.identity;
    if (handled) this.rejections.delete(id);
    else this.rejections.set(id, [promise.dup(), reason.dup()]);
  }

  // nextTicks, then microtasks, until neither is left; then what stayed rejected. False: fatal.
  drain() {
    for (;;) {
      let ran = false;
      if (this.bits & 1) {
        ran = this.attempt(() => this.vm.dump(this.call('ticks'))) ?? true;
        if (this.fatal_code !== undefined) return false;
      }
      // A job that throws (queueMicrotask's) is an uncaught error; the rest stays queued.
      if (this.attempt(() => this.vm.executePendingJobs()) !== 0) ran = true;
      if (this.fatal_code !== undefined) return false;
      if (this.exited) throw new Exit(0);
      if (ran) continue;
      if (this.rejections.size === 0) return true;
      const [[id, [promise, reason]]] = this.rejections;
      this.rejections.delete(id);
      const taken = this.attempt(() => this.vm.dump(this.call('unhandled', reason, promise)));
      if (this.fatal_code !== undefined) return false;
      if (taken === false && !this.uncaught(reason, 'rejection')) return false;
    }
  }

  import_error(specifier) {
    return new JSException(this.call('import_error', this.vm.newString(specifier)));
  }

  options() {
    return {
      wasm,
      timezoneOffset: 0,
      maxStackSize: 256 * 1024,
      interruptHandler: () => this.exited || performance.now() > this.deadline,
      onUnhandledRejection: (promise, reason, handled) => this.rejection(promise, reason, handled),
      moduleLoader: {
        normalize: (base, specifier) => specifier,
        load: (specifier) => { throw this.import_error(specifier); },
      },
    };
  }

  install_natives() {
    const { vm } = this;
    const natives = vm.newObject();
    for (const [name, fn] of Object.entries(this.natives())) {
      vm.setProp(natives, name, vm.newFunction(`plimsoll_${name}`, fn));
    }
    vm.setProp(vm.global, '__plimsoll', natives);
  }

  natives() {
    const self = this;
    return {
      write(fd, data) {
        if (self.exited) return self.vm.undefined;
        const bytes = data.isString ? self.text_bytes(data) : data.toUint8Array();
        self.output[fd.toNumber()].push(Buffer.from(bytes));
        return self.vm.undefined;
      },
      // The engine's exit never returns. Here the guest is interrupted as soon as it can be, and
      // what it prints until then is dropped.
      exit(code) {
        if (!self.exited) self.exited_with = code.toNumber() & 255;
        self.exited = true;
        throw new Exit('exit');
      },
      random(n) {
        return self.vm.newUint8Array(randomFillSync(new Uint8Array(n.toNumber())));
      },
      now() { return self.vm.newNumber(performance.now() - self.started); },
      wall() { return self.vm.newNumber(Date.now()); },
      want(bits) {
        self.bits |= bits.toNumber();
        return self.vm.undefined;
      },
      proxy(value) {
        if (!value.isProxy) return self.vm.undefined;
        const pair = self.vm.newArray();
        let parts = [self.vm.null, self.vm.null]; // a revoked proxy has neither
        try {
          parts = [value.getProxyTarget(), value.getProxyHandler()];
        } catch (error) {
          if (!(error instanceof JSException)) throw error;
        }
        parts.forEach((part, i) => self.vm.setProp(pair, String(i), part));
        return pair;
      },
      promise(value) {
        const state = value.promiseState;
        const pair = self.vm.newArray();
        self.vm.setProp(pair, '0', self.vm.newNumber(state));
        const exports = self.vm._getExports();
        const result = exports.qjs_promise_result(value.ptr);
        self.vm.setProp(pair, '1', new value.constructor(self.vm, result));
        return pair;
      },
      kind(value) { return self.vm.newString(value.isProxy ? 'Proxy' : value.className ?? ''); },
    };
  }

  // UTF-8 as the engine has it: a lone surrogate is three bytes.
  text_bytes(handle) {
    const exports = this.vm._getExports();
    const length_at = exports.wasm_malloc(4);
    const text = exports.qjs_get_string_len(handle.ptr, length_at);
    const memory = exports.memory.buffer;
    const length = new DataView(memory).getUint32(length_at, true);
    const bytes = new Uint8Array(memory.slice(text, text + length));
    exports.qjs_free_cstring(text);
    exports.wasm_free(length_at);
    return bytes;
  }
}
