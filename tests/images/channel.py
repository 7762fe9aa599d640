"""The host's end of the guest channel, for tests of images/runner.mjs: written from src/guest/frame.h
and src/guest/project_frames.h."""

import dataclasses
import hashlib
import os
import select
import struct
import subprocess
import time

RUN, REPLY, PROJECT = 1, 3, 4
READY, STDOUT, STDERR, DONE, CALL = 16, 17, 18, 19, 21
STEP_BEGIN, STEP_DONE, ARTIFACT, ARTIFACT_DATA, PROJECT_DONE = 22, 23, 24, 25, 26
EXITED, TIMED_OUT, OUT_OF_MEMORY, FLOOD, SIGNALED = 0, 1, 2, 3, 5
WHOLE, CUT, MISSING, REFUSED, UNREADABLE = range(5)
COMPLETED, SETUP_FAILED, PROJECT_TIMED_OUT = 1, 2, 3
MIB = 1 << 20
PATIENCE = 60  # seconds for anything that is no measurement


@dataclasses.dataclass
class End:
    stdout: bytes = b""
    stderr: bytes = b""
    cause: int = -1
    exit_code: int = -1
    signal: int = -1
    truncated: tuple = (False, False)


@dataclasses.dataclass
class Artifact:
    state: int
    content: bytes = b""


@dataclasses.dataclass
class Project:
    steps: list
    artifacts: list
    end: int = -1
    fault: int = -1
    file: int = -1


@dataclasses.dataclass
class Limits:
    timeout: float = 30
    step_timeout: float = 30
    cap: int = 65536
    flood: int = 16 * MIB
    memory: int = 256 * MIB
    artifacts: int = 8 * MIB
    grant: tuple = ("", "")  # the client's name, the preamble


def frame(kind, payload):
    return struct.pack("<IB3x", len(payload), kind) + payload


def run_payload(code, limits):
    name, preamble = (part.encode() for part in limits.grant)
    head = struct.pack("<4Q2I", int(limits.timeout * 1e6), limits.cap, limits.flood, limits.memory,
                       len(name), len(preamble))
    return head + name + preamble + code


def project_payload(files, steps, artifacts, limits):
    def text(part):
        return struct.pack("<I", len(part)) + part

    name, preamble = (part.encode() for part in limits.grant)
    head = struct.pack("<6Q2I4H", int(limits.timeout * 1e6), int(limits.step_timeout * 1e6), limits.cap,
                       limits.flood, limits.memory, limits.artifacts, len(name), len(preamble),
                       len(files), len(steps), len(artifacts), 0)
    return b"".join([head, name, preamble, *(text(path) + text(content) for path, content in files),
                     *map(text, steps), *map(text, artifacts)])


def encoded(part):
    return part if isinstance(part, bytes) else part.encode()


class Gone(Exception):
    """The stream ended without an answer: the guest, or all of its sandbox, is dead."""


