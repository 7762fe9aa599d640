// Arrays of numbers, strings and objects; comparators written in JavaScript.
function workload() {
  let seed = 12345;
  const random = () => (seed = (seed * 1103515245 + 12345) % 2147483648);
  const numbers = Array.from({length: 60000}, random);
  numbers.sort((a, b) => a - b);
  const words = Array.from({length: 20000}, () => random().toString(36));
  words.sort();
  const rows = words.map((name, index) => ({name, index, score: random() % 1000}));
  rows.sort((a, b) => b.score - a.score || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  return `${numbers[30000]} ${words[10000]} ${rows[0].name} ${rows[19999].index}`;
}
