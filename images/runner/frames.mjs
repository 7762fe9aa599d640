// Frames of the guest channel as bytes; src/guest/frame.h and src/guest/project_frames.h are their
// contract, and each number here stands there.

export const Kind = Object.freeze({
  run: 1, hostReply: 3, projectRun: 4,
  ready: 16, stdout: 17, stderr: 18, done: 19, hostCall: 21, stepBegin: 22, stepDone: 23,
  artifact: 24, artifactData: 25, projectDone: 26,
});

export const Cause = Object.freeze({
  exited: 0, timedOut: 1, outOfMemory: 2, outputFlood: 3, signaled: 5,
});

export const HEADER_BYTES = 8;
export const MAX_GUEST_PAYLOAD = 64 << 10;
export const MAX_CODE = 1 << 20;
export const MAX_GLOBAL = 64;
export const MAX_PREAMBLE = 2 << 20;
export const MAX_CALL = 12 + 16 + (64 << 10) + (1 << 20) + 3;
export const MAX_REPLY = 16 + 256 + (4 << 20);

export const RUN_HEAD = 40;
const PROJECT_HEAD = 64;
const MAX_FILES = 200;
const MAX_STEPS = 16;
const MAX_ARTIFACTS = 32;
const MAX_PATH = 1024;
const MAX_STEP = 128 << 10;
const MAX_FILE_BYTES = 4 << 20;
const MAX_ARTIFACT_BYTES = 8 << 20;

// What the host may send, and how large each may be.
export const FROM_HOST = new Map([
  [Kind.run, RUN_HEAD + MAX_GLOBAL + MAX_PREAMBLE + MAX_CODE],
  [Kind.hostReply, MAX_REPLY],
  [Kind.projectRun, PROJECT_HEAD + MAX_GLOBAL + MAX_PREAMBLE + 8 * MAX_FILES + MAX_FILE_BYTES +
    MAX_STEPS * (4 + MAX_STEP) + MAX_ARTIFACTS * (4 + MAX_PATH)],
]);

export class ProtocolError extends Error {}

export function frame(kind, ...parts) {
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt32LE(parts.reduce((size, part) => size + part.length, 0), 0);
  header[4] = kind;
  return Buffer.concat([header, ...parts]);
}

// Takes frames out of a stream that comes in pieces. `bounds` maps the kinds that belong to it to
// the greatest payload of each; anything else throws, before a byte of it is kept.
export class FrameReader {
  #bounds;
  #pieces = [];
  #size = 0;

  constructor(bounds) {
    this.#bounds = bounds;
  }

  push(piece) {
    this.#pieces.push(piece);
    this.#size += piece.length;
  }

  #front(size) {
    if (this.#pieces[0].length < size) this.#pieces = [Buffer.concat(this.#pieces)];
    return this.#pieces[0];
  }

