"""Peers that mean harm to the real daemon: each is refused, in bounded time and memory, and the
next caller is served.  Usage: hostile_peers_test.py PLIMSOLLD PLIMSOLL_CLIENTS"""

import concurrent.futures
import gzip
import json
import pathlib
import struct
import sys
import threading
import unittest

import daemon_harness
from daemon_harness import SERVICE, Daemon, reason_of, wait_for, wire

MIB = 1 << 20
GZIP = ("Content-Encoding", "gzip")
PROTO = ("Content-Type", "application/proto")
CONNECT_TIMEOUT = "Connect-Timeout-Ms"


class Peers(unittest.TestCase):
    """One daemon for all; every test ends with a run that is answered rightly."""

    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon().__enter__()

    @classmethod
    def tearDownClass(cls):
        cls.daemon.__exit__()

    def tearDown(self):
        self.assertTrue(self.daemon.serves())
        self.assertIsNone(self.daemon.process.poll())

    def post(self, body, headers=(), method="Run", **more):
        """(status, fields, decoded JSON) of one call on a connection of its own."""
        raw = self.daemon.exchange(self.daemon.request(method, body, headers, close=True, **more))
        status, fields, answer = wire.response(raw)
        return status, fields, json.loads(answer or b"null")

    def refused(self, answer, status, code, reason="request"):
        self.assertEqual((answer[0], answer[2]["code"], reason_of(answer[2])),
                         (status, code, [reason]), answer)

    def grpc_web(self, message, more=()):
        """The whole answer to one gRPC-Web call, whose trailers are text."""
        body = b"\0" + struct.pack(">I", len(message)) + message
        headers = [("Content-Type", "application/grpc-web+proto"), *more]
        return self.daemon.exchange(self.daemon.request("Run", body, headers, close=True))

    # The peak of the daemon's memory from here on.
    def reset_peak(self):
        pathlib.Path(f"/proc/{self.daemon.process.pid}/clear_refs").write_text("5")
        return wire.memory_kib(self.daemon.process.pid)

    def peak(self):
        return wire.memory_kib(self.daemon.process.pid, "VmHWM")


def run_message(code="1", **fields):
    return json.dumps({"protocol": 2, "javascript": {"code": code}} | fields).encode()


