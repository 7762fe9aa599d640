"""A real daemon for tests: with callers of its own, spoken to in JSON, searched for leftovers."""

import ctypes
import http.client
import json
import os
import pathlib
import re
import socket
import ssl
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "rpc"))
import peer as wire  # noqa: E402

SERVICE = "/plimsoll.v1.SandboxService/"
NOT_DISPATCHED = "plimsoll.v1.NotDispatched"
REASONS = {"CAE": "request", "CAI": "permission", "CAM": "protocol", "CAQ": "unsupported",
           "CAU": "isolation", "CAY": "capacity", "CAc": "environment"}
PR_SET_CHILD_SUBREAPER = 36


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


PLIMSOLLD = ""  # set by the test that uses this
CLIENTS = ""


def wait_for(what, holds, seconds):
    """Polls until holds() is true, and gives that back; AssertionError when it is not in time."""
    deadline = time.monotonic() + seconds
    while not (found := holds()):
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {seconds} s: {what}")
        time.sleep(0.02)
    return found


CALLERS = (("ann", "code:run"), ("bob", "other"), ("eve", "code:run"))


class Daemon:
    """A daemon of its own, with a clients file of two callers that may run code and one that may
    not, or of other `callers`, or of another daemon's. With tls=True its certificate is `cert`.
    `env` goes into its environment."""

    def __init__(self, callers=CALLERS, same_callers_as=None, tls=False, **env):
        self.folder = tempfile.TemporaryDirectory()
        registry = pathlib.Path((same_callers_as or self).folder.name) / "clients.json"
        self.tokens = dict(same_callers_as.tokens) if same_callers_as else {}
        for caller, scope in () if same_callers_as else callers:
            done = subprocess.run([CLIENTS, "create", "-file", registry, "-id", caller, "-scope",
                                   scope, "-token-stdout"], capture_output=True, check=True)
            self.tokens[caller] = done.stdout.decode().strip()
        self.cert = None
        if tls:
            self.cert, key = wire.make_certificate(self.folder.name)
            env |= {"PLIMSOLL_TLS_CERT": str(self.cert), "PLIMSOLL_TLS_KEY": str(key)}
        self.port, self.metrics_port = free_port(), free_port()
        environment = {
            "PATH": os.environ["PATH"], "SANDBOX_PROVIDER": "wasm", "SANDBOX_RATE_PER_MIN": "0",
            "PLIMSOLL_CLIENTS_FILE": str(registry), "PLIMSOLL_ADDR": f"127.0.0.1:{self.port}",
            "PLIMSOLL_METRICS_ADDR": f"127.0.0.1:{self.metrics_port}"} | env
        self.audit_path = pathlib.Path(self.folder.name) / "audit"
        self.log_path = pathlib.Path(self.folder.name) / "log"
        with self.audit_path.open("wb") as audit, self.log_path.open("wb") as log:
            self.process = subprocess.Popen([PLIMSOLLD], env=environment, stdout=audit, stderr=log)
        wait_for("the daemon listens, or has ended", self.listens_or_ended, 90)

    def listens_or_ended(self):
        return self.process.poll() is not None or b'"listening"' in self.log_path.read_bytes()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.folder.cleanup()

    def call(self, method, message, caller="ann", token=None, verb="POST", timeout=30):
        if self.cert:
            trust = ssl.create_default_context(cafile=self.cert)
            connection = http.client.HTTPSConnection("localhost", self.port, timeout=timeout,
                                                     context=trust)
        else:
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        headers = {"Content-Type": "application/json",
                   "Authorization": "Bearer " + (token or self.tokens[caller])}
        connection.request(verb, SERVICE + method, json.dumps(message), headers)
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        headers = {name.lower(): value for name, value in answer.headers.items()}
        if headers.get("content-type") != "application/json":
            return answer.status, {}, headers
        return answer.status, json.loads(body), headers

    def run(self, code, caller="ann", **fields):
        return self.call("Run", {"protocol": 2, "javascript": {"code": code}} | fields, caller)

    def audit(self):
        """The lines so far; the last one may be half written."""
        whole = self.audit_path.read_text().rpartition("\n")[0]
        return [json.loads(line) for line in whole.splitlines()]

    def metrics(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.metrics_port, timeout=10)
        connection.request("GET", "/metrics")
        page = connection.getresponse().read().decode()
        connection.close()
        return page

    def gauge(self, name):
        return float(re.search(rf"^plimsoll_{name} (\S+)$", self.metrics(), re.MULTILINE)[1])

    def connect(self, timeout=30):
        return wire.connect(self.port, timeout)

    def exchange(self, raw, timeout=30):
        return wire.exchange(self.port, raw, timeout)

    def request(self, method, body, headers=(), caller="ann", **more):
        """The bytes of an HTTP/1.1 request of `caller`'s, or of nobody's."""
        token = caller and self.tokens[caller]
        return wire.request(SERVICE + method, body, headers, token=token, **more)

    def http2_call(self, stream, method, body, kind="application/json", caller="ann", more=()):
        """The frames of one call on an HTTP/2 connection that was begun with wire.START."""
        fields = wire.call_fields(SERVICE + method, kind, caller and self.tokens[caller], more)
        head = wire.frame(wire.HEADERS, wire.END_HEADERS, stream, wire.hpack(fields))
        return head + wire.frame(wire.DATA, wire.END_STREAM, stream, body)

    def fds(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def descendants(self):
        return descendants_of(self.process.pid)

    def serves(self, caller="ann"):
        """Runs one snippet and says whether an answer came and its output is right."""
        try:
            status, body, _ = self.run("console.log(6 * 7)", caller)
        except OSError:
            return False
        return status == 200 and body["javascript"]["stdout"] == "NDIK"


def reason_of(body):
    return [REASONS[detail["value"]] for detail in body.get("details", [])
            if detail["type"] == NOT_DISPATCHED]


def adopt_orphans():
    """Makes this process the parent of what its killed daemons leave, so that it can be found."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_CHILD_SUBREAPER)")


def _parents():
    parents = {}
    for entry in pathlib.Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            # The name may hold anything, parentheses too; what follows the last one is numbers.
            name, _, rest = (entry / "stat").read_text().rpartition(")")
        except OSError:
            continue  # it ended meanwhile
        state, parent = rest.split()[:2]
        if state not in "ZX":
            parents[int(entry.name)] = (int(parent), name.partition("(")[2])
    return parents


def descendants_of(root):
    """(pid, name) of each living descendant of `root` that is plimsoll's."""
    parents, found = _parents(), []
    for pid, (parent, name) in parents.items():
        while parent in parents and parent != root:
            parent = parents[parent][0]
        if parent == root and pid != root and name.startswith("plimsoll"):
            found.append((pid, name))
    return found


def left_behind():
    """The names of the living descendants of this process that are plimsoll's."""
    return sorted(name for _, name in descendants_of(os.getpid()))