class Guest:
    """A runner behind the command `arguments`. Every wait for a frame has an end."""

    def __init__(self, arguments, **options):
        self.process = subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, **options)
        self.patience = PATIENCE  # for one frame
        self.until = time.monotonic() + self.patience
        self.calls = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            try:
                stream.close()
            except BrokenPipeError:
                pass
        self.process.wait()

    def _read(self, size):
        content = b""
        out = self.process.stdout
        while len(content) < size:
            left = self.until - time.monotonic()
            if left <= 0 or not select.select([out], [], [], left)[0]:
                raise TimeoutError(f"no frame; so far {content!r}")
            part = os.read(out.fileno(), size - len(content))
            if not part:
                return content
            content += part
        return content

    def next(self):
        """(kind, payload); None at the end of the stream."""
        head = self._read(8)
        if not head:
            return None
        size, kind, *zeros = struct.unpack("<IB3B", head)
        assert zeros == [0, 0, 0] and (size <= 65536 or kind == CALL), head
        payload = self._read(size)
        assert len(payload) == size
        self.until = time.monotonic() + self.patience
        return kind, payload

    def be_patient_for(self, seconds):
        """Frames may be that much further apart: what runs may say nothing."""
        self.patience = PATIENCE + seconds
        self.until = time.monotonic() + self.patience

    def gone(self):
        raise Gone(self.process.stderr.read())

    def send(self, kind, payload):
        self.process.stdin.write(frame(kind, payload))
        self.process.stdin.flush()

    def await_ready(self):
        ready = self.next()
        assert ready == (READY, b""), (ready, self.process.stderr.read() if ready is None else "")

    def answer(self, payload, api):
        number, method, has_body, target = struct.unpack("<I2B2xI", payload[:12])
        parts = payload[12:12 + method], payload[12 + method:12 + method + target]
        body = payload[12 + method + target:] if has_body else None
        call = (parts[0].decode(), parts[1].decode(), body)
        self.calls.append(call)
        answer = api(*call)
        if answer is None:
            return
        status, refused, content_type, content = answer
        self.send(REPLY, struct.pack("<IHBxII", number, status, refused, len(content_type), len(content)) +
                  content_type.encode() + content)

    def run(self, code, limits=None, api=None):
        self.await_ready()
        limits = limits or Limits()
        self.be_patient_for(limits.timeout)
        self.send(RUN, run_payload(encoded(code), limits))
        end = End()
        while True:
            kind, payload = self.next() or self.gone()
            if kind == DONE:
                end.cause, out, err, end.exit_code, end.signal, *rest = struct.unpack("<5B11B", payload)
                assert not any(rest)
                end.truncated = (bool(out), bool(err))
                return end
            self._take(end, kind, payload, limits, api)

    def _take(self, end, kind, payload, limits, api):
        if kind == STDOUT:
            end.stdout += payload
        elif kind == STDERR:
            end.stderr += payload
        elif kind == CALL and api:
            self.answer(payload, api)
        else:
            raise AssertionError(f"a frame of kind {kind} does not belong here")
        assert len(end.stdout) <= limits.cap and len(end.stderr) <= limits.cap

    def project(self, files, steps, artifacts=(), limits=None, api=None):
        self.await_ready()
        limits = limits or Limits()
        files = [(encoded(path), encoded(content)) for path, content in files]
        self.be_patient_for(limits.timeout)
        self.send(PROJECT, project_payload(files, list(map(encoded, steps)),
                                           list(map(encoded, artifacts)), limits))
        result = Project([], [])
        step = None
        hashes, sizes = [], []
        while True:
            kind, payload = self.next() or self.gone()
            if kind == STEP_BEGIN:
                assert step is None and struct.unpack("<I", payload) == (len(result.steps),)
                step = End()
            elif kind == STEP_DONE:
                index, step.cause, out, err, step.exit_code, step.signal, *rest = struct.unpack(
                    "<I5B3B", payload)
                assert index == len(result.steps) and not any(rest)
                step.truncated = (bool(out), bool(err))
                result.steps.append(step)
                step = None
            elif kind == ARTIFACT:
                index, state, size, digest = struct.unpack("<IB3xI32s", payload)
                assert index == len(result.artifacts)
                result.artifacts.append(Artifact(state))
                hashes.append(digest)
                sizes.append(size)
            elif kind == ARTIFACT_DATA:
                result.artifacts[-1].content += payload
            elif kind == PROJECT_DONE:
                result.end, result.fault, result.file = struct.unpack("<BB2xI", payload)
                break
            else:
                self._take(step, kind, payload, limits, api)
        for artifact, digest, size in zip(result.artifacts, hashes, sizes):
            assert len(artifact.content) == size
            expected = hashlib.sha256(artifact.content).digest() if artifact.state <= CUT else bytes(32)
            assert digest == expected
        return result

    def rest(self):
        """What comes after the last frame, and how the runner ended."""
        tail = self.process.stdout.read()
        return tail, self.process.wait(PATIENCE)
