"""The echo server as a process, and just enough HTTP/2 to misbehave with. Standard library only."""

import json
import pathlib
import socket
import struct
import subprocess
import time

TOKEN = "test-token"
ECHO = "/plimsoll.test.v1.EchoService/Echo"
DESCRIBE = "/plimsoll.test.v1.EchoService/Describe"
STATS = "/plimsoll.test.v1.EchoService/Stats"

DATA, HEADERS, RST_STREAM, SETTINGS, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = 0, 1, 3, 4, 6, 7, 8, 9
END_STREAM, END_HEADERS = 1, 4
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"


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
        peer = socket.create_connection(("127.0.0.1", self.port), timeout)
        peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return peer

    def stats(self):
        with self.connect() as peer:
            peer.sendall(request(STATS, b"{}", close=True))
            _, _, body = response(receive_all(peer))
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
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.split("VmRSS:")[1].split()[0])


def request(path, body, headers=(), verb="POST", close=False, authorized=True):
    fields = [f"{verb} {path} HTTP/1.1", "Host: localhost"]
    if not any(name.lower() == "content-type" for name, _ in headers):
        fields.append("Content-Type: application/json")
    if authorized:
        fields.append(f"Authorization: Bearer {TOKEN}")
    if close:
        fields.append("Connection: close")
    if body is not None:
        fields.append(f"Content-Length: {len(body)}")
    fields += [f"{name}: {value}" for name, value in headers]
    return ("\r\n".join(fields) + "\r\n\r\n").encode() + (body or b"")


def receive_all(peer):
    """Until the other side closes, resets, or says nothing for the socket's timeout."""
    parts = []
    try:
        while part := peer.recv(65536):
            parts.append(part)
    except (ConnectionError, TimeoutError):
        pass
    return b"".join(parts)


def response(raw):
    """(status, fields, body) of the first response."""
    if not raw:
        return None, {}, b""
    head, _, rest = raw.partition(b"\r\n\r\n")
    lines = head.decode().split("\r\n")
    fields = dict(line.lower().split(": ", 1) for line in lines[1:])
    return int(lines[0].split()[1]), fields, rest[: int(fields.get("content-length", 0))]


def frame(kind, flags, stream, payload=b""):
    return struct.pack(">I", len(payload))[1:] + struct.pack(">BBI", kind, flags, stream) + payload


def hpack(fields):
    """Literals without indexing, without Huffman (RFC 7541 section 6.2.2)."""

    def text(value):
        data = value.encode()
        if len(data) < 127:
            return bytes([len(data)]) + data
        size, out = len(data) - 127, b"\x7f"
        while size >= 128:
            out += bytes([size % 128 + 128])
            size //= 128
        return out + bytes([size]) + data

    return b"".join(b"\x00" + text(name) + text(value) for name, value in fields)


def call_fields(path=ECHO, content_type="application/json", authorized=True, more=()):
    fields = [(":method", "POST"), (":scheme", "http"), (":path", path), (":authority", "localhost")]
    fields.append(("content-type", content_type))
    if authorized:
        fields.append(("authorization", f"Bearer {TOKEN}"))
    return fields + list(more)


def frames(raw):
    """(kind, flags, stream, payload) of each whole frame."""
    while len(raw) >= 9:
        size = int.from_bytes(raw[:3], "big")
        if len(raw) < 9 + size:
            return
        kind, flags, stream = struct.unpack(">BBI", raw[3:9])
        yield kind, flags, stream & 0x7FFFFFFF, raw[9 : 9 + size]
        raw = raw[9 + size :]


def goaway_error(raw):
    """The error code of the last GOAWAY; None when there is none."""
    codes = [int.from_bytes(payload[4:8], "big") for kind, _, _, payload in frames(raw) if kind == GOAWAY]
    return codes[-1] if codes else None
