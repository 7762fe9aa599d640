"""From a document to an agent's calls: plimsoll-specgen writes the profile, the daemon enforces it,
and an API that follows the document is asked what its methods say.

Usage: specgen_test.py PLIMSOLLD PLIMSOLL_CLIENTS PLIMSOLL PLIMSOLL_SPECGEN SOURCE_DIR"""

import base64
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import daemon_harness
from daemon_harness import Daemon, wait_for
from documented_api import DocumentedApi

PLIMSOLL = SPECGEN = ""
SOURCE = pathlib.Path()
BEARER = "s3cret-" + os.urandom(12).hex()


def answer(status, example=None):
    if example is None:
        return {status: {"description": "done"}}
    content = {"application/json": {"schema": {"type": "object"}, "example": example}}
    return {status: {"description": "done", "content": content}}


BOOK = {"id": "7", "title": "Emma"}
BODY = {"required": True, "content": {"application/json": {"schema": {
    "type": "object", "required": ["title"], "properties": {"title": {"type": "string"}}}}}}
LIBRARY = {
    "openapi": "3.0.3",
    "info": {"title": "A Library", "version": "1"},
    "servers": [{"url": "https://library.example/api/v2"}],
    "paths": {
        "/health": {"get": {"operationId": "health", "x-plimsoll-health-check": True,
                            "responses": answer("200", {"ok": True})}},
        "/books": {
            "get": {"operationId": "list-books", "summary": "All books", "parameters": [
                {"name": "sort[by]", "in": "query", "schema": {"enum": ["title", "a/b & c"]}},
                {"name": "limit", "in": "query", "schema": {"type": "integer"}},
                {"name": "shelf", "in": "query", "required": True, "schema": {"type": "string"}}],
                "responses": answer("200", [BOOK])},
            "post": {"operationId": "addBook", "requestBody": BODY,
                     "responses": answer("201", BOOK)}},
        "/books/{id}": {
            "parameters": [{"name": "id", "in": "path", "required": True,
                            "schema": {"type": "string"}}],
            "get": {"operationId": "book", "responses": answer("200", BOOK)},
            "put": {"operationId": "delete", "requestBody": BODY,
                    "responses": answer("200", BOOK)},
            "delete": {"responses": answer("204")}},
        "/members": {"get": {"operationId": "members", "responses": answer("200", [])}},
    },
}


class Generated:
    """The folder of plimsoll-specgen's output, with what docs/specgen.md leaves to the operator."""

    def __init__(self, document, origin, *arguments):
        self.folder = tempfile.TemporaryDirectory()
        out = pathlib.Path(self.folder.name) / "generated"
        done = subprocess.run([SPECGEN, *arguments, "-outdir", out, document], capture_output=True,
                              text=True, timeout=60, check=False)
        if done.returncode != 0:
            raise AssertionError(done.stderr)
        self.said, self.file = done.stderr, out / "grants.json"
        grants = json.loads(self.file.read_text())
        [(self.name, self.profile)] = grants["profiles"].items()
        self.written = dict(self.profile)
        self.profile |= {"base_url": origin, "allowed_callers": ["ann"],
                         "token": {"type": "static", "env": "LIBRARY_TOKEN"}}
        self.file.write_text(json.dumps(grants))

    def daemon(self):
        done = subprocess.run([PLIMSOLL, "grants", "check", self.file], capture_output=True,
                              text=True, timeout=60, check=False)
        if done.returncode != 0:
            raise AssertionError(done.stderr)
        return Daemon(PLIMSOLL_GRANTS_FILE=str(self.file), LIBRARY_TOKEN=BEARER,
                      SANDBOX_WASM_POOL="1")


