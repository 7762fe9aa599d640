"""The digests of docs/run-records.md, a second time: written from that page alone, not from the C++ code.

Inputs are plain dictionaries, as in tests/golden/records.json. A text is a string, or {"hex": ...} where
it is not UTF-8; a double is the 16 hex digits of its IEEE 754 bits."""

import hashlib


def raw(content):
    """The bytes of a text."""
    return bytes.fromhex(content["hex"]) if isinstance(content, dict) else content.encode("utf-8")


def value(content):
    return len(content).to_bytes(8, "big") + content


def ascii_of(content):
    if isinstance(content, bool):
        return b"true" if content else b"false"
    return str(content).encode("ascii")


class Encoding:
    def __init__(self, domain):
        self.bytes = value(domain.encode("ascii"))

    def field(self, name, content):
        self.bytes += value(name.encode("ascii")) + value(content)

    def texts(self, source, *names, prefix=""):
        for name in names:
            self.field(prefix + name, raw(source[name]))

    def plain(self, source, *names, prefix=""):
        """Integers and booleans."""
        for name in names:
            self.field(prefix + name, ascii_of(source[name]))

    def doubles(self, name, numbers):
        self.field(name, b"".join(bytes.fromhex(number) for number in numbers))

    def group(self, name, members):
        self.field(name, ascii_of(len(members)))
        return members

    def files(self, source):
        for file in self.group("files", source["files"]):
            self.texts(file, "path", "content", prefix="file_")

    def sha256(self):
        return hashlib.sha256(self.bytes).hexdigest()


def request_payload(out, asked):
    kind = asked["kind"]
    out.field("kind", kind.encode("ascii"))
    if kind == "javascript":
        out.texts(asked, "code", "grant_profile")
    elif kind == "project":
        out.texts(asked, "grant_profile")
        out.files(asked)
        for command in out.group("steps", asked["steps"]):
            out.field("step_command", raw(command))
        for path in out.group("artifacts", asked["artifacts"]):
            out.field("artifact_path", raw(path))
    elif kind == "module":
        out.texts(asked, "model")
        out.doubles("end_time", [asked["end_time"]])
        out.doubles("step", [asked["step"]])
        for row in out.group("rows", asked["rows"]):
            out.doubles("row_values", row)
    elif kind == "cell":
        out.texts(asked, "language", "code")
        out.files(asked)
    else:
        raise ValueError(kind)


def request(asked, version=2):
    out = Encoding(f"plimsoll.run-request.v{version}")
    out.plain(asked, "protocol")
    out.texts(asked, "minimum_isolation")
    out.plain(asked, "timeout_ms")
    if version == 2:
        out.texts(asked, "software_mode")
        for identity in out.group("software_identities", asked["software_identities"]):
            out.field("software_identity", raw(identity))
    request_payload(out, asked)
    return out.sha256()


def process(out, source, prefix=""):
    out.plain(source, "exit_code", "timed_out", prefix=prefix)
    out.texts(source, "stdout", "stderr", prefix=prefix)
    out.plain(source, "stdout_truncated", "stderr_truncated", prefix=prefix)


def result(answer):
    out = Encoding("plimsoll.run-result.v1")
    kind = answer["kind"]
    out.field("kind", kind.encode("ascii"))
    if kind in ("javascript", "cell"):
        process(out, answer)
        if kind == "cell":
            out.plain(answer, "interpreter_started", "interpreter_ended")
        return out.sha256()
    out.plain(answer, "outcome")
    out.texts(answer, "outcome_detail")
    if kind == "project":
        out.plain(answer, "artifacts_truncated")
        for step in out.group("steps", answer["steps"]):
            out.texts(step, "command", prefix="step_")
            process(out, step, prefix="step_")
        for artifact in out.group("artifacts", answer["artifacts"]):
            out.texts(artifact, "path", "content", prefix="artifact_")
    elif kind == "module":
        out.plain(answer, "width")
        out.texts(answer, "stdout", "stderr")
        for run in out.group("runs", answer["runs"]):
            out.field("run_status", ascii_of(run["status"]))
            out.doubles("run_outputs", run["outputs"])
    else:
        raise ValueError(kind)
    return out.sha256()


def record(source):
    out = Encoding("plimsoll.run-record.v2")
    out.texts(source, "request_sha256", "result_sha256", "provider", "isolation", "environment", "policy",
              "software_identity", "software_rule_id")
    out.plain(source, "started_unix_ms", "ended_unix_ms")
    out.texts(source, "session")
    out.plain(source, "sequence")
    out.texts(source, "previous_sha256")
    return out.sha256()


def software_rule_id(rule):
    identities = [raw(identity) for identity in rule["identities"]]
    if rule["mode"] == "":
        return ""
    if rule["mode"] == "exact":
        return "exact:" + identities[0].decode("utf-8")
    return "approved:sha256:" + hashlib.sha256(b"\0".join(sorted(set(identities)))).hexdigest()


DIGEST_OF = {
    "request": request,
    "request_v1": lambda asked: request(asked, version=1),
    "result": result,
    "record": record,
    "software_rule_id": software_rule_id,
}
