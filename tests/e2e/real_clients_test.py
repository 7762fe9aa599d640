"""Real clients against the real daemon, in clear and over TLS: Connect and gRPC libraries of
Node.js, gRPC's own C++ library, and curl in each form that people write by hand.

Usage: real_clients_test.py PLIMSOLLD PLIMSOLL_CLIENTS SOURCE_DIR GRPC_CLIENT GRPC_PROTO_DIR"""

import base64
import json
import os
import pathlib
import subprocess
import sys
import unittest

import daemon_harness
from daemon_harness import SERVICE, Daemon, reason_of

SOURCE = GRPC_CLIENT = GRPC_PROTO = ""
EVERY_BYTE = "process.stdout.write(Uint8Array.from({ length: 256 }, (_, i) => i))"
# name, arguments, over TLS, the HTTP version that is used then
CURLS = (("h1", ["--http1.1"], False, "1.1"), ("h2c", ["--http2-prior-knowledge"], False, "2"),
         ("upgrade", ["--http2"], False, "1.1"), ("h1 over TLS", ["--http1.1"], True, "1.1"),
         ("h2 over TLS", ["--http2"], True, "2"))


class RealClients(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.clear = Daemon().__enter__()
        cls.secure = Daemon(tls=True, same_callers_as=cls.clear).__enter__()

    @classmethod
    def tearDownClass(cls):
        cls.secure.__exit__()
        cls.clear.__exit__()

    def run_program(self, *arguments, token=""):
        done = subprocess.run([str(a) for a in arguments], capture_output=True, text=True,
                              timeout=240, check=False, env=os.environ | {"TOKEN": token})
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def token(self):
        return self.clear.tokens["ann"]

    def test_node(self):
        descriptors = pathlib.Path(self.clear.folder.name) / "sandbox.binpb"
        self.run_program(
            "protoc", f"--proto_path={SOURCE}/proto", f"--proto_path={GRPC_PROTO}",
            "--include_imports", f"--descriptor_set_out={descriptors}",
            "plimsoll/v1/sandbox.proto", "google/rpc/status.proto",
            "grpc/health/v1/health.proto", "grpc/reflection/v1/reflection.proto")
        rpc = pathlib.Path(SOURCE) / "tests" / "rpc"
        out = self.run_program(
            "node", rpc / "real_clients.mjs", rpc / "sandbox_checks.mjs", descriptors,
            self.clear.port, self.secure.port, self.secure.cert, token=self.token())
        # Connect and gRPC-Web at 4 places, gRPC at 2 of them; grpc-js in clear and over TLS.
        self.assertEqual(out.count("ok "), 5 * 4 + 2 * 2 + 2, out)

    def test_grpc_cpp(self):
        self.run_program(GRPC_CLIENT, self.clear.port, self.secure.port, self.secure.cert,
                         token=self.token())

    def curl(self, path, *arguments, tls=False, token=None):
        base = f"https://localhost:{self.secure.port}" if tls else (
            f"http://127.0.0.1:{self.clear.port}")
        command = ["curl", "-sS", "-w", "\n%{http_code} %{http_version}", *arguments]
        if tls:
            command += ["--cacert", self.secure.cert]
        if token:
            command += ["-H", f"Authorization: Bearer {token}"]
        body, _, last = self.run_program(*command, base + path).rpartition("\n")
        status, version = last.split(" ")
        return int(status), version, body

    def run_by_curl(self, message, arguments, tls, token):
        status, version, body = self.curl(
            SERVICE + "Run", "-H", "Content-Type: application/json", "-d", json.dumps(message),
            *arguments, tls=tls, token=token)
        return status, version, json.loads(body)

    def test_curl_runs(self):
        message = {"protocol": 2, "javascript": {"code": EVERY_BYTE}}
        for name, arguments, tls, version in CURLS:
            for more in ([], ["--compressed"], ["-H", "Transfer-Encoding: chunked"],
                         ["-H", "Connect-Protocol-Version: 1"], ["-H", "Expect: 100-continue"]):
                if version == "2" and "Transfer-Encoding: chunked" in more:
                    continue  # HTTP/2 has none
                with self.subTest(name, more=more):
                    status, seen, body = self.run_by_curl(
                        message | {"minimumIsolation": "process"}, arguments + more, tls,
                        self.token())
                    self.assertEqual((status, seen, body["isolation"]), (200, version, "process"))
                    stdout = base64.b64decode(body["javascript"]["stdout"])
                    self.assertEqual(stdout, bytes(range(256)))

    def test_curl_is_refused_with_types(self):
        message = {"protocol": 2, "javascript": {"code": "1"}}
        for name, arguments, tls, _ in CURLS:
            for more, token, expected in (
                    ({"minimumIsolation": "vm"}, self.token(),
                     (400, "failed_precondition", ["isolation"])),
                    ({}, "0" * 64, (401, "unauthenticated", ["permission"])),
                    ({}, None, (401, "unauthenticated", ["permission"])),
                    ({"protocol": 0}, self.token(), (400, "invalid_argument", ["request"]))):
                with self.subTest(name, more=more):
                    status, _, body = self.run_by_curl(message | more, arguments, tls, token)
                    self.assertEqual((status, body["code"], reason_of(body)), expected)

    def test_curl_describes_by_get_and_by_post(self):
        query = "?connect=v1&encoding=json&message=%7B%7D"
        coded = "?message=e30&base64=1&encoding=json&connect=v1&unknown=1"
        post = ["-H", "Content-Type: application/json", "-d", "{}"]
        for name, arguments, tls, _ in CURLS:
            for path, more in ((query, []), (coded, []), ("", post)):
                with self.subTest(name, path=path):
                    status, _, body = self.curl(SERVICE + "Describe" + path, *more, *arguments,
                                                tls=tls, token=self.token())
                    self.assertEqual(status, 200, body)
                    described = json.loads(body)
                    self.assertEqual((described["protocol"], described["sandbox"]), (2, "wasm"))
            with self.subTest(name, path="Run by GET"):
                status, _, body = self.curl(SERVICE + "Run" + query, *arguments, tls=tls,
                                            token=self.token())
                self.assertEqual((status, json.loads(body)["code"]), (405, "unimplemented"))

    def test_curl_probes(self):
        check = "/grpc.health.v1.Health/Check"
        post = ["-H", "Content-Type: application/json", "-d", "{}"]
        for name, arguments, tls, _ in CURLS:
            with self.subTest(name):
                self.assertEqual(self.curl("/healthz", *arguments, tls=tls)[::2], (200, "alive\n"))
                self.assertEqual(self.curl("/readyz", *arguments, tls=tls)[::2], (200, "ready\n"))
                status, _, body = self.curl(check, *post, *arguments, tls=tls)
                self.assertEqual((status, json.loads(body)["status"]), (200, "SERVING"))


if __name__ == "__main__":
    daemon_harness.PLIMSOLLD, daemon_harness.CLIENTS = sys.argv[1:3]
    SOURCE, GRPC_CLIENT, GRPC_PROTO = sys.argv[3:6]
    unittest.main(argv=[sys.argv[0], *sys.argv[6:]], verbosity=2)