class Bodies(Peers):
    def test_a_bomb_is_not_inflated(self):
        body = wire.bomb(1 << 30)
        self.assertLess(len(body), 2 * MIB)
        framed = b"\1" + struct.pack(">I", len(body)) + body
        web = [("Content-Type", "application/grpc-web"), ("grpc-encoding", "gzip")]
        for name, sent, headers, expected in (
                ("Connect proto", body, [GZIP, PROTO], b'"code":"resource_exhausted"'),
                ("Connect JSON", body, [GZIP], b'"code":"resource_exhausted"'),
                ("gRPC-Web", framed, web, b"grpc-status: 8")):
            with self.subTest(name):
                request = self.daemon.request("Run", sent, headers, close=True)
                before = self.reset_peak()
                self.assertIn(expected, self.daemon.exchange(request))
                self.assertLess(self.peak() - before, 20 << 10)

    def test_a_body_may_be_as_large_as_the_limit_before_and_after_inflation(self):
        def sized(size):  # blanks are part of JSON
            message = run_message("console.log(1)")
            return message + b" " * (size - len(message))

        def stored(size):  # a gzip of this size that saves nothing
            inner = size - (len(gzip.compress(sized(size), 0)) - size)
            return gzip.compress(sized(inner - (len(gzip.compress(sized(inner), 0)) - size)), 0)

        limit = 8 * MIB
        self.assertEqual(len(stored(limit)), limit)
        self.assertEqual(len(stored(limit + 1)), limit + 1)
        chunked = [("Transfer-Encoding", "chunked")]
        for size, expected in ((limit, 200), (limit + 1, 429)):
            pieces = b"%x\r\n%s\r\n0\r\n\r\n" % (size, sized(size))
            raw = self.daemon.request("Run", None, chunked, close=True) + pieces
            for name, answer in (
                    ("plain", self.post(sized(size))),
                    ("inflated", self.post(gzip.compress(sized(size)), [GZIP])),
                    ("before inflation", self.post(stored(size), [GZIP])),
                    ("chunked", wire.response(self.daemon.exchange(raw)))):
                with self.subTest(name, size=size):
                    self.assertEqual(answer[0], expected, answer)

    def test_the_memory_of_large_bodies_is_given_back(self):
        self.assertTrue(self.daemon.serves())
        before = wire.memory_kib(self.daemon.process.pid)
        large = gzip.compress(run_message("console.log('x'.repeat(60000))").ljust(8 * MIB))
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            for answer in pool.map(lambda _: self.post(large, [GZIP]), range(24)):
                self.assertIn(answer[0], (200, 429), answer)
        wait_for("it is given back", lambda: wire.memory_kib(self.daemon.process.pid) - before <
                 32 << 10, 60)

    def test_each_limit_of_a_message_holds_to_the_unit(self):
        def of(size, unit="x"):
            return unit * size

        def project(files=1, size=1, path="p", steps=("true",), artifacts=0):
            some = [{"path": f"{path}{i}"[-len(path):] if files == 1 else f"{path}{i}",
                     "content": of(size) if i == 0 else ""} for i in range(files)]
            return {"protocol": 2, "project": {"files": some, "steps": list(steps),
                                               "artifacts": [f"a{i}" for i in range(artifacts)]}}

        def rule(count, size=10):
            return {"softwareRule": {"mode": "approved", "identities": [
                f"{i}".ljust(size, "x") for i in range(count)]}}

        def script(code="1", profile="", **fields):
            return {"protocol": 2, "javascript": {"code": code, "grantProfile": profile}} | fields

        unsupported = (501, "unimplemented", "unsupported")
        environment = (400, "failed_precondition", "environment")
        permission = (403, "permission_denied", "permission")
        for name, message, unless_over in (
                ("code", lambda over: script("1;".ljust(MIB + over)), None),
                ("identities", lambda over: script(**rule(32 + over)), environment),
                ("identity", lambda over: script(**rule(1, 256 + over)), environment),
                ("profile", lambda over: script(profile=of(128 + over)), permission),
                ("files", lambda over: project(files=200 + over), unsupported),
                ("bytes", lambda over: project(size=4 * MIB - 1 + over), unsupported),
                ("path", lambda over: project(path=of(1024 + over)), unsupported),
                ("steps", lambda over: project(steps=["true"] * (16 + over)), unsupported),
                ("step", lambda over: project(steps=[of(128 * 1024 - 1 + over)]), unsupported),
                ("artifacts", lambda over: project(artifacts=32 + over), unsupported)):
            with self.subTest(name):
                exact = self.post(json.dumps(message(0)).encode())
                if unless_over:
                    self.refused(exact, *unless_over)
                else:
                    self.assertEqual(exact[0], 200, exact)
                self.refused(self.post(json.dumps(message(1)).encode()), 400, "invalid_argument")

    def test_heads_are_bounded_to_the_byte_and_to_the_field(self):
        own = 4  # Host, Content-Type, Authorization, Connection, and Content-Length below
        for count, status in ((128, 200), (129, 431)):
            more = [(f"X-{i}", "y") for i in range(count - own - 1)]
            self.assertEqual(self.post(run_message(), more)[0], status, count)
        body = run_message()
        bare = len(self.daemon.request("Run", body, [("X", "")], close=True)) - len(body)
        for size, status in ((64 << 10, 200), ((64 << 10) + 1, 431)):
            answer = self.post(body, [("X", "y" * (size - bare))])
            self.assertEqual(answer[0], status, size)

    def test_a_zero_byte_message_is_valid_and_refused_for_its_protocol(self):
        for headers in ([PROTO], [PROTO, GZIP]):
            answer = self.post(b"", headers)
            self.refused(answer, 400, "invalid_argument")
            self.assertIn("states no protocol number", answer[2]["message"])
        answer = self.grpc_web(b"")
        self.assertIn(b"grpc-status: 3\r\n", answer)
        self.assertIn(b"states no protocol number", answer)
        self.assertIn(b"grpc-status-details-bin: ", answer)

    def test_large_bodies_at_once_are_bounded_and_the_surplus_is_audited_as_what_it_is(self):
        before = len(self.daemon.audit())
        held = [self.daemon.connect() for _ in range(32)]
        for peer in held:
            head = self.daemon.request("Run", None, [("Content-Length", MIB)])
            peer.sendall(head + bytes(100_000))
        large = run_message("console.log(1)").ljust(100_000)

        def refusal():
            answer = self.post(large)
            return answer if answer[0] != 200 else None

        self.refused(wait_for("no room is left", refusal, 30), 503, "unavailable", "capacity")
        wait_for("its line", lambda: "concurrency" in [
            line["refusal"] for line in self.daemon.audit()[before:]], 30)
        self.assertTrue(self.daemon.serves())  # small ones have room
        for peer in held:
            peer.close()
        wait_for("there is room again", lambda: self.post(large)[0] == 200, 30)

    def test_a_body_is_not_read_before_the_caller_is_known(self):
        for length in (10, 1 << 40):
            raw = self.daemon.request("Run", None, [("Content-Length", length)], caller=None)
            with self.daemon.connect() as peer:
                peer.sendall(raw)
                status, _, body = wire.response(peer.recv(65536))
            self.refused((status, {}, json.loads(body)), 401, "unauthenticated", "permission")