class FromADocument(unittest.TestCase):
    def start(self, document, api_document, *arguments):
        daemon_harness.adopt_orphans()
        self.api = DocumentedApi(api_document)
        self.addCleanup(self.api.server_close)
        self.addCleanup(self.api.shutdown)
        self.generated = Generated(document, self.api.origin, *arguments)
        self.addCleanup(self.generated.folder.cleanup)
        self.daemon = self.generated.daemon().__enter__()
        self.addCleanup(self.daemon.__exit__)

    def start_library(self, *arguments):
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump(LIBRARY, file)
            file.flush()
            self.start(file.name, LIBRARY, *arguments)

    def stdout(self, code):
        status, body, _ = self.daemon.run(
            code, timeoutMs=25000, javascript={"code": code, "grantProfile": self.generated.name})
        self.assertEqual(status, 200, body)
        self.assertEqual(base64.b64decode(body["javascript"].get("stderr", "")), b"")
        return base64.b64decode(body["javascript"]["stdout"]).decode()

    def test_each_method_asks_the_api_what_the_document_says(self):
        self.start_library()
        self.assertEqual(self.generated.name, "a-library")
        self.assertEqual(self.generated.written["base_url"], "https://library.example")
        out = self.stdout("""
            const said = [
              await host.health(),
              await host.listBooks({ shelf: 'é 1' }),
              await host.listBooks({ shelf: '2', limit: 5, 'sort[by]': 'a/b & c' }),
              await host.addBook({ title: 'Emma' }),
              await host.book('7'),
              await host.putBooksById('a:b@c', { title: 'x', more: [1] }),
              await host.deleteBooksById('7'),
              await host.members(),
            ];
            console.log(JSON.stringify(said));""")
        self.assertEqual(json.loads(out),
                         [{"ok": True}, [BOOK], [BOOK], BOOK, BOOK, BOOK, None, []])
        self.assertEqual(self.api.strays, [])
        self.assertEqual([seen[:3] for seen in self.api.seen], [
            ("GET", "/api/v2/health", ""),
            ("GET", "/api/v2/books?shelf=%C3%A9%201", ""),
            ("GET", "/api/v2/books?sort%5Bby%5D=a%2Fb%20%26%20c&limit=5&shelf=2", ""),
            ("POST", "/api/v2/books", '{"title":"Emma"}'),
            ("GET", "/api/v2/books/7", ""),
            ("PUT", "/api/v2/books/a:b@c", '{"title":"x","more":[1]}'),
            ("DELETE", "/api/v2/books/7", ""),
            ("GET", "/api/v2/members", "")])
        self.assertEqual({seen[3] for seen in self.api.seen}, {f"Bearer {BEARER}"})
        [line] = wait_for("an audit line", self.daemon.audit, 10)
        self.assertEqual((line["profile"], line["host_calls"], line["host_calls_denied"]),
                         ("a-library", 8, 0))

    def test_what_was_trimmed_is_no_method_and_reaches_nothing(self):
        self.start_library("-include", "/books*", "-exclude", "DELETE *", "-global", "library")
        self.assertIn("GET /api/v2/members", self.generated.profile["catalog"])
        out = self.stdout(r"""
            const shown = Object.keys(library).filter((name) => /ook|mem|hea/i.test(name));
            console.log(typeof host, shown);
            for (const call of [() => library.call('DELETE', '/api/v2/books/7'),
                                () => library.get('/api/v2/members'),
                                () => library.get('/api/v2/books?other=1'),
                                () => library.get('/members')]) {
              const { status, policy } = await call().catch((e) => e);
              console.log(status, policy);
            }
            const error = await library.book('../members').catch((e) => e);
            console.log(error instanceof TypeError);""")
        self.assertEqual(out, "undefined [ 'listBooks', 'addBook', 'book', 'putBooksById' ]\n" +
                         4 * "403 true\n" + "true\n")
        self.assertEqual(self.api.seen, [])
        [line] = wait_for("an audit line", self.daemon.audit, 10)
        self.assertEqual((line["host_calls"], line["host_calls_denied"]), (0, 4))

    def test_a_busy_api_is_probed_at_the_documents_health_check(self):
        self.start_library()
        self.api.busy = 2  # the call, and the first probe
        out = self.stdout("""
            console.log((await host.book('7').catch((e) => e)).status);
            const until = Date.now() + 20000;
            for (;;) {
              const book = await host.book('8').catch((e) => e);
              if (!(book instanceof Error)) break;
              if (Date.now() > until) throw book;
              await new Promise((resolve) => setTimeout(resolve, 100));
            }
            console.log('again');""")
        self.assertEqual(out, "503\nagain\n")
        asked = [seen[1] for seen in self.api.seen]
        self.assertEqual(asked[0], "/api/v2/books/7")
        self.assertEqual(asked[-1], "/api/v2/books/8")
        self.assertEqual(set(asked[1:-1]), {"/api/v2/health"})

    def test_the_whole_of_githubs_description_is_one_client(self):
        document = SOURCE / ("tests/specgen/node_modules/@octokit/openapi/generated/"
                             "api.github.com.json")
        if not document.exists():
            if os.environ.get("CI") == "true":
                self.fail(f"{document} is not there; deps/setup installs it")
            self.skipTest("GitHub's description is not there; deps/setup installs it")
        self.start(document, {"servers": [{"url": "/"}], "paths": {
            "/repos/{owner}/{repo}": {"get": {"responses": answer("200", {"id": 1})}}}})
        self.assertGreater(len(self.generated.profile["allow"]), 1200)
        self.assertEqual(self.stdout("""
            console.log(Object.keys(host).length > 1200);
            console.log((await host.reposGet('octocat', 'hello-world')).id);"""), "true\n1\n")
        self.assertEqual([seen[:2] for seen in self.api.seen],
                         [("GET", "/repos/octocat/hello-world")])


if __name__ == "__main__":
    daemon_harness.PLIMSOLLD, daemon_harness.CLIENTS, PLIMSOLL, SPECGEN = sys.argv[1:5]
    SOURCE = pathlib.Path(sys.argv[5])
    unittest.main(argv=sys.argv[:1], verbosity=2)
