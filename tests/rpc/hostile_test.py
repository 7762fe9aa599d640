#!/usr/bin/env python3
"""Peers that mean harm: hostile_test.py ECHO_SERVER. Each is refused, in bounded time and memory, and the
server serves the next one."""

import gzip
import json
import pathlib
import select
import struct
import sys
import time
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import echo  # noqa: E402
import peer as wire  # noqa: E402
from peer import (  # noqa: E402
    DATA, END_HEADERS, END_STREAM, ENHANCE_YOUR_CALM, HEADERS, RST_STREAM, SETTINGS,
)  # fmt: skip

BINARY = pathlib.Path(sys.argv.pop(1))


def has_frame(raw, wanted):
    return any(kind == wanted for kind, *_ in wire.frames(raw))


class Hostile(unittest.TestCase):
    def exchange(self, server, raw, timeout=10, until=None):
        return wire.exchange(server.port, raw, timeout, until)

    def call(self, server, body, headers=(), path=echo.ECHO, **more):
        raw = self.exchange(server, echo.request(path, body, headers, close=True, **more))
        return wire.response(raw)

    def code(self, answer):
        return json.loads(answer[2])["code"]

    def assert_serves(self, server):
        status, _, body = self.call(server, b'{"text":"still here"}')
        self.assertEqual((status, json.loads(body)["text"]), (200, "still here"))

    def wait_until_served(self, server, body=b"{}"):
        """Polls until a call with this body has its answer: what is closed is seen a moment later."""
        end = time.monotonic() + 30
        while (status := self.call(server, body)[0]) != 200:
            self.assertLess(time.monotonic(), end, f"still {status}")
            time.sleep(0.02)

    def http2(self, server, raw, until=None):
        return self.exchange(server, wire.START + raw, 30, until)

    def test_a_bomb_is_not_inflated(self):
        body = wire.bomb(1 << 30)
        self.assertLess(len(body), 2 << 20)
        with echo.Server(BINARY) as server:
            self.assert_serves(server)
            before = server.memory_kib()
            start = time.monotonic()
            answer = self.call(
                server, body, [("Content-Encoding", "gzip"), ("Content-Type", "application/proto")]
            )
            self.assertEqual((answer[0], self.code(answer)), (429, "resource_exhausted"))
            self.assertLess(time.monotonic() - start, 5)
            self.assertLess(server.memory_kib() - before, 64 << 10)
            self.assert_serves(server)

    def test_limits_hold_to_the_byte_before_and_after_inflation(self):
        limit = 10_000
        with echo.Server(BINARY, body_bytes=limit) as server:
            def sized(size):
                return b'{"text":"' + b"a" * (size - 11) + b'"}'

            chunked = [("Transfer-Encoding", "chunked")]
            for size, status in ((limit, 200), (limit + 1, 429)):
                with self.subTest(size=size):
                    body = sized(size)
                    self.assertEqual(self.call(server, body)[0], status)
                    packed = gzip.compress(body)
                    self.assertEqual(self.call(server, packed, [("Content-Encoding", "gzip")])[0], status)
                    pieces = b"%x\r\n%s\r\n0\r\n\r\n" % (size, body)
                    raw = echo.request(echo.ECHO, None, chunked, close=True) + pieces
                    self.assertEqual(wire.response(self.exchange(server, raw))[0], status)

    def test_a_body_is_not_read_before_the_caller_is_known(self):
        with echo.Server(BINARY) as server:
            for length in (10, 1 << 40):
                raw = echo.request(
                    echo.ECHO, None, [("Content-Length", length)], authorized=False
                )
                with server.connect(5) as peer:
                    peer.sendall(raw)
                    status, _, body = wire.response(peer.recv(65536))
                self.assertEqual((status, json.loads(body)["code"]), (401, "unauthenticated"))
            # And a large body of a stranger is answered, though it is never read to its end.
            answer = self.call(server, bytes(4 << 20), authorized=False)
            self.assertEqual(answer[0], 401)

    def test_smuggling_is_refused(self):
        hello = b"Host: localhost\r\nContent-Type: application/json\r\nAuthorization: Bearer test-token\r\n"
        inner = b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
        with echo.Server(BINARY) as server:
            for name, tail in {
                "both lengths": b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                "two lengths": b"Content-Length: 0\r\nContent-Length: 40\r\n\r\n",
                "chunk size": b"Transfer-Encoding: chunked\r\n\r\n0x0\r\n\r\n",
                "huge chunk size": b"Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\n",
                "chunk without CR": b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\n0\r\n\r\n",
                "bare LF": b"X: y\n\r\n",
                "bare LF as the end": b"X: y\n\n",
                "folded": b"X: y\r\n Content-Length: 5\r\n\r\n",
                "hidden coding": b"Transfer-Encoding: xchunked\r\nContent-Length: 3\r\n\r\n",
                "blank before the colon": b"Transfer-Encoding : chunked\r\n\r\n",
            }.items():
                with self.subTest(name):
                    raw = b"POST " + echo.ECHO.encode() + b" HTTP/1.1\r\n" + hello + tail + inner
                    answer = self.exchange(server, raw)
                    self.assertEqual(answer.count(b"content-length: "), 1, answer)
                    self.assertTrue(answer.startswith(b"HTTP/1.1 400 "), answer)
                    self.assertIn(b"connection: close", answer)
            self.assert_serves(server)

    def test_slow_heads_and_bodies_meet_their_deadline(self):
        with echo.Server(BINARY, header_read=300, body_read=300, idle=1200) as server:
            for name, start, want in (
                ("head", b"POST /", b" 408 "),
                ("body", echo.request(echo.ECHO, None, [("Content-Length", "1000")]), b" 408 "),
            ):
                with self.subTest(name), server.connect(5) as peer:
                    began = time.monotonic()
                    peer.sendall(start)
                    for _ in range(400):
                        try:
                            peer.sendall(b"a")
                            time.sleep(0.05)
                        except ConnectionError:
                            break
                    self.assertIn(want, wire.receive_all(peer)[:20])
                    self.assertLess(time.monotonic() - began, 20)
            with self.subTest("idle"), server.connect(30) as peer:
                self.assertEqual(peer.recv(1), b"")  # closed, and not only silent
            with self.subTest("HTTP/2 idle"):
                self.assertEqual(wire.goaway_error(self.http2(server, b"")), 0)
            with self.subTest("HTTP/2 body"):
                raw = wire.frame(HEADERS, END_HEADERS, 1, wire.hpack(echo.call_fields()))
                self.assertIn(b"did not arrive in time", self.http2(server, raw))
            with self.subTest("HTTP/2 head"):
                raw = wire.frame(HEADERS, 0, 1, wire.hpack(echo.call_fields()))
                self.assertEqual(wire.goaway_error(self.http2(server, raw)), ENHANCE_YOUR_CALM)
            self.assert_serves(server)

    def test_an_answer_that_is_not_taken_is_given_up(self):
        body = b'{"answerBytes":20000000}'
        cancel = wire.frame(RST_STREAM, 0, 1, (8).to_bytes(4, "big"))
        with echo.Server(BINARY, write_stall=300) as server:
            with self.subTest("the connection"), server.connect(5) as peer:
                peer.sendall(echo.request(echo.ECHO, body))
                # The answer has begun, and nobody takes it.
                self.assertTrue(select.select([peer], [], [], 60)[0])
                server.wait_for("connections", 1, 30)  # the one that asks; it was not left open
                self.assertLess(len(wire.receive_all(peer)), 20_000_000)
            with self.subTest("an HTTP/2 stream whose window stays shut"):
                answer = self.http2(
                    server,
                    wire.frame(HEADERS, END_HEADERS, 1, wire.hpack(echo.call_fields()))
                    + wire.frame(DATA, END_STREAM, 1, body),
                    lambda raw: raw.endswith(cancel),
                )
                self.assertLess(len(answer), 100_000)
                self.assertTrue(answer.endswith(cancel))
            self.assert_serves(server)

    def test_streams_that_are_opened_and_reset_end_the_connection(self):
        block = wire.hpack(echo.call_fields())
        with echo.Server(BINARY) as server:
            self.assert_serves(server)
            before = server.memory_kib()
            flood = wire.open_and_reset(block, 20_000)
            answer = self.http2(server, flood)
            self.assertIsNotNone(wire.goaway_error(answer))
            self.assertEqual(server.stats().get("started", 0), 1)
            self.assertLess(server.memory_kib() - before, 16 << 10)
            self.assert_serves(server)

    def test_resets_that_are_provoked_end_the_connection(self):
        # A window update of zero makes the server reset the stream (RFC 9113 section 6.9).
        block = wire.hpack(echo.call_fields())
        with echo.Server(BINARY) as server:
            flood = b"".join(
                wire.frame(HEADERS, END_HEADERS, 2 * i + 1, block)
                + wire.frame(wire.WINDOW_UPDATE, 0, 2 * i + 1, bytes(4))
                for i in range(20_000)
            )
            answer = self.http2(server, flood)
            resets = sum(kind == RST_STREAM for kind, *_ in wire.frames(answer))
            self.assertLess(resets, 2000)
            self.assert_serves(server)

    def test_continuations_are_bounded(self):
        with echo.Server(BINARY) as server:
            flood = wire.frame(HEADERS, 0, 1, wire.hpack(echo.call_fields()))
            flood += wire.frame(wire.CONTINUATION, 0, 1, b"") * 20_000
            self.assertIsNotNone(wire.goaway_error(self.http2(server, flood)))
            fields = [("x" + str(i), "y" * 4000) for i in range(20)]
            block = wire.hpack(echo.call_fields(more=fields))
            pieces = [block[i : i + 16000] for i in range(0, len(block), 16000)]
            large = wire.frame(HEADERS, 0, 1, pieces[0])
            large += b"".join(wire.frame(wire.CONTINUATION, 0, 1, piece) for piece in pieces[1:-1])
            large += wire.frame(wire.CONTINUATION, END_HEADERS, 1, pieces[-1])
            answer = self.http2(server, large, lambda raw: b"too large" in raw)
            self.assertIn(b"too large", answer)
            self.assert_serves(server)

    def test_pings_and_settings_that_pile_up_end_the_connection(self):
        with echo.Server(BINARY) as server:
            self.assert_serves(server)
            before = server.memory_kib()
            for flood in (wire.frame(wire.PING, 0, 0, bytes(8)), wire.frame(SETTINGS, 0, 0)):
                with server.connect(2) as peer:
                    try:
                        peer.sendall(wire.START + flood * 200_000)
                    except (ConnectionError, TimeoutError):
                        pass
            self.assertLess(server.memory_kib() - before, 16 << 10)
            self.assert_serves(server)

    def test_more_streams_than_allowed_are_refused(self):
        with echo.Server(BINARY) as server:
            block = wire.hpack(echo.call_fields())
            raw = b"".join(
                wire.frame(HEADERS, END_HEADERS, 2 * i + 1, block) for i in range(101)
            )
            answer = self.http2(server, raw, lambda raw: has_frame(raw, RST_STREAM))
            refused = [stream for kind, _, stream, _ in wire.frames(answer) if kind == RST_STREAM]
            self.assertEqual(refused, [201])

    def test_broken_http2_ends_the_connection(self):
        with echo.Server(BINARY) as server:
            for name, raw in {
                "data on stream 0": wire.frame(DATA, 0, 0, b"x"),
                "even stream": wire.frame(HEADERS, END_HEADERS, 2, wire.hpack(echo.call_fields())),
                "bad HPACK": wire.frame(HEADERS, END_HEADERS, 1, b"\xff\xff\xff\xff\xff\xff"),
                "oversized frame": b"\xff\xff\xff" + bytes(6),
                "window overflow": wire.frame(wire.WINDOW_UPDATE, 0, 0, b"\x7f\xff\xff\xff") * 2,
            }.items():
                with self.subTest(name):
                    self.assertGreater(wire.goaway_error(self.http2(server, raw)) or 0, 0)
            self.assert_serves(server)

    def test_connections_are_bounded_and_the_surplus_is_told_so(self):
        with echo.Server(BINARY, connections=4) as server:
            held = [server.connect() for _ in range(4)]
            for peer in held:
                peer.sendall(echo.request(echo.STATS, b"{}"))
                peer.recv(65536)
            status, _, body = wire.response(self.exchange(server, b""))
            self.assertEqual((status, json.loads(body)["code"]), (503, "unavailable"))
            for peer in held:
                peer.close()
            self.wait_until_served(server)

    def test_large_bodies_at_once_are_bounded(self):
        with echo.Server(BINARY, bodies=2) as server:
            held = [server.connect() for _ in range(3)]
            for peer in held:
                peer.sendall(echo.request(echo.ECHO, None, [("Content-Length", 1 << 20)]) + bytes(100_000))
            # When one of the three is refused, the others have all the room.
            self.assertEqual(len(select.select(held, [], [], 30)[0]), 1)
            large = b'{"text":"' + b"a" * 100_000 + b'"}'
            answer = self.call(server, large)
            self.assertEqual((answer[0], self.code(answer)), (503, "unavailable"))
            self.assertIn("retry-after", answer[1])
            self.assert_serves(server)
            for peer in held:
                peer.close()
            self.wait_until_served(server, large)

    def test_calls_that_wait_are_bounded(self):
        with echo.Server(BINARY, workers=1, queued_calls=1) as server:
            slow = echo.request(echo.ECHO, b'{"sleepMs":60000}')
            held = [server.connect() for _ in range(3)]
            held[0].sendall(slow)
            server.wait_for("running", 1)
            for peer in held[1:]:
                peer.sendall(slow)
            # When one of the two is refused, the other has the queue's only place.
            self.assertEqual(len(select.select(held, [], [], 30)[0]), 1)
            answer = self.call(server, b"{}")
            self.assertEqual((answer[0], self.code(answer)), (503, "unavailable"))
            for peer in held:
                peer.close()
            server.wait_for("running", 0)
            self.wait_until_served(server)

    def test_clients_that_leave_cancel_their_runs(self):
        slow = b'{"sleepMs":60000}'
        with echo.Server(BINARY) as server:
            for i in range(1000):
                with server.connect() as peer:
                    peer.sendall(echo.request(echo.ECHO, slow))
                    if i % 50 == 0:
                        server.wait_for("running", 1)
            server.wait_for("running", 0)
            start = wire.START
            call = wire.frame(HEADERS, END_HEADERS, 1, wire.hpack(echo.call_fields()))
            call += wire.frame(DATA, END_STREAM, 1, slow)
            with server.connect() as peer:
                peer.sendall(start + call)
                server.wait_for("running", 1)
                peer.sendall(wire.frame(RST_STREAM, 0, 1, struct.pack(">I", 8)))
                server.wait_for("running", 0)
            with server.connect() as peer:
                peer.sendall(start + call)
                server.wait_for("running", 1)
            server.wait_for("running", 0)
            self.assert_serves(server)

    def test_a_zero_byte_message_is_valid(self):
        proto = [("Content-Type", "application/proto")]
        with echo.Server(BINARY) as server:
            for headers in (proto, proto + [("Content-Encoding", "gzip")]):
                self.assertEqual(self.call(server, b"", headers)[0], 200)
            answer = self.call(server, b"")
            self.assertEqual((answer[0], self.code(answer)), (400, "invalid_argument"))

    def test_timeouts_are_checked(self):
        with echo.Server(BINARY) as server:
            for text in ("0", "-1", "1.5", "12345678901", "", "1 2"):
                answer = self.call(server, b"{}", [("Connect-Timeout-Ms", text)])
                self.assertEqual((answer[0], self.code(answer)), (400, "invalid_argument"), text)
            self.assertEqual(self.call(server, b"{}", [("Connect-Timeout-Ms", "9999999999")])[0], 200)
            began = time.monotonic()
            answer = self.call(server, b'{"sleepMs":60000}', [("Connect-Timeout-Ms", "200")])
            self.assertEqual((answer[0], self.code(answer)), (504, "deadline_exceeded"))
            self.assertLess(time.monotonic() - began, 20)
            server.wait_for("running", 0)
            message = b"\x00\x00\x00\x00\x00"
            for text, status in (("99999999H", b"0"), ("1x", b"3"), ("", b"3")):
                fields = echo.call_fields(
                    content_type="application/grpc", more=[("grpc-timeout", text)]
                )
                raw = wire.frame(HEADERS, END_HEADERS, 1, wire.hpack(fields))
                raw += wire.frame(DATA, END_STREAM, 1, message)
                answer = self.http2(
                    server, raw, lambda raw: has_frame(raw, HEADERS) or has_frame(raw, wire.GOAWAY)
                )
                self.assertTrue(has_frame(answer, HEADERS))

    def test_deep_and_broken_messages_are_refused(self):
        deep = b'{"nested":' * 5000 + b"{}" + b"}" * 5000
        proto = b""
        for _ in range(200):
            size, prefix = len(proto), b""
            while size >= 128:
                prefix += bytes([size % 128 + 128])
                size //= 128
            proto = b"\x52" + prefix + bytes([size]) + proto
        with echo.Server(BINARY) as server:
            for body, kind in (
                (deep, "json"),
                (b"[" * 1_000_000, "json"),
                (b"{", "json"),
                (b'{"text":"\xff"}', "json"),
                (b'{"unknown":' + b"[" * 100_000, "json"),
                (proto, "proto"),
                (b"\x12\x01\xff", "proto"),
                (b"\x0a\xff", "proto"),
            ):
                answer = self.call(server, body, [("Content-Type", "application/" + kind)])
                self.assertEqual((answer[0], self.code(answer)), (400, "invalid_argument"), body[:20])
            self.assert_serves(server)

    def test_drain_lets_calls_end_and_refuses_new_ones(self):
        with echo.Server(BINARY) as server:
            running, idle = server.connect(), server.connect()
            kept = server.connect()
            for peer in (idle, kept):
                peer.sendall(echo.request(echo.STATS, b"{}"))
                peer.recv(65536)
            running.sendall(echo.request(echo.ECHO, b'{"sleepMs":3000,"text":"whole"}'))
            server.wait_for("running", 1)
            server.process.stdin.write("drain\n")
            server.process.stdin.flush()
            self.assertEqual(wire.receive_all(idle), b"")
            self.assertIn(b"whole", wire.receive_all(running))
            self.assertEqual(server.process.stdout.readline().strip(), "drained")
            for peer in (running, idle, kept):
                peer.close()
        self.assertEqual(server.code, 0)


unittest.main()