  // The next { kind, payload }, or null while it is not whole. The payload is not overwritten later.
  next() {
    if (this.#size < HEADER_BYTES) return null;
    const header = this.#front(HEADER_BYTES);
    const size = header.readUInt32LE(0);
    const kind = header[4];
    const bound = this.#bounds.get(kind);
    if (bound === undefined || size > bound || header[5] !== 0 || header[6] !== 0 || header[7] !== 0) {
      throw new ProtocolError(`a frame of kind ${kind} and ${size} bytes does not belong here`);
    }
    const whole = HEADER_BYTES + size;
    if (this.#size < whole) return null;
    const bytes = this.#front(whole);
    this.#pieces[0] = bytes.subarray(whole);
    this.#size -= whole;
    return { kind, payload: bytes.subarray(HEADER_BYTES, whole) };
  }
}

// Numbers of 64 bits; what is beyond 2^53 is as good as no limit.
function number_at(payload, at) {
  return Number(payload.readBigUInt64LE(at));
}

class Parts {
  constructor(payload, at) {
    this.payload = payload;
    this.at = at;
  }

  take(size, most) {
    if (size > most || this.payload.length - this.at < size) throw new ProtocolError('sizes do not add up');
    this.at += size;
    return this.payload.subarray(this.at - size, this.at);
  }

  text(most) {
    return this.take(this.take(4, 4).readUInt32LE(0), most);
  }

  texts(count, most) {
    return Array.from({ length: count }, () => this.text(most));
  }
}

function grant_of(parts, payload, at) {
  const global = parts.take(payload.readUInt32LE(at), MAX_GLOBAL).toString('utf8');
  const preamble = parts.take(payload.readUInt32LE(at + 4), MAX_PREAMBLE).toString('utf8');
  return global === '' ? null : { global, preamble };
}

function limits_of(payload) {
  return { timeout_ms: number_at(payload, 0) / 1000 };
}

// { timeout_ms, output_cap, flood_bytes, memory_bytes, grant, code }
export function decode_run(payload) {
  if (payload.length < RUN_HEAD) throw new ProtocolError('a run without its head');
  const parts = new Parts(payload, RUN_HEAD);
  return {
    ...limits_of(payload),
    output_cap: number_at(payload, 8),
    flood_bytes: number_at(payload, 16),
    memory_bytes: number_at(payload, 24),
    grant: grant_of(parts, payload, 32),
    code: parts.take(payload.length - parts.at, MAX_CODE),
  };
}

// { timeout_ms, step_timeout_ms, output_cap, flood_bytes, memory_bytes, artifact_bytes, grant,
//   files: [{ path, content }], steps, artifacts }; paths and contents as bytes, steps as text.
export function decode_project_run(payload) {
  if (payload.length < PROJECT_HEAD) throw new ProtocolError('a project without its head');
  const [files, steps, artifacts, zero] = [56, 58, 60, 62].map((at) => payload.readUInt16LE(at));
  if (files > MAX_FILES || steps === 0 || steps > MAX_STEPS || artifacts > MAX_ARTIFACTS || zero !== 0) {
    throw new ProtocolError('a project with too many parts');
  }
  const parts = new Parts(payload, PROJECT_HEAD);
  const run = {
    ...limits_of(payload),
    step_timeout_ms: number_at(payload, 8) / 1000,
    output_cap: number_at(payload, 16),
    flood_bytes: number_at(payload, 24),
    memory_bytes: number_at(payload, 32),
    artifact_bytes: Math.min(number_at(payload, 40), MAX_ARTIFACT_BYTES),
    grant: grant_of(parts, payload, 48),
    files: Array.from({ length: files }, () => ({
      path: parts.text(MAX_PATH), content: parts.text(MAX_FILE_BYTES),
    })),
    steps: parts.texts(steps, MAX_STEP).map((step) => step.toString('utf8')),
    artifacts: parts.texts(artifacts, MAX_PATH),
  };
  if (parts.at !== payload.length) throw new ProtocolError('bytes behind a project');
  return run;
}

const u32 = (number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(number);
  return bytes;
};

// `end` is what processes.mjs says of a process.
export function done(end) {
  return frame(Kind.done, Buffer.from([
    end.cause, end.stdout_truncated ? 1 : 0, end.stderr_truncated ? 1 : 0, end.exit_code, end.signal,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
  ]));
}

export function step_begin(index) {
  return frame(Kind.stepBegin, u32(index));
}

export function step_done(index, end) {
  return frame(Kind.stepDone, u32(index), Buffer.from([
    end.cause, end.stdout_truncated ? 1 : 0, end.stderr_truncated ? 1 : 0, end.exit_code, end.signal,
    0, 0, 0,
  ]));
}

export const ArtifactState = Object.freeze({ whole: 0, cut: 1, missing: 2, refused: 3, unreadable: 4 });

export function artifact_head(index, state, content, sha256) {
  const head = Buffer.from([state, 0, 0, 0]);
  return frame(Kind.artifact, u32(index), head, u32(content.length), sha256);
}

export const ProjectEnd = Object.freeze({ completed: 1, setupFailed: 2, timedOut: 3 });
export const SetupFault = Object.freeze({
  none: 0, request: 1, path: 2, twin: 3, noSpace: 4, cannotWrite: 5,
});

export function project_done(end, fault = SetupFault.none, file = 0) {
  return frame(Kind.projectDone, Buffer.from([end, fault, 0, 0]), u32(file));
}

// Content of a stream as frames, none larger than the host takes.
export function* chunks(kind, bytes) {
  for (let at = 0; at < bytes.length; at += MAX_GUEST_PAYLOAD) {
    yield frame(kind, bytes.subarray(at, at + MAX_GUEST_PAYLOAD));
  }
}