class Framing(Peers):
    def test_what_could_be_smuggled_is_400_and_the_end(self):
        hello = (f"POST {SERVICE}Run HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json"
                 f"\r\nAuthorization: Bearer {self.daemon.tokens['ann']}\r\n").encode()
        inner = b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
        chunked = b"Transfer-Encoding: chunked\r\n\r\n"
        for name, tail in {
            "both lengths": b"Content-Length: 4\r\n" + chunked + b"0\r\n\r\n",
            "both, the other way": b"Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n"
                                   b"0\r\n\r\n",
            "two lengths": b"Content-Length: 0\r\nContent-Length: 40\r\n\r\n",
            "a list of lengths": b"Content-Length: 0, 40\r\n\r\n",
            "signed length": b"Content-Length: +4\r\n\r\nabcd",
            "hexadecimal prefix": chunked + b"0x0\r\n\r\n",
            "negative chunk": chunked + b"-1\r\n\r\n",
            "no chunk size": chunked + b"\r\n\r\n",
            "blank in the size": chunked + b"1 0\r\n\r\n",
            "huge chunk size": chunked + b"FFFFFFFFFFFFFFFFF\r\n",
            "chunk without CR": chunked + b"2\r\n{}\n0\r\n\r\n",
            "size line without CR": chunked + b"2\n{}\r\n0\r\n\r\n",
            "bare LF": b"X: y\n\r\n",
            "bare LF as the end": b"X: y\n\n",
            "folded": b"X: y\r\n Content-Length: 5\r\n\r\n",
            "hidden coding": b"Transfer-Encoding: xchunked\r\nContent-Length: 3\r\n\r\n",
            "chunked is not last": b"Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n",
            "blank before the colon": b"Transfer-Encoding : chunked\r\n\r\n",
        }.items():
            with self.subTest(name):
                answer = self.daemon.exchange(hello + tail + inner)
                self.assertTrue(answer.startswith(b"HTTP/1.1 400 "), answer)
                self.assertEqual(answer.count(b"content-length: "), 1, answer)
                self.assertIn(b"connection: close", answer)
                self.assertNotIn(b"alive", answer)

    def test_timeouts_are_positive_numbers_of_at_most_ten_digits(self):
        for text in ("0", "-1", "1.5", "12345678901", "", "+5", "1e3", "0x10"):
            answer = self.post(run_message(), [(CONNECT_TIMEOUT, text)])
            self.refused(answer, 400, "invalid_argument")
        status, _, body = self.post(run_message("console.log(1)"),
                                    [(CONNECT_TIMEOUT, "9999999999")])
        self.assertEqual((status, body["javascript"]["stdout"]), (200, "MQo="))

    def test_the_largest_grpc_timeout_is_clamped_and_works(self):
        message = b"\x08\x02\x52\x10\x0a\x0econsole.log(1)"
        answer = self.grpc_web(message, [("grpc-timeout", "99999999H")])
        self.assertIn(b"grpc-status: 0\r\n", answer)
        self.assertIn(b"1\n", answer)  # what the guest wrote
        self.assertIn(b"quickjs-wasm:sha256:", answer)
        for text in ("1x", "", "-1S", "999999999S", "1.5S"):
            answer = self.grpc_web(message, [("grpc-timeout", text)])
            self.assertIn(b"grpc-status: 3\r\n", answer, text)
            self.assertNotIn(b"quickjs-wasm:sha256:", answer, text)


