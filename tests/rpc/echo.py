"""The echo server as a process, and its peers' requests (peer.py) with its paths and its token."""

import json
import subprocess
import time

import peer
from peer import connect, memory_kib, receive_all, response

TOKEN = "test-token"
ECHO = "/plimsoll.test.v1.EchoService/Echo"
DESCRIBE = "/plimsoll.test.v1.EchoService/Describe"
STATS = "/plimsoll.test.v1.EchoService/Stats"


class Server:
    """with Server(binary, body_bytes=1000) as server: server.port"""

    def __init__(self, binary, **options):
        arguments = [str(binary)] + [f"{name}={value}" for name, value in options.items()]
        self.process = subprocess.Popen(
            arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        ports = self.process.stdout.readline().split()
        assert ports, "the server did not start"
        self.port = int(ports[0])
        self.tls_port = int(ports[1]) if len(ports) > 1 else None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.code = self.process.wait(30)
        self.process.stdout.close()

    def connect(self, timeout=10):
        return connect(self.port, timeout)

    def stats(self):
        with self.connect() as to:
            to.sendall(request(STATS, b"{}", close=True))
            _, _, body = response(receive_all(to))
        return {name: int(value) for name, value in json.loads(body).items()}

    def wait_for(self, name, value, seconds=10):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            seen = self.stats().get(name, 0)
            if seen == value:
                return
            time.sleep(0.02)
        raise AssertionError(f"{name} is {seen}, not {value}")

    def memory_kib(self):
        return memory_kib(self.process.pid)


def request(path, body, headers=(), verb="POST", close=False, authorized=True):
    return peer.request(path, body, headers, verb, close, TOKEN if authorized else None)


def call_fields(path=ECHO, content_type="application/json", authorized=True, more=()):
    return peer.call_fields(path, content_type, TOKEN if authorized else None, more)
