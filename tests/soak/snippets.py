"""Snippets whose every output is known beforehand, and what an answer to one may be."""

import base64
import json


STDOUT_CAP = 64 << 10  # the rest is cut, and a flag says so


class Snippet:
    """Code, and what it must do. `timeout_ms` 0: the service's own."""

    def __init__(self, code, stdout=b"", exit_code=0, cause="EXITED", timeout_ms=0):
        self.code, self.stdout, self.exit_code = code, stdout, exit_code
        self.cause, self.timeout_ms = "TERMINATION_CAUSE_" + cause, timeout_ms

    def message(self):
        return json.dumps({"protocol": 2, "timeoutMs": self.timeout_ms,
                           "minimumIsolation": "process",
                           "javascript": {"code": self.code}}).encode()

    def objection(self, answer):
        """What is wrong with a RunResponse; None when nothing is."""
        result = answer["javascript"]
        stdout = base64.b64decode(result.get("stdout", ""))
        for name, seen, wanted in (
                ("stdout", stdout, self.stdout[:STDOUT_CAP]),
                ("truncation", result.get("stdoutTruncated", False),
                 len(self.stdout) > STDOUT_CAP),
                ("exit code", result.get("exitCode", 0), self.exit_code),
                ("cause", result["termination"]["cause"], self.cause),
                ("isolation", answer["isolation"], "process")):
            if seen != wanted:
                return f"{name} is {seen!r:.200}, not {wanted!r:.200}, of {self.code:.120}"
        return None


def honest(random):
    """A snippet that behaves; its output depends on a number of its own, and fits no other."""
    salt = random.randrange(1 << 30)
    kind = random.randrange(5)
    if kind == 0:
        code = (f"process.stdout.write(Uint8Array.from({{length: 256}}, "
                f"(_, i) => (i + {salt}) % 256))")
        return Snippet(code, bytes((i + salt) % 256 for i in range(256)))
    if kind == 1:
        size = 1000 + salt % 10_000
        return Snippet(f"console.log('{salt}'.repeat({size}))", f"{salt}".encode() * size + b"\n")
    if kind == 2:
        code = f"globalThis.left = {salt}; console.log(typeof before, left); var before = 1;"
        return Snippet(code, f"undefined {salt}\n".encode())
    if kind == 3:
        code = (f"setTimeout(() => {{ console.log({salt}); process.exit({salt % 200}) }}, "
                f"{salt % 20})")
        return Snippet(code, f"{salt}\n".encode(), salt % 200)
    total = sum(i * salt for i in range(1000))
    return Snippet(f"let s = 0; for (let i = 0; i < 1000; i++) s += i * {salt}; console.log(s);",
                   f"{total}\n".encode())


def hostile(random):
    """A snippet that takes what it can: memory, time, or an error that nobody catches."""
    return random.choice((
        Snippet("for (;;);", b"", 124, "TIMED_OUT", 150),
        Snippet("const a = []; for (;;) a.push('x'.repeat(1e6) + a.length);", b"", 137,
                "OUT_OF_MEMORY"),
        Snippet("[].push(...'x'.repeat(3e8))", b"", 137, "OUT_OF_MEMORY"),
        Snippet("console.log(1); (function f() { f(); })()", b"1\n", 1),
        Snippet("console.log(2); throw new Error('x')", b"2\n", 1)))