class Floods(Peers):
    def served_during(self, attack):
        """Others call all the while; how many of their calls were answered rightly."""
        done, answers = threading.Event(), []

        def others():
            answers.append(self.daemon.serves())
            while not done.is_set():
                answers.append(self.daemon.serves())

        thread = threading.Thread(target=others)
        thread.start()
        try:
            return attack()
        finally:
            done.set()
            thread.join()
            self.assertTrue(answers and all(answers), answers)

    def test_streams_that_are_opened_and_reset_end_the_connection(self):
        fields = wire.call_fields(SERVICE + "Run", token=self.daemon.tokens["ann"])
        flood = wire.START + wire.open_and_reset(wire.hpack(fields), 20_000)
        before = self.reset_peak()
        answer = self.served_during(lambda: self.daemon.exchange(flood))
        self.assertIsNotNone(wire.goaway_error(answer))
        self.assertLess(self.peak() - before, 20 << 10)

    def test_continuations_without_end_end_the_connection(self):
        fields = wire.call_fields(SERVICE + "Run", token=self.daemon.tokens["ann"])
        block = wire.hpack(fields)
        more = wire.hpack([(f"x{i}", "y" * 1000) for i in range(16)])
        before = self.reset_peak()
        for piece in (b"", more):
            flood = wire.START + wire.frame(wire.HEADERS, 0, 1, block)
            flood += wire.frame(wire.CONTINUATION, 0, 1, piece) * (20_000 if not piece else 1000)
            answer = self.served_during(lambda raw=flood: self.daemon.exchange(raw))
            self.assertIsNotNone(wire.goaway_error(answer))
        self.assertLess(self.peak() - before, 20 << 10)

    def test_pings_and_settings_that_pile_up_are_bounded(self):
        before = self.reset_peak()
        for piece in (wire.frame(wire.PING, 0, 0, bytes(8)), wire.frame(wire.SETTINGS, 0, 0)):
            def attack(flood=piece * 200_000):
                with self.daemon.connect(2) as peer:
                    try:
                        peer.sendall(wire.START + flood)
                    except (ConnectionError, TimeoutError):
                        pass
            self.served_during(attack)
        self.assertLess(self.peak() - before, 20 << 10)


HOSTILE_TEXTS = ('x\n{"event":"code_run","caller":"forged"}', 'x"}\r\n{"event":"forged","a":"',
                 "\x1b[2J\x1b[31mred", "a\u2028b\u2029c", "tab\there", "back\\slash\"quote",
                 "\u202eright-to-left", "zero\u0000")


class Audit(unittest.TestCase):
    def test_nothing_that_a_caller_names_forges_an_audit_line(self):
        callers = [(text.replace("\0", "0"), "code:run") for text in HOSTILE_TEXTS]
        with Daemon(callers=callers) as daemon:
            names, sent = [], 0
            for (caller, _), text in zip(callers, HOSTILE_TEXTS):
                path = {"path": text, "content": text}
                for message in (
                        {"protocol": 2, "traceId": text, "javascript": {"code": "//" + text}},
                        {"protocol": 2, "traceId": text,
                         "project": {"files": [path], "steps": [text], "artifacts": [text]}},
                        {"protocol": 2, "javascript": {"code": "1", "grantProfile": text}},
                        {"protocol": 2, "minimumIsolation": text, "javascript": {"code": "1"}},
                        {"protocol": 2, "softwareRule": {"mode": text, "identities": [text]},
                         "javascript": {"code": "1"}},
                        {"protocol": 2, "javascript": {"code": f"console.log({text!r})"}}):
                    daemon.call("Run", message, caller)
                    sent += 1
                    names.append(caller)
            wait_for("every line", lambda: daemon.audit_path.read_bytes().count(b"\n") >= sent, 30)
            raw = daemon.audit_path.read_bytes()
            self.assertTrue(raw.isascii())
            self.assertTrue(all(byte >= 0x20 or byte == 0x0A for byte in raw))
            lines = raw.split(b"\n")
            self.assertEqual(lines.pop(), b"")
            self.assertEqual(len(lines), sent)
            parsed = [json.loads(line) for line in lines]
            self.assertEqual([line["caller"] for line in parsed], names)
            self.assertEqual({tuple(line) for line in parsed}, {tuple(parsed[0])})
            for line in parsed:
                self.assertEqual(line["event"], "code_run")
                self.assertEqual((line["trace_id"], line["profile"]), ("", ""))
            self.assertTrue(all(line["trace_id_rejected"] for line in parsed[0::6]))
            log = daemon.log_path.read_bytes()
            self.assertTrue(all(byte >= 0x20 or byte == 0x0A for byte in log))
            self.assertNotIn(b"forged", log)


if __name__ == "__main__":
    daemon_harness.PLIMSOLLD, daemon_harness.CLIENTS = sys.argv[1:3]
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
