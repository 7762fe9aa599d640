"""What a daemon is loaded with: callers whose answers are checked, and faults of every kind. Each
is a loop of one thread that stands still while the soak measures."""

import gzip
import http.client
import json
import os
import signal
import socket
import struct
import threading
import time

import snippets
from daemon_harness import SERVICE, reason_of, wire


class Tally:
    """What happened, by name, and what must not have. For all threads."""

    def __init__(self):
        self._lock, self.counts, self.wrong = threading.Lock(), {}, []

    def count(self, name):
        with self._lock:
            self.counts[name] = self.counts.get(name, 0) + 1

    def of(self, name):
        with self._lock:
            return self.counts.get(name, 0)

    def mistake(self, text):
        with self._lock:
            self.wrong.append(text)

    def judge(self, snippet, answer):
        """Counts one decoded answer to a run: right, refused, lost with its worker, or wrong."""
        if "javascript" in answer:
            objection = snippet.objection(answer)
            self.count("right")
            if objection:
                self.mistake(objection)
        elif answer.get("code") in ("resource_exhausted", "unavailable") and reason_of(answer):
            self.count("refused")
        elif answer.get("code") == "internal" and not reason_of(answer):
            self.count("lost")  # compared with the workers that were killed
        else:
            self.mistake(f"answered {answer!r:.300}")


class Loop(threading.Thread):
    """Calls turn() again and again; between two of them it can be held, and it can be ended."""

    def __init__(self, soak, random):
        super().__init__(daemon=True)
        self.soak, self.daemon_, self.tally = soak, soak.daemon, soak.tally
        self.random = random
        self.still = threading.Event()

    def run(self):
        while not self.soak.over.is_set():
            if not self.soak.go.is_set():
                self.rest()
                self.still.set()
                self.soak.go.wait(0.2)
                continue
            self.still.clear()
            try:
                self.turn()
            except Exception as error:  # whatever it is, the soak has failed
                self.tally.mistake(f"{type(self).__name__}: {error!r:.300}")
                self.rest()
        self.rest()
        self.still.set()

    def turn(self):
        raise NotImplementedError

    def rest(self):
        """Lets go of its connection."""

    def caller(self):
        return self.random.choice(self.soak.callers)


class Http1Caller(Loop):
    """One kept connection, one run after the other."""

    connection = None
    pick = staticmethod(snippets.honest)

    def turn(self):
        snippet = self.pick(self.random)
        if self.connection is None:
            self.connection = http.client.HTTPConnection("127.0.0.1", self.daemon_.port,
                                                         timeout=120)
        headers = {"Content-Type": "application/json",
                   "Authorization": "Bearer " + self.daemon_.tokens[self.caller()]}
        self.connection.request("POST", SERVICE + "Run", snippet.message(), headers)
        self.tally.judge(snippet, json.loads(self.connection.getresponse().read()))

    def rest(self):
        if self.connection is not None:
            self.connection.close()
        self.connection = None


class HostileGuests(Http1Caller):
    pick = staticmethod(snippets.hostile)


class Http2Caller(Loop):
    """Eight runs at once on one connection, a new one each time."""

    def turn(self):
        asked = {2 * i + 1: snippets.honest(self.random) for i in range(8)}
        window = struct.pack(">I", 1 << 30)
        with self.daemon_.connect(120) as peer:
            raw = wire.START + wire.frame(wire.WINDOW_UPDATE, 0, 0, window)
            for stream, snippet in asked.items():
                call = self.daemon_.http2_call(stream, "Run", snippet.message(),
                                               caller=self.caller())
                raw += call + wire.frame(wire.WINDOW_UPDATE, 0, stream, window)
            peer.sendall(raw)
            bodies, open_, pending = {stream: b"" for stream in asked}, set(asked), b""
            while open_:
                part = peer.recv(1 << 20)
                if not part:
                    raise ConnectionError("the connection ended before its answers")
                pending += part
                for kind, flags, stream, payload in wire.frames(pending):
                    pending = pending[9 + len(payload):]
                    if kind == wire.DATA:
                        bodies[stream] += payload
                    if kind == wire.RST_STREAM:
                        raise ConnectionError("a stream was reset")
                    if kind in (wire.DATA, wire.HEADERS) and flags & wire.END_STREAM:
                        open_.discard(stream)
        for stream, snippet in asked.items():
            self.tally.judge(snippet, json.loads(bodies[stream]))


class Leavers(Loop):
    """Clients that leave in the middle of a run, each in one of four ways."""

    def turn(self):
        body = snippets.Snippet("for (;;);", timeout_ms=20_000).message()
        with self.daemon_.connect() as peer:
            way = self.random.randrange(4)
            if way < 2:
                peer.sendall(self.daemon_.request("Run", body, caller=self.caller()))
            else:
                call = self.daemon_.http2_call(1, "Run", body, caller=self.caller())
                peer.sendall(wire.START + call)
            time.sleep(self.random.random() * 0.1)
            if way == 1:
                peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            elif way == 2:
                code = struct.pack(">I", wire.CANCEL)
                peer.sendall(wire.frame(wire.RST_STREAM, 0, 1, code))
                time.sleep(0.01)
        self.tally.count("left")


class HostilePeers(Loop):
    """Bombs, floods, smuggling, strangers, heads without end."""

    def turn(self):
        request = self.daemon_.request
        block = wire.hpack(wire.call_fields(SERVICE + "Run", token=self.daemon_.tokens["c0"]))
        attack = self.random.choice((
            lambda: request("Run", self.soak.bomb, [("Content-Encoding", "gzip")], caller="c0",
                            close=True),
            lambda: request("Run", b"x" * (9 << 20), caller="c0", close=True),
            lambda: request("Run", gzip.compress(b"{"), [("Content-Encoding", "gzip")],
                            caller="c0", close=True),
            lambda: request("Run", b"{}", caller=None, close=True),
            lambda: request("Run", b"{}", [("Transfer-Encoding", "chunked")], caller="c0"),
            lambda: b"GET / HTTP/1.1\nHost: x\n\n",
            lambda: os.urandom(2000),
            lambda: wire.START + os.urandom(2000),
            lambda: wire.START + wire.open_and_reset(block, 3000),
            lambda: wire.START + wire.frame(wire.HEADERS, 0, 1, block)
            + wire.frame(wire.CONTINUATION, 0, 1, b"") * 5000))
        self.daemon_.exchange(attack(), timeout=self.random.choice((0.05, 1)))
        self.tally.count("attacked")
        time.sleep(0.02)


class Killer(Loop):
    """SIGKILL for a worker now and then, and for a zygote more seldom."""

    def turn(self):
        time.sleep(self.random.random() * 0.5)
        zygote = self.random.random() < 0.05
        name = "plimsoll-zygote" if zygote else "plimsoll-worker"
        found = [pid for pid, each in self.daemon_.descendants() if each == name]
        if not found:
            return
        try:
            os.kill(self.random.choice(found), signal.SIGKILL)
        except ProcessLookupError:
            return
        self.tally.count("zygotes killed" if zygote else "workers killed")
