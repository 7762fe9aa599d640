// Puts a project's files into its folder. Nothing of the caller's runs before all of them are there.
import fs from 'node:fs';

import { SetupFault } from './frames.mjs';
import { PathSet, components_of } from './paths.mjs';

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = fs.constants;

export class SetupFailure extends Error {
  constructor(fault, file) {
    super(`setup fault ${fault} of file ${file}`);
    this.fault = fault;
    this.file = file;
  }
}

function write_whole(path, content) {
  // New, and no link: what is there already is not ours to follow.
  const fd = fs.openSync(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o644);
  try {
    for (let at = 0; at < content.length;) at += fs.writeSync(fd, content, at);
  } finally {
    fs.closeSync(fd);
  }
}

function make_folders(root, components, made) {
  let path = root;
  for (const name of components.slice(0, -1)) {
    path += `/${name}`;
    if (made.has(path)) continue;
    fs.mkdirSync(path, 0o755);
    made.add(path);
  }
  return `${path}/${components.at(-1)}`;
}

// All paths are judged before the first file is written. Throws SetupFailure.
export function stage(root, files) {
  const paths = new PathSet();
  const all = files.map(({ path }, file) => {
    const components = components_of(path);
    const fault = components === null ? SetupFault.path : paths.add(components);
    if (fault !== SetupFault.none) throw new SetupFailure(fault, file);
    return components;
  });
  const made = new Set();
  for (const [file, components] of all.entries()) {
    try {
      write_whole(make_folders(root, components, made), files[file].content);
    } catch (error) {
      const full = error.code === 'ENOSPC' || error.code === 'EDQUOT';
      throw new SetupFailure(full ? SetupFault.noSpace : SetupFault.cannotWrite, file);
    }
  }
}
