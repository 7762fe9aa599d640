// Loaded first into each Node process of the caller's. Node writes to a pipe without waiting: what the
// pipe does not take at once stays in memory, where process.exit() loses it and an endless loop
// piles it up. And other programs, which share the pipe, would see it refuse their writes.
'use strict';

const fs = require('node:fs');

for (const [fd, name] of [[1, 'stdout'], [2, 'stderr']]) {
  try {
    if (fs.fstatSync(fd).isFIFO()) process[name]._handle?.setBlocking?.(true);
  } catch {
    // Closed, which Node puts up with as well.
  }
}
