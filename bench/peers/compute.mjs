// The same programs on ours, on quickjs-emscripten and on Node itself, in alternating runs.
//   node compute.mjs COMPUTE_SERVER ROUNDS            JSON on stdout
//
// Each program is the text of bench/compute/NAME.js, which defines workload(), with one and the
// same function behind it, which takes the time inside of the run by Date.now().
import {spawn} from "node:child_process";
import {readFileSync, readdirSync} from "node:fs";
import {dirname, join} from "node:path";
import {createInterface} from "node:readline";
import {fileURLToPath} from "node:url";
import vm from "node:vm";
import {getQuickJS} from "quickjs-emscripten";
import {median} from "./statistics.mjs";

const [server, rounds] = [process.argv[2], Number(process.argv[3] ?? 9)];
const folder = join(dirname(fileURLToPath(import.meta.url)), "..", "compute");
const MEASURE = `
function measured() {
  const begin = Date.now();
  const result = String(workload());
  return JSON.stringify({ms: Date.now() - begin, result});
}
`;

function ours() {
  const child = spawn(server, [], {stdio: ["pipe", "pipe", "inherit"]});
  const lines = createInterface({input: child.stdout})[Symbol.asyncIterator]();
  return {
    async run(text) {
      const program = Buffer.from(`${text}console.log(measured())`);
      child.stdin.write(`${program.length}\n`);
      child.stdin.write(program);
      const {value, done} = await lines.next();
      if (done) throw new Error("compute_server ended");
      return JSON.parse(value);
    },
    close: () => child.stdin.end(),
  };
}

async function emscripten() {
  const engine = await getQuickJS();
  return (text) => {
    const context = engine.newContext();
    const value = context.unwrapResult(context.evalCode(`${text}measured()`));
    const answer = JSON.parse(context.getString(value));
    value.dispose();
    context.dispose();
    return answer;
  };
}

const mine = ours();
const peer = await emscripten();
// In its own context: the globals of another one are slow to look up.
const node = (text) => JSON.parse(vm.runInThisContext(`${text}measured()`));
const snippets = [];
for (const file of readdirSync(folder).filter((name) => name.endsWith(".js")).sort()) {
  const text = readFileSync(join(folder, file), "utf8") + MEASURE;
  const taken = {ours: [], emscripten: [], node: []};
  const results = new Set();
  for (let round = -1; round < rounds; round++) { // the first one warms up and does not count
    const runs = [["ours", () => mine.run(text)], ["emscripten", () => peer(text)]];
    if (round % 2) runs.reverse();
    for (const [name, run] of [...runs, ["node", () => node(text)]]) {
      const {ms, result} = await run();
      results.add(result);
      if (round >= 0) taken[name].push(ms);
    }
  }
  if (results.size !== 1) throw new Error(`${file}: the engines disagree: ${[...results]}`);
  const ratios = taken.ours.map((ms, i) => ms / taken.emscripten[i]);
  snippets.push({
    name: file.replace(".js", ""),
    rounds,
    ours_ms: median(taken.ours),
    emscripten_ms: median(taken.emscripten),
    node_jit_ms: median(taken.node),
    ratio: Math.round(median(ratios) * 1000) / 1000,
    ratios: ratios.map((ratio) => Math.round(ratio * 1000) / 1000),
  });
}
mine.close();
process.stdout.write(JSON.stringify({node: process.version, snippets}, null, 2) + "\n");
process.exit(0);
