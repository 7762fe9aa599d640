"""Grants through the daemon: agent code calls an API that this test serves, and never holds its
credential.

Usage: grants_test.py PLIMSOLLD PLIMSOLL_CLIENTS PLIMSOLL SOURCE_DIR GRPC_PROTO_DIR"""

import base64
import http.server
import json
import os
import pathlib
import ssl
import subprocess
import sys
import tempfile
import threading
import unittest

import daemon_harness
from daemon_harness import Daemon, reason_of, wait_for, wire

PLIMSOLL = SOURCE = GRPC_PROTO = ""
BEARER = "s3cret-" + os.urandom(12).hex()
HMAC_KEY = os.urandom(24).hex()


class Api(http.server.ThreadingHTTPServer):
    """Records what it is asked, and looks at the workers while it is."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, tls=None):
        self.seen, self.on_request = [], lambda: None
        super().__init__(("127.0.0.1", 0), Handler)
        if tls:
            self.socket = tls.wrap_socket(self.socket, server_side=True)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def origin(self):
        return f"http://127.0.0.1:{self.server_address[1]}"


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self):
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length)
        self.server.seen.append((self.command, self.path, self.headers.get("Authorization"),
                                 sorted(name.lower() for name in self.headers), body))
        self.server.on_request()
        reply = json.dumps({"path": self.path, "got": body.decode()}).encode()
        self.send_response(404 if self.path == "/v1/orders/404" else 200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(reply)))
        self.send_header("Set-Cookie", "session=1")
        self.end_headers()
        self.wfile.write(reply)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = answer

    def log_message(self, *_):
        pass


class KeyLog(unittest.TestCase):
    def test_the_keys_of_connections_are_not_written_though_the_environment_asks_for_it(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            cert, key = wire.make_certificate(name)
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(cert, key)
            api = Api(context)
            self.addCleanup(api.shutdown)
            (folder / "grants.json").write_text(json.dumps({"profiles": {"orders": {
                "base_url": f"https://localhost:{api.server_address[1]}", "allow": ["GET /v1/orders/*"],
                "token": {"type": "static", "env": "SHOP_TOKEN"}, "allowed_callers": ["ann"]}}}))
            (folder / "grants.json").chmod(0o600)
            log = folder / "keys"
            with Daemon(PLIMSOLL_GRANTS_FILE=str(folder / "grants.json"), SHOP_TOKEN=BEARER,
                        SSLKEYLOGFILE=str(log)) as daemon:
                # Nobody trusts this certificate; the keys are agreed on before it is looked at.
                status, body, _ = daemon.call("Run", {
                    "protocol": 2, "minimumIsolation": "process", "javascript": {
                        "code": "console.log((await host.raw('GET', '/v1/orders/7')).status)",
                        "grantProfile": "orders"}})
                self.assertEqual((status, base64.b64decode(body["javascript"]["stdout"])), (200, b"502\n"))
                self.assertEqual(api.seen, [])
                self.assertFalse(log.exists())
                self.assertIn("SSLKEYLOGFILE is ignored", daemon.log_path.read_text())


class Grants(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        daemon_harness.adopt_orphans()
        cls.api = Api()
        cls.folder = tempfile.TemporaryDirectory()
        profiles = pathlib.Path(cls.folder.name) / "grants.json"
        static = {"type": "static", "env": "SHOP_TOKEN"}
        jwt = {"type": "jwt", "alg": "HS256", "secret_env": "SHOP_KEY", "audience": "shop"}
        cls.file = profiles
        profiles.write_text(json.dumps({"profiles": {
            "orders": {"base_url": cls.api.origin, "token": static, "allowed_callers": ["ann"],
                       "allow": ["GET /v1/orders/*", "GET /v1/orders?status&limit",
                                 "POST /v1/orders/*/notes"]},
            "minted": {"base_url": cls.api.origin, "token": jwt, "allowed_callers": ["*"],
                       "allow": ["GET /v1/orders/*"], "global": "shop", "scopes": ["orders:read"],
                       "preamble": "shop.order = (id) => shop.get(`/v1/orders/${id}`);"}}}))
        profiles.chmod(0o600)
        settings = {"PLIMSOLL_GRANTS_FILE": str(profiles), "SHOP_TOKEN": BEARER,
                    "SHOP_KEY": HMAC_KEY, "SANDBOX_WASM_POOL": "1"}
        cls.daemon = Daemon(**settings).__enter__()
        cls.secure = Daemon(tls=True, same_callers_as=cls.daemon, **settings).__enter__()

    @classmethod
    def tearDownClass(cls):
        cls.secure.__exit__()
        cls.daemon.__exit__()
        cls.api.shutdown()
        cls.folder.cleanup()

    def setUp(self):
        self.api.seen.clear()
        self.api.on_request = lambda: None

    def run_with(self, profile, code, caller="ann"):
        return self.daemon.call("Run", {"protocol": 2, "minimumIsolation": "process", "javascript": {
            "code": code, "grantProfile": profile}}, caller)

    def stdout(self, profile, code, caller="ann"):
        status, body, _ = self.run_with(profile, code, caller)
        self.assertEqual(status, 200, body)
        result = body["javascript"]
        self.assertEqual(base64.b64decode(result.get("stderr", "")), b"")
        return base64.b64decode(result["stdout"]).decode()

    def last_line(self):
        return wait_for("an audit line", self.daemon.audit, 30)[-1]

    def test_a_listed_route_is_called_with_the_credential_and_nothing_else(self):
        out = self.stdout("orders", "console.log(JSON.stringify(await host.get('/v1/orders/7')))")
        self.assertEqual(json.loads(out), {"path": "/v1/orders/7", "got": ""})
        self.assertEqual([seen[:3] for seen in self.api.seen],
                         [("GET", "/v1/orders/7", f"Bearer {BEARER}")])
        self.assertLessEqual(set(self.api.seen[0][3]),
                             {"host", "accept", "accept-encoding", "authorization", "user-agent"})

    def test_bodies_and_queries_arrive_as_they_were_sent(self):
        self.stdout("orders", r"""
            await host.post('/v1/orders/7/notes', '{"X-A":"1\\r\\nX-B: 2"}');
            await host.get('/v1/orders?status=open&limit=5');
            await host.get('/v1/orders/404').catch((e) => console.log(e.status, e.policy));""")
        wait_for("an audit line", lambda: self.last_line()["host_calls"] == 3, 10)
        self.assertEqual([(seen[0], seen[1], seen[4]) for seen in self.api.seen],
                         [("POST", "/v1/orders/7/notes", rb'{"X-A":"1\r\nX-B: 2"}'),
                          ("GET", "/v1/orders?status=open&limit=5", b""),
                          ("GET", "/v1/orders/404", b"")])
        self.assertNotIn("x-b", self.api.seen[0][3])

    def test_what_is_not_listed_never_reaches_the_api(self):
        out = self.stdout("orders", r"""
            const tries = [['DELETE', '/v1/orders/7'], ['GET', '/v1/orders/7/'], ['GET', '//v1/orders/7'],
              ['GET', '/v1/orders/..'], ['GET', '/v1/orders/%2e%2e'], ['GET', '/v1/orders/7?x=1'],
              ['GET', '/v1/orders/7#a'], ['GET', '/v1/orders/7;b'], ['GET', '/V1/orders/7'],
              ['GET', 'http://127.0.0.1/v1/orders/7'], ['GET', '127.0.0.1:80'], ['get', '/v1/orders/7'],
              ['GET', '/v1/orders/7\r\nX: 1'], ['GET', '/v1/orders/\0'], ['GET', '/v1/orders/é'],
              ['GET', '/v1/orders?status=open&status=open'], ['GET', '/v1/orders?secret=1'],
              ['GET', '/v1/orders/' + 'a'.repeat(65536)]];
            for (const [method, target] of tries) {
              const { status, refused, body } = await host.raw(method, target);
              if (status !== 403 || !refused || !/allowlist/.test(body)) console.log(method, target);
            }
            console.log(tries.length);""")
        self.assertEqual(out, "18\n")
        self.assertEqual(self.api.seen, [])
        wait_for("an audit line", lambda: self.last_line()["host_calls_denied"] == 18, 10)
        self.assertEqual(self.last_line()["host_calls"], 0)
        self.assertIn('plimsoll_host_calls_total{profile="orders",result="denied"}',
                      self.daemon.metrics())

    def test_a_profile_of_others_and_one_that_is_none_are_refused_alike(self):
        answers = [self.run_with("orders", "1", "eve"), self.run_with("nonesuch", "1", "eve")]
        for status, body, _ in answers:
            self.assertEqual((status, body["code"], reason_of(body)),
                             (403, "permission_denied", ["permission"]))
        self.assertEqual(answers[0][1], answers[1][1])
        wait_for("an audit line", lambda: self.last_line()["refusal"] == "grant_profile", 10)
        self.assertEqual(self.api.seen, [])

    def test_each_run_has_a_fresh_token_in_the_callers_name(self):
        claims = []
        for caller in ("ann", "eve"):
            self.stdout("minted", "console.log((await shop.order(1)).path)", caller)
            head, payload, _ = self.api.seen[-1][2].removeprefix("Bearer ").split(".")
            claims.append(json.loads(base64.urlsafe_b64decode(payload + "==")))
            self.assertEqual(json.loads(base64.urlsafe_b64decode(head + "=="))["alg"], "HS256")
        self.assertEqual([c["sub"] for c in claims], ["ann", "eve"])
        self.assertEqual({c["aud"] for c in claims}, {"shop"})
        self.assertEqual({c["scope"] for c in claims}, {"orders:read"})
        self.assertNotEqual(claims[0]["jti"], claims[1]["jti"])

    def test_a_run_without_a_profile_has_no_client(self):
        status, body, _ = self.daemon.run("console.log(typeof host)")
        self.assertEqual((status, base64.b64decode(body["javascript"]["stdout"])),
                         (200, b"undefined\n"))

    def test_describe_says_that_snippets_may_be_granted_an_api(self):
        self.assertTrue(self.daemon.call("Describe", {})[1]["supportsJavascriptGrants"])
        with Daemon() as plain:
            self.assertFalse(plain.call("Describe", {})[1].get("supportsJavascriptGrants", False))

    def test_the_credential_is_nowhere_but_on_the_wire(self):
        environments = []

        def look():
            for pid, _ in self.daemon.descendants():
                environments.append(pathlib.Path(f"/proc/{pid}/environ").read_bytes())
                environments.append(pathlib.Path(f"/proc/{pid}/cmdline").read_bytes())
        self.api.on_request = look
        out = self.stdout("orders", """
            const seen = JSON.stringify([await host.raw('GET', '/v1/orders/7'), process.env,
              Object.getOwnPropertyNames(host), String(host.get)]);
            console.log(seen);""")
        self.assertGreater(len(environments), 2)
        pages = [out, self.daemon.metrics(), self.daemon.log_path.read_text(),
                 self.daemon.audit_path.read_text(), repr(environments), repr(sys.argv)]
        for secret in (BEARER, HMAC_KEY):
            for page in pages:
                self.assertNotIn(secret, page)
        limits = pathlib.Path(f"/proc/{self.daemon.process.pid}/limits").read_text()
        self.assertRegex(limits, r"Max core file size +0 +0")

    def test_real_clients_select_a_profile(self):
        descriptors = pathlib.Path(self.folder.name) / "sandbox.binpb"
        subprocess.run(["protoc", f"--proto_path={SOURCE}/proto", f"--proto_path={GRPC_PROTO}",
                        "--include_imports", f"--descriptor_set_out={descriptors}",
                        "plimsoll/v1/sandbox.proto", "google/rpc/status.proto"], check=True,
                       timeout=60)
        rpc = pathlib.Path(SOURCE) / "tests" / "rpc"
        done = subprocess.run(
            ["node", rpc / "real_clients.mjs", rpc / "grants_checks.mjs", descriptors,
             str(self.daemon.port), str(self.secure.port), self.secure.cert],
            capture_output=True, text=True, timeout=240, check=False,
            env=os.environ | {"TOKEN": self.daemon.tokens["ann"],
                              "FOREIGN_TOKEN": self.daemon.tokens["eve"]})
        self.assertEqual((done.returncode, done.stdout.count("ok ")), (0, 26),
                         done.stdout + done.stderr)

    def test_calls_of_one_run_overlap(self):
        gate = threading.Barrier(16)
        self.api.on_request = lambda: gate.wait(20)  # passes only when sixteen are there at once
        out = self.stdout("orders", """
            const all = await Promise.all(
              Array.from({length: 16}, (_, i) => host.get(`/v1/orders/${i}`)));
            console.log(all.length)""")
        self.assertEqual(out, "16\n")

    def test_a_run_that_is_given_up_still_tells_its_calls(self):
        code = "await host.get('/v1/orders/1'); host.get('/v1/orders/2'); for (;;);"
        body = json.dumps({"protocol": 2, "javascript": {
            "code": code, "grantProfile": "orders"}}).encode()
        with self.daemon.connect() as peer:
            peer.sendall(self.daemon.request("Run", body))
            # The second call is made after the answer to the first.
            wait_for("the second call", lambda: len(self.api.seen) == 2, 20)
        [line] = wait_for("an audit line", lambda: [
            line for line in self.daemon.audit() if line["outcome"] == "canceled"], 10)
        self.assertEqual(line["profile"], "orders")
        self.assertGreaterEqual(line["host_calls"], 1)

    def test_the_command_selects_a_profile(self):
        token = pathlib.Path(self.folder.name) / "token"
        token.write_text(self.daemon.tokens["ann"])
        token.chmod(0o600)
        run = [PLIMSOLL, "run", "--remote", f"http://127.0.0.1:{self.daemon.port}", "--token-file",
               token, "-e", "console.log((await host.get('/v1/orders/7')).path)"]
        done = subprocess.run([*run, "--grant-profile", "orders"], capture_output=True, timeout=60,
                              check=False)
        self.assertEqual((done.returncode, done.stdout), (0, b"/v1/orders/7\n"), done.stderr)
        done = subprocess.run([*run, "--grant-profile", "others"], capture_output=True, timeout=60,
                              check=False)
        self.assertEqual((done.returncode, done.stdout), (79, b""), done.stderr)

    def test_a_run_that_ends_before_its_answers_hides_no_call(self):
        gate, before = threading.Event(), len(self.daemon.audit())
        self.api.on_request = lambda: gate.wait(20)
        ended = threading.Thread(target=self.run_with, args=("orders", """
            host.post('/v1/orders/77/notes', {});
            setTimeout(() => process.exit(0), 300);"""))
        ended.start()
        ended.join()
        [line] = wait_for("an audit line", lambda: self.daemon.audit()[before:], 10)
        gate.set()
        self.assertEqual((line["outcome"], line["host_calls"]), ("ok", 1))

    def test_the_checker_reads_the_file_as_the_daemon_does(self):
        done = subprocess.run([PLIMSOLL, "grants", "check", self.file], capture_output=True,
                              text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("/v1/orders/*", done.stdout)
        broken = pathlib.Path(self.folder.name) / "broken.json"
        broken.write_text('{"profiles": {"a": {"base_url": "ftp://x", "allow": ["FETCH /"]}}}')
        broken.chmod(0o600)
        done = subprocess.run([PLIMSOLL, "grants", "check", broken], capture_output=True, text=True,
                              timeout=60, check=False)
        self.assertNotEqual(done.returncode, 0)
        with Daemon(PLIMSOLL_GRANTS_FILE=str(broken)) as daemon:
            self.assertEqual(daemon.process.wait(20), 1)
            log = daemon.log_path.read_text()
        for field in ("base_url", "allow", "allowed_callers"):
            self.assertIn(field, done.stderr)
            self.assertIn(field, log)


if __name__ == "__main__":
    daemon_harness.PLIMSOLLD, daemon_harness.CLIENTS, PLIMSOLL, SOURCE, GRPC_PROTO = (
        sys.argv[1:6])
    unittest.main(argv=sys.argv[:1], verbosity=2)
