// What 6*7 costs in a place that nothing has run in before, with other engines.
//   node latency.mjs            JSON on stdout
import {spawn, spawnSync} from "node:child_process";
import {createRequire} from "node:module";
import {Agent, request} from "node:http";
import {createInterface} from "node:readline";
import {dirname, join} from "node:path";
import {fileURLToPath} from "node:url";
import {getQuickJS} from "quickjs-emscripten";
import {summary} from "./statistics.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const require = createRequire(import.meta.url);
const binary = (name, file) => join(dirname(require.resolve(`${name}/package.json`)), file);
const DENO = binary("@deno/linux-x64-glibc", "deno");
const WORKERD = binary("@cloudflare/workerd-linux-64", "bin/workerd");

function times(count, once) {
  const taken = [];
  for (let i = 0; i < count; i++) {
    const begin = process.hrtime.bigint();
    once(i);
    taken.push(Number(process.hrtime.bigint() - begin) / 1e3);
  }
  return taken;
}

async function quickjsEmscripten() {
  const engine = await getQuickJS();
  const once = () => {
    const context = engine.newContext(); // a runtime of its own, too
    const value = context.unwrapResult(context.evalCode("6*7"));
    if (context.dump(value) !== 42) throw new Error("not 42");
    value.dispose();
    context.dispose();
  };
  times(300, once);
  return summary(times(2000, once));
}

function wholeProcess(command, args) {
  const once = () => {
    const {status, stdout, stderr} = spawnSync(command, args, {encoding: "utf8"});
    if (status !== 0 || stdout !== "42\n") throw new Error(`${command}: ${stderr}`);
  };
  times(3, once);
  return summary(times(30, once));
}

function startWorkerd() {
  const args = ["serve", "--experimental", "--socket-addr=http=127.0.0.1:0", "--control-fd=3",
    join(here, "workerd.capnp")];
  const child = spawn(WORKERD, args, {stdio: ["ignore", "ignore", "pipe", "pipe"]});
  let complaint = "";
  child.stderr.on("data", (chunk) => (complaint += chunk));
  return new Promise((resolve, reject) => {
    child.on("exit", (code) => reject(new Error(`workerd ended with ${code}: ${complaint}`)));
    createInterface({input: child.stdio[3]}).on("line", (line) => {
      const event = JSON.parse(line);
      if (event.event === "listen") resolve({child, port: event.port});
    });
  });
}

function ask(agent, port, path) {
  return new Promise((resolve, reject) => {
    const call = request({agent, port, host: "127.0.0.1", path}, (answer) => {
      let text = "";
      answer.setEncoding("utf8");
      answer.on("data", (chunk) => (text += chunk));
      answer.on("end", () => (answer.statusCode === 200 && text === "42"
        ? resolve() : reject(new Error(`workerd: ${answer.statusCode} ${text}`))));
    });
    call.on("error", reject);
    call.end();
  });
}

// The clock inside of a worker stands still while it computes, so the client's must do: over one
// connection that is kept, next to the same request answered without a new worker.
async function workerd() {
  const {child, port} = await startWorkerd();
  const agent = new Agent({keepAlive: true, maxSockets: 1});
  const timed = async (count, path) => {
    const taken = [];
    for (let i = 0; i < count; i++) {
      const begin = process.hrtime.bigint();
      await ask(agent, port, path);
      taken.push(Number(process.hrtime.bigint() - begin) / 1e3);
    }
    return taken;
  };
  try {
    await timed(200, "/plain");
    await timed(20, "/load");
    return {plain: summary(await timed(1000, "/plain")), load: summary(await timed(300, "/load"))};
  } finally {
    child.removeAllListeners("exit");
    child.kill();
    agent.destroy();
  }
}

async function tried(measure) {
  try {
    return await measure();
  } catch (error) {
    return {error: String(error.message ?? error).slice(0, 300)};
  }
}

const workers = await tried(workerd);
process.stdout.write(JSON.stringify({
  node: process.version,
  rows: [
    ["quickjs-emscripten 0.32, new runtime and context", await tried(quickjsEmscripten)],
    ["workerd, worker loader, a request that loads a new worker", workers.load ?? workers],
    ["workerd, the same request without loading", workers.plain ?? workers],
    ["deno run, whole process",
      await tried(() => wholeProcess(DENO, ["run", join(here, "42.js")]))],
    [`node ${process.version} -e, whole process`,
      await tried(() => wholeProcess(process.execPath, ["-e", "console.log(6*7)"]))],
  ].map(([name, result]) => ({name, ...result})),
}, null, 2) + "\n");
