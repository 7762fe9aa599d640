"""An API that follows an OpenAPI document: it serves what the document describes, and writes down
whatever else it is asked."""

import http.server
import json
import re
import threading
import urllib.parse


class DocumentedApi(http.server.ThreadingHTTPServer):
    """Serves `document`, in which each operation has one answer with an example. `seen` is every
    request; `strays` is why some of them are none of the document's."""

    daemon_threads = True

    def __init__(self, document):
        self.seen, self.strays, self.busy = [], [], 0
        base = urllib.parse.urlsplit(document["servers"][0]["url"]).path.rstrip("/")
        self.operations = []
        for path, item in document["paths"].items():
            pattern = "".join("[^/]+" if part.startswith("{") else re.escape(part)
                              for part in re.split(r"(\{[^}]*\})", base + path))
            shared = item.get("parameters", [])
            for verb, operation in item.items():
                if verb != "parameters":
                    parameters = shared + operation.get("parameters", [])
                    self.operations.append((verb.upper(), re.compile(pattern), operation, {
                        one["name"]: one for one in parameters if one["in"] == "query"}))
        super().__init__(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def origin(self):
        return f"http://127.0.0.1:{self.server_address[1]}"

    def answer_to(self, method, target, headers, body):
        """(status, value) by the document; 400 and 404 for what is none of its requests."""
        path, _, query = target.partition("?")
        found = [one for one in self.operations if one[0] == method and one[1].fullmatch(path)]
        if not found:
            return 404, self.stray(f"no operation: {method} {target}")
        _, _, operation, known = found[0]
        values = urllib.parse.parse_qs(query, keep_blank_values=True, strict_parsing=bool(query))
        for name, all_of_it in values.items():
            if name not in known or len(all_of_it) != 1:
                return 400, self.stray(f"no such query: {target}")
            accepted = known[name]["schema"].get("enum", all_of_it)
            if all_of_it[0] not in accepted:
                return 400, self.stray(f"not in the enum: {target}")
        if any(one.get("required") and name not in values for name, one in known.items()):
            return 400, self.stray(f"a query parameter is missing: {target}")
        if "requestBody" in operation:
            schema = operation["requestBody"]["content"]["application/json"]["schema"]
            if headers["Content-Type"] != "application/json" or any(
                    name not in json.loads(body) for name in schema["required"]):
                return 400, self.stray(f"no such body: {method} {target} {body!r}")
        elif body:
            return 400, self.stray(f"a body where there is none: {method} {target}")
        [(status, answer)] = operation["responses"].items()
        content = answer.get("content", {}).get("application/json", {})
        return int(status), content.get("example")

    def stray(self, why):
        self.strays.append(why)
        return {"error": why}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.server.seen.append((self.command, self.path, body.decode(),
                                 self.headers.get("Authorization")))
        status, value = self.server.answer_to(self.command, self.path, self.headers, body)
        if self.server.busy:
            self.server.busy -= 1
            status, value = 503, {"error": "busy"}
        reply = b"" if value is None else json.dumps(value).encode()
        self.send_response(status)
        if status != 204:
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(reply)))
        self.end_headers()
        self.wfile.write(reply)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = answer

    def log_message(self, *_):
        pass
