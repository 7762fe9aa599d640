// The built-in objects, as programs that turn data into other data use them.
let seed = 7;
const random = (below) => (seed = (seed * 48271) % 2147483647) % below;

const orders = Array.from({length: 1500}, (_, id) => ({
  id, region: ["north", "south", "east", "west"][random(4)], amount: random(100000) / 100,
  tags: Array.from({length: random(4)}, () => `tag${random(30)}`), paid: random(2) === 1,
  address: {street: `${random(200)} Long Street`, city: "Caf\u00e9ville \ud83d\ude00", zip: null},
}));
const byRegion = new Map();
for (const order of orders) {
  const group = byRegion.get(order.region) ?? {count: 0, amount: 0, tags: new Set()};
  group.count++;
  group.amount += order.amount;
  for (const tag of order.tags) group.tags.add(tag);
  byRegion.set(order.region, group);
}
const counted = {};
for (let i = 0; i < 40000; i++) counted[`key${i % 60}`] = (counted[`key${i % 60}`] || 0) + 1;
const report = orders.filter((order) => order.paid).map(({id, amount, tags}) => ({id, amount, n: tags.length}))
  .sort((a, b) => b.amount - a.amount || a.id - b.id);
const cities = orders.map((order) => order.address.street).sort();
const collated = orders.slice(0, 300).map((order) => order.region).sort((a, b) => a.localeCompare(b));
const shuffled = Array.from({length: 20000}, () => random(1e9)).sort((a, b) => a - b);
const median = shuffled[shuffled.length >> 1];
const flat = orders.flatMap((order) => order.tags).reduce((all, tag) => all + tag.length, 0);
let found = 0;
for (let i = 0; i < 200; i++) {
  found += orders.findIndex((order) => order.id === i * 7) + cities.indexOf(cities[i]);
  found += shuffled.slice(i, i + 50).concat([i]).reverse().join("").length;
}
let queue = [];
for (let i = 0; i < 20000; i++) {
  queue.push(i);
  if (i % 3 === 0) queue.shift();
}

let text = JSON.stringify(orders);
for (let i = 0; i < 4; i++) text = JSON.stringify(JSON.parse(text), null, i % 2 ? 2 : 0);
const revived = JSON.parse(text, (key, value) => (key === "zip" ? "none" : value));

const paragraph = orders.map((order) =>
  `${order.id}, "${order.region}", ${order.amount.toFixed(2)}, ${order.address.street}`).join("\n");
let words = 0;
for (const line of paragraph.split("\n")) {
  const fields = line.split(/,\s*/);
  words += fields.length + line.toUpperCase().trim().length + line.indexOf("Street") + parseInt(fields[0], 10);
  if (/^\d+, "(north|south)"/.test(line)) words++;
  const dated = line.match(/(\d+)\.(\d{2})/);
  if (dated) words += Number(dated[2]);
  for (const match of line.matchAll(/[A-Z][a-z]+/g)) words += match.index;
  words += line.replace(/(\w+) Street/g, (_, name) => `${name} Avenue`).replaceAll('"', "'").length;
  words += line.slice(3, 9).padEnd(12, ".").length + (line.includes("east") ? 1 : 0);
}
let built = "";
for (let i = 0; i < 30000; i++) built += String.fromCharCode(97 + (i % 26));
let vowels = 0;
for (let i = 0; i < built.length; i++) if ("aeiou".includes(built[i]) || built.charCodeAt(i) === 120) vowels++;
for (const letter of built.slice(0, 20000)) if (letter === "z") vowels++;

const samples = new Float64Array(40000);
for (let round = 0; round < 4; round++) {
  for (let i = 0; i < samples.length; i++) samples[i] = samples[i] * 0.5 + Math.sin(i) * Math.floor(i / 3);
}
const bytes = new Uint8Array(40000);
for (let round = 0; round < 4; round++) for (let i = 0; i < bytes.length; i++) bytes[i] = bytes[i] + i * round;
const encoded = btoa(String.fromCharCode(...bytes.slice(0, 3000)));
const day = new Date(Date.UTC(2026, 10, 29));
let days = "";
for (let i = 0; i < 300; i++) days = new Date(day.getTime() + i * 864e5).toISOString();
console.log(byRegion, Object.keys(counted).length, report.slice(0, 5), median, flat, found, collated[0]);
console.log(revived.length, words, vowels, samples[10], bytes[9], encoded.length, days, queue.length);
for (let i = 0; i < 200; i++) console.log(`line ${i}`, i * 1.5, [i, i + 1], {i});
