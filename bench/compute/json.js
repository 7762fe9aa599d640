// A response of an interface: parsed, changed, written, ten times.
function workload() {
  const orders = Array.from({length: 2000}, (_, id) => ({
    id,
    customer: {name: `Customer ${id % 97}`, email: `c${id % 97}@mail.example`, vip: id % 7 === 0},
    lines: Array.from({length: 3}, (_, line) => ({
      sku: `SKU-${(id * 31 + line) % 500}`,
      quantity: 1 + ((id + line) % 5),
      price: ((id * 17 + line) % 10000) / 100,
    })),
    note: id % 3 ? null : `first line\n"quoted" \u00fc ${id}`,
  }));
  let text = JSON.stringify(orders);
  let sum = 0;
  for (let round = 0; round < 10; round++) {
    const copy = JSON.parse(text);
    for (const order of copy) {
      order.total = order.lines.reduce((all, line) => all + line.quantity * line.price, 0);
      sum += order.total;
    }
    text = JSON.stringify(copy);
  }
  return `${text.length} ${Math.round(sum)}`;
}
