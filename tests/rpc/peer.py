"""Just enough HTTP/1.1 and HTTP/2 to misbehave with. Standard library only."""

import gzip
import pathlib
import socket
import struct
import subprocess

DATA, HEADERS, RST_STREAM, SETTINGS = 0, 1, 3, 4
PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = 6, 7, 8, 9
END_STREAM, END_HEADERS = 1, 4
CANCEL, ENHANCE_YOUR_CALM = 8, 11
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"


def connect(port, timeout=10):
    peer = socket.create_connection(("127.0.0.1", port), timeout)
    peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return peer


def exchange(port, raw, timeout=10, until=None):
    """Sends `raw` as far as it is taken; what comes back until the end or the timeout, or until
    until(what came so far)."""
    with connect(port, timeout) as peer:
        try:
            peer.sendall(raw)
        except (ConnectionError, TimeoutError):
            pass
        return receive_all(peer, until)


def bomb(size):
    """`size` zeros as gzip, made of repeated members so that it takes no memory here."""
    member = gzip.compress(bytes(1 << 20), 9)
    return member * (size >> 20)


def make_certificate(folder):
    """(certificate, key) for localhost, as PEM files in `folder`."""
    folder = pathlib.Path(folder)
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
         "-nodes", "-days", "2", "-subj", "/CN=localhost",
         "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
         "-keyout", folder / "key.pem", "-out", folder / "cert.pem"],
        check=True, capture_output=True,
    )  # fmt: skip
    return folder / "cert.pem", folder / "key.pem"


def memory_kib(pid, field="VmRSS"):
    """What /proc/PID/status says: VmRSS is now, VmHWM the most that it was."""
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    return int(status.split(field + ":")[1].split()[0])


def request(path, body, headers=(), verb="POST", close=False, token=None):
    """One HTTP/1.1 request; JSON unless `headers` say otherwise. `body` None: no Content-Length."""
    fields = [f"{verb} {path} HTTP/1.1", "Host: localhost"]
    if not any(name.lower() == "content-type" for name, _ in headers):
        fields.append("Content-Type: application/json")
    if token:
        fields.append(f"Authorization: Bearer {token}")
    if close:
        fields.append("Connection: close")
    if body is not None:
        fields.append(f"Content-Length: {len(body)}")
    fields += [f"{name}: {value}" for name, value in headers]
    return ("\r\n".join(fields) + "\r\n\r\n").encode() + (body or b"")


def receive_all(peer, until=None):
    """Until the other side closes, resets, or says nothing for the socket's timeout, or until
    until(what came so far)."""
    parts = []
    try:
        while not (until and until(b"".join(parts))) and (part := peer.recv(65536)):
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


def call_fields(path, content_type="application/json", token=None, more=()):
    fields = [(":method", "POST"), (":scheme", "http"), (":path", path)]
    fields.append((":authority", "localhost"))
    fields.append(("content-type", content_type))
    if token:
        fields.append(("authorization", f"Bearer {token}"))
    return fields + list(more)


# How a client begins a connection: the preface and an empty SETTINGS.
START = PREFACE + frame(SETTINGS, 0, 0)


def open_and_reset(block, count):
    """`count` streams that are each opened with the head `block` and reset at once."""
    return b"".join(
        frame(HEADERS, END_HEADERS, 2 * i + 1, block)
        + frame(RST_STREAM, 0, 2 * i + 1, struct.pack(">I", CANCEL))
        for i in range(count)
    )


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
    last = [payload for kind, _, _, payload in frames(raw) if kind == GOAWAY][-1:]
    return int.from_bytes(last[0][4:8], "big") if last else None
