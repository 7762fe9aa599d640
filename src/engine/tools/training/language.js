// What programs spend their time with: calls, properties, closures, classes, loops, exceptions.
// Not the text of any benchmark.
class Vector {
  constructor(x, y) {
    this.x = x;
    this.y = y;
  }
  add(other) {
    return new Vector(this.x + other.x, this.y + other.y);
  }
  get length() {
    return Math.hypot(this.x, this.y);
  }
}
class Named extends Vector {
  #name;
  constructor(name, x, y) {
    super(x, y);
    this.#name = name;
  }
  get name() {
    return this.#name;
  }
}
let total = new Vector(0, 0);
for (let i = 0; i < 40000; i++) total = total.add(new Named(`n${i % 9}`, i % 7, i % 3));

const count = (n) => (n === 0 ? 0 : 1 + count(n - 1));
let calls = 0;
for (let i = 0; i < 400; i++) calls += count(150);
const adders = Array.from({length: 50}, (_, step) => (value) => value + step);
for (let i = 0; i < 60000; i++) calls = adders[i % 50](calls) % 100003;
const ackermann = (m, n) =>
  m === 0 ? n + 1 : n === 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
ackermann(2, 60);

function* naturals(end) {
  for (let i = 0; i < end; i++) yield i;
}
let sum = 0;
for (const value of naturals(40000)) sum += value;
for (const [key, value] of Object.entries({a: 1, b: 2, c: 3})) sum += key.length * value;
for (const key in {a: 1, b: 2, c: 3}) sum += key.length;

const grid = Array.from({length: 80}, () => new Array(80).fill(0));
for (let round = 0; round < 6; round++) {
  for (let y = 1; y < 79; y++) {
    for (let x = 1; x < 79; x++) {
      grid[y][x] = (grid[y - 1][x] + grid[y + 1][x] + grid[y][x - 1] + grid[y][x + 1] + 1) / 4;
    }
  }
}
let hash = 0;
for (let i = 0; i < 500000; i++) {
  hash = (hash * 31 + i) % 1000003;
  if (hash & 1) hash ^= 5;
  else hash = (hash >>> 1) + (hash << 2);
}
const primes = [];
search: for (let i = 2; i < 6000; i++) {
  for (const prime of primes) {
    if (prime * prime > i) break;
    if (i % prime === 0) continue search;
  }
  primes.push(i);
}
let state = "start";
for (let i = 0; i < 60000; i++) {
  switch (state) {
    case "start": state = i % 3 ? "middle" : "end"; break;
    case "middle": state = "end"; break;
    default: state = "start";
  }
}
for (let i = 0; i < 3000; i++) {
  try {
    if (i % 2) throw new RangeError(`value ${i}`);
    null.property;
  } catch (error) {
    sum += error.message.length;
  } finally {
    sum++;
  }
}
const merged = [];
for (let i = 0; i < 6000; i++) {
  const {a = 1, ...rest} = {a: i % 2 ? i : undefined, b: 2, c: [i, i + 1]};
  const [first, ...others] = rest.c;
  merged.push({...rest, a, first, others, missing: rest.none?.deeper ?? "default"});
}
let big = 1n;
for (let i = 1n; i < 250n; i++) big = (big * i) % (2n ** 512n) + i;
const proxy = new Proxy({}, {get: (_, key) => String(key).length});
for (let i = 0; i < 3000; i++) sum += proxy.something;
(async () => {
  let late = 0;
  for (let i = 0; i < 4000; i++) late += await i;
  await Promise.all(merged.slice(0, 500).map(async ({a}) => a));
  console.log(late, total.length, calls, sum, hash, primes.length, state, big);
})();
