#!/usr/bin/env python3
"""Real clients: clients_test.py ECHO_SERVER SOURCE_DIR GRPC_CLIENT

curl in each form, Connect and gRPC libraries of Node.js, and gRPC's own C++ library."""

import json
import os
import pathlib
import socket
import ssl
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import echo  # noqa: E402
import peer as wire  # noqa: E402

BINARY, SOURCE, GRPC_CLIENT = (pathlib.Path(sys.argv.pop(1)) for _ in range(3))
HERE = SOURCE / "tests" / "rpc"


class Clients(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.cert, key = wire.make_certificate(cls.folder.name)
        cls.server = echo.Server(BINARY, cert=cls.cert, key=key, threads=2)

    @classmethod
    def tearDownClass(cls):
        cls.server.__exit__()
        cls.folder.cleanup()

    def run_program(self, *arguments, timeout=240, **env):
        done = subprocess.run(
            [str(a) for a in arguments], capture_output=True, text=True, timeout=timeout,
            check=False, env=os.environ | env
        )
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def test_node(self):
        descriptors = pathlib.Path(self.folder.name) / "echo.binpb"
        self.run_program(
            "protoc", f"--proto_path={HERE}", "--include_imports",
            f"--descriptor_set_out={descriptors}", "echo.proto",
        )  # fmt: skip
        out = self.run_program(
            "node", HERE / "real_clients.mjs", HERE / "echo_checks.mjs", descriptors,
            self.server.port, self.server.tls_port, self.cert, TOKEN=echo.TOKEN,
        )  # fmt: skip
        self.assertEqual(out.count("ok "), 5 * 4 + 2 * 2 + 2, out)

    def test_grpc_cpp(self):
        self.run_program(GRPC_CLIENT, self.server.port, self.server.tls_port, self.cert,
                         TOKEN=echo.TOKEN)

    def curl(self, path, *arguments, tls=False):
        base = f"https://localhost:{self.server.tls_port}" if tls else f"http://127.0.0.1:{self.server.port}"
        command = ["curl", "-sS", "-w", "\n%{http_code} %{http_version} %{content_type}", *arguments]
        if tls:
            command += ["--cacert", self.cert]
        out = self.run_program(*command, base + path)
        body, _, last = out.rpartition("\n")
        status, version, content_type = last.split(" ", 2)
        return int(status), version, content_type, body

    def test_curl(self):
        token = ["-H", f"Authorization: Bearer {echo.TOKEN}"]
        as_json = ["-H", "Content-Type: application/json", "-d", '{"text":"a","number":"5"}']
        for arguments, tls, version in (
            ([], False, "1.1"),
            (["--http2-prior-knowledge"], False, "2"),
            (["--http2"], False, "1.1"),
            (["--http1.1"], True, "1.1"),
            (["--http2"], True, "2"),
            (["--http1.0"], False, "1.1"),
            (["--compressed"], False, "1.1"),
            (["-H", "Transfer-Encoding: chunked"], False, "1.1"),
            (["-H", "Expect: 100-continue"], False, "1.1"),
        ):
            with self.subTest(arguments=arguments, tls=tls):
                status, seen, kind, body = self.curl(echo.ECHO, *token, *as_json, *arguments, tls=tls)
                self.assertEqual((status, seen, kind), (200, version, "application/json"), body)
                want = {"text": "a", "number": "5", "caller": "tester", "protocol": "connect"}
                self.assertEqual(json.loads(body), want)

    def test_tls_clients_that_vanish_do_no_harm(self):
        trust = ssl.create_default_context(cafile=self.cert)
        call = echo.request(echo.ECHO, b'{"answerBytes":20000000}')
        for _ in range(20):
            plain = socket.create_connection(("127.0.0.1", self.server.tls_port), 10)
            # A close with unread bytes is a reset: the next write of the server raises SIGPIPE.
            with trust.wrap_socket(plain, server_hostname="localhost") as peer:
                peer.sendall(call)
                peer.recv(1000)
        with socket.create_connection(("127.0.0.1", self.server.tls_port), 10) as peer:
            peer.sendall(b"GET / HTTP/1.1\r\n\r\n")
            wire.receive_all(peer)
        self.assertIsNone(self.server.process.poll())
        self.assertEqual(self.curl("/healthz", tls=True)[0], 200)

    def test_curl_get(self):
        token = ["-H", f"Authorization: Bearer {echo.TOKEN}"]
        query = "?unknown=1&message=eyJ0ZXh0IjoiYSJ9&base64=1&encoding=json&connect=v1"
        for more in ([], ["--http2-prior-knowledge"]):
            status, _, _, body = self.curl(echo.DESCRIBE + query, *token, *more)
            self.assertEqual((status, json.loads(body)["text"]), (200, "a"))
            status, _, kind, body = self.curl(echo.ECHO + query, *token, *more)
            self.assertEqual((status, kind, json.loads(body)["code"]), (405, "application/json", "unimplemented"))

    def test_every_refusal_is_connect_json(self):
        token = ["-H", f"Authorization: Bearer {echo.TOKEN}"]
        data = ["-d", "{}"]
        as_json = ["-H", "Content-Type: application/json"]
        for path, arguments, want, code in (
            (echo.ECHO, [*as_json, *data], 401, "unauthenticated"),
            (echo.ECHO, [*token, *data], 415, "invalid_argument"),
            ("/nothing", [*token, *as_json, *data], 404, "unimplemented"),
            (echo.ECHO, [*token, "-X", "PUT", *as_json, *data], 405, "unimplemented"),
            (echo.ECHO, [*token, *as_json, "-H", "Connect-Protocol-Version: 2", *data], 400, "invalid_argument"),
            (echo.ECHO, [*token, *as_json, "-H", "Content-Encoding: br", *data], 501, "unimplemented"),
            (echo.ECHO, [*token, *as_json, "-d", '{"throws":true}'], 500, "internal"),
            (echo.ECHO, [*token, "-H", "Content-Type: application/grpc", *data], 415, "invalid_argument"),
        ):
            for more in ([], ["--http2-prior-knowledge"]):
                if "application/grpc" in str(arguments) and more:
                    continue
                with self.subTest(path=path, arguments=arguments, more=more):
                    status, _, kind, body = self.curl(path, *arguments, *more)
                    self.assertEqual((status, kind, json.loads(body)["code"]), (want, "application/json", code))

    def test_endpoints(self):
        for more in ([], ["--http2-prior-knowledge"]):
            self.assertEqual(self.curl("/healthz", *more)[::3], (200, "ok\n"))
            for _ in range(20):
                self.assertEqual(self.curl("/readyz", *more)[::3], (200, "ready\n"))
            self.assertEqual(self.curl("/healthz", "-d", "x", *more)[0], 405)
            self.assertEqual(self.curl("/healthz", "-I", *more)[0], 200)

    def test_large_answers_are_compressed_for_who_takes_it(self):
        call = ["-H", f"Authorization: Bearer {echo.TOKEN}", "-H", "Content-Type: application/json",
                "-d", '{"answerBytes":100000}', "-D", "-", "-o", "/dev/null"]  # fmt: skip
        for accept, want in (("gzip", True), ("identity, gzip", False), ("br", False), ("gzip;q=0", False)):
            head = self.curl(echo.ECHO, *call, "-H", f"Accept-Encoding: {accept}")[3]
            self.assertEqual("content-encoding: gzip" in head, want, accept)


unittest.main()
