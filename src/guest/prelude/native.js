// The engine's functions, captured once and taken off the global object, so that no guest code can
// reach them: they live only in this module's closure.
const given = globalThis.__plimsoll;
delete globalThis.__plimsoll;

const NEEDED = ['write', 'exit', 'random', 'now', 'wall', 'want', 'proxy', 'promise', 'kind',
  'host_call',
];
for (const name of NEEDED) {
  // A missing function must fail the build of the snapshot, not a guest's run.
  if (typeof given?.[name] !== 'function') throw new Error(`the engine does not provide ${name}`);
}

export const { write, exit, random, now, wall, want, proxy, promise, kind, host_call } = given;
