// Brings back the files that were asked for. Everything that a project started has been killed by
// now, but what it left is hostile: links, pipes, devices, files larger than what is left of the
// budget.
import crypto from 'node:crypto';
import fs from 'node:fs';

import { ArtifactState } from './frames.mjs';
import { components_of } from './paths.mjs';

const { O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = fs.constants;
const NO_CONTENT = Buffer.alloc(0);
const NO_HASH = Buffer.alloc(32);

// Opens below the folder that `dir` has open: each component by itself, and no link is followed.
function open_in(dir, name, flags) {
  return fs.openSync(`/proc/self/fd/${dir}/${name}`, flags | O_NOFOLLOW);
}

function open_file(root, components) {
  let dir = fs.openSync(root, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  try {
    for (const name of components.slice(0, -1)) {
      const next = open_in(dir, name, O_RDONLY | O_DIRECTORY);
      fs.closeSync(dir);
      dir = next;
    }
    // Not blocking: a pipe without a writer must not hold us.
    return open_in(dir, components.at(-1), O_RDONLY | O_NONBLOCK);
  } finally {
    fs.closeSync(dir);
  }
}

function read_up_to(fd, size) {
  const content = Buffer.alloc(size);
  let at = 0;
  while (at < size) {
    const got = fs.readSync(fd, content, at, size - at, at);
    if (got === 0) break;
    at += got;
  }
  return content.subarray(0, at);
}

const without = (state) => ({ state, content: NO_CONTENT, sha256: NO_HASH });

function state_of(error) {
  if (error.code === 'ENOENT') return ArtifactState.missing;
  // ENOTDIR: O_DIRECTORY met a link or a file; ENXIO: a socket, or a pipe.
  const refused = ['ELOOP', 'ENOTDIR', 'ENXIO', 'EMLINK'].includes(error.code);
  return refused ? ArtifactState.refused : ArtifactState.unreadable;
}

// { state, content, sha256 } of one artifact, whose content is at most `budget` bytes.
export function collect(root, path, budget) {
  const components = components_of(path);
  if (components === null) return without(ArtifactState.refused);
  let fd;
  try {
    fd = open_file(root, components);
  } catch (error) {
    return without(state_of(error));
  }
  try {
    const file = fs.fstatSync(fd);
    if (!file.isFile() || file.dev !== fs.lstatSync(root).dev) return without(ArtifactState.refused);
    const content = read_up_to(fd, Math.min(file.size, budget));
    const state = file.size > content.length ? ArtifactState.cut : ArtifactState.whole;
    return { state, content, sha256: crypto.createHash('sha256').update(content).digest() };
  } catch {
    return without(ArtifactState.unreadable);
  } finally {
    fs.closeSync(fd);
  }
}
