// A log file: lines are tested, taken apart, searched for all matches, and rewritten.
function workload() {
  const methods = ["GET", "POST", "PUT", "DELETE"];
  const two = (number) => String(number).padStart(2, "0");
  const lines = Array.from({length: 4000}, (_, i) =>
    `10.0.${i % 256}.${(i * 7) % 256} - user${i % 50} [2026-11-${two(1 + (i % 28))}` +
    `T12:${two(i % 60)}:00Z] "${methods[i % 4]} /api/v1/items/${i}?page=${i % 9}` +
    `&size=20&token=abc${i}" ${i % 11 ? 200 : 500} ${i * 13} user${i}@mail.example`);
  const entry =
    /^(\d+\.\d+\.\d+\.\d+) - (\w+) \[([^\]]+)\] "(GET|POST|PUT|DELETE) ([^ "]+)" (\d{3}) (\d+)/;
  const failed = /" 5\d\d /;
  const parameter = /[?&](?<key>[a-z]+)=(?<value>[^&" ]*)/g;
  let bytes = 0;
  let failures = 0;
  let parameters = 0;
  const clean = [];
  for (const line of lines) {
    if (failed.test(line)) failures++;
    const match = entry.exec(line);
    if (match) bytes += Number(match[7]);
    for (const {groups} of line.matchAll(parameter)) parameters += groups.value.length;
    clean.push(line.replace(/token=\w+/, "token=***").replace(/[\w.]+@[\w.]+/g, "<address>"));
  }
  const words = clean.join("\n").split(/\W+/).length;
  return `${bytes} ${failures} ${parameters} ${clean[3999].length} ${words}`;
}
