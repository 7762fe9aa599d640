#include "providers/docker/smoke_probe.h"

#include <fmt/format.h>

namespace plimsoll::docker {

namespace {

// What is expected, as the probe's first lines.
constexpr std::string_view kExpectations = R"js(
const MIB = 1 << 20;
const shares = {{ '/work': {} * MIB, '/tmp': {} * MIB, '/dev/shm': {} * MIB }};
const memory = {} * MIB;
const pids = {};
const uid = {};
)js";

constexpr std::string_view kProbe = R"js(
const fs = process.getBuiltinModule('node:fs');
const net = process.getBuiltinModule('node:net');
const { spawnSync } = process.getBuiltinModule('node:child_process');
const amiss = [];
const expect = (holds, what) => { if (!holds) amiss.push(what); };
const code_of = (act) => {
  try { act(); return 'success'; } catch (e) { return e.code ?? String(e); }
};
const unescaped = (path) =>
  path.replace(/\\([0-7]{3})/g, (_, octal) => String.fromCharCode(parseInt(octal, 8)));

// Every mount point, and what else could be writable.
const mounts = fs.readFileSync('/proc/self/mounts', 'utf8').trim().split('\n')
  .map((line) => unescaped(line.split(' ')[1]));
const others = ['/', '/etc', '/usr', '/dev', '/proc', '/proc/sys', '/sys', '/run', '/root', '/home',
  '/opt'];
for (const point of new Set([...mounts, ...others])) {
  let kind;
  try { kind = fs.statSync(point); } catch { continue; }
  if (point in shares) continue;
  const at = kind.isDirectory() ? `${point}/plimsoll-probe` : point;
  if (!kind.isDirectory() && !kind.isFile()) continue;
  const got = code_of(() => fs.closeSync(fs.openSync(at, kind.isDirectory() ? 'wx' : 'r+')));
  expect(got !== 'success', `${point} can be written to`);
}

for (const [folder, share] of Object.entries(shares)) {
  const probe = `${folder}/plimsoll-probe`;
  const wrote = code_of(() => fs.writeFileSync(probe, '#!/bin/sh\nexit 0\n', { mode: 0o755 }));
  expect(wrote === 'success', `${folder} cannot be written to: ${wrote}`);
  const ran = spawnSync(probe).error?.code ?? 'success';
  expect(ran === 'EACCES', `a program in ${folder} can be executed: ${ran}`);
  fs.rmSync(probe, { force: true });
  const { blocks, bsize } = fs.statfsSync(folder);
  const size = blocks * bsize;
  expect(size > 0 && size <= share, `${folder} has ${size} bytes, not ${share}`);
}

// The smallest of them really ends where it says.
const [smallest, share] = Object.entries(shares).sort((a, b) => a[1] - b[1])[0];
if (share <= memory / 4) {
  const part = Buffer.alloc(MIB, 1);
  const file = fs.openSync(`${smallest}/plimsoll-probe`, 'w');
  let written = 0;
  const end = code_of(() => { while (written <= share) written += fs.writeSync(file, part); });
  fs.closeSync(file);
  fs.rmSync(`${smallest}/plimsoll-probe`);
  expect(end === 'ENOSPC' || end === 'EFBIG', `${smallest} takes more than ${share} bytes: ${end}`);
}

expect(process.getuid() === uid && process.geteuid() === uid, `the user is ${process.getuid()}`);
const interfaces = fs.readFileSync('/proc/self/net/dev', 'utf8').split('\n').slice(2)
  .map((line) => line.split(':')[0].trim());
expect(interfaces.every((name) => name === 'lo' || name === ''), 'there is a network interface');
const dialed = await new Promise((resolve) => {
  const socket = net.connect(9, '192.0.2.1', () => resolve('success'));
  socket.on('error', (error) => resolve(error.code));
  socket.setTimeout(2000, () => resolve('silence'));
}).finally(() => {});
expect(['ENETUNREACH', 'EHOSTUNREACH', 'EACCES', 'EPERM'].includes(dialed),
  `an address of the internet is not out of reach: ${dialed}`);

// A shell that forks without end is stopped by the limit, and not by memory.
if (pids <= 512) {
  const script = 'mkfifo /tmp/plimsoll-fifo; exec 3<>/tmp/plimsoll-fifo; i=0; ' +
    `while [ $i -lt ${pids + 64} ]; do (read x <&3) >/dev/null 2>&1 & i=$((i+1)); done; echo all`;
  const forks = spawnSync('/bin/sh', ['-c', script],
    { detached: true, timeout: 15000, killSignal: 'SIGKILL' });
  expect(!String(forks.stdout).includes('all'), `more than ${pids} processes can be started`);
  fs.rmSync('/tmp/plimsoll-fifo', { force: true });
}

const answer = await host.get('/probe');
expect(answer === 42, `a granted call came back as ${JSON.stringify(answer)}`);
console.log(amiss.length === 0 ? 'sound' : amiss.join('\n'));
process.exit(0);
)js";

}  // namespace

std::string probe_code(const ContainerSpec& spec) {
  const DiskShares disk = share_disk(spec.limits.disk_mb);
  std::string code = fmt::format(kExpectations, disk.work_mb, disk.tmp_mb, disk.shm_mb,
                                 spec.limits.memory_mb, spec.limits.pids, kGuestUid);
  code += kProbe;
  return code;
}

}  // namespace plimsoll::docker
