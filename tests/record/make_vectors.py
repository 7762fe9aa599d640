#!/usr/bin/env python3
"""make_vectors.py FILE: writes the golden vectors. Run it when the contract changes, never because a test
fails: records that are kept somewhere were made with the digests of that file."""

import json
import struct
import sys

sys.dont_write_bytecode = True
import digests  # noqa: E402


def bits(number):
    return struct.pack(">d", number).hex()


ALL_BYTES = {"hex": bytes(range(256)).hex()}
ODD_DOUBLES = [
    bits(number)
    for number in (0.0, -0.0, 1.0, -1.5, 0.1, 1e300, 5e-324, 2.2250738585072014e-308, 1.7976931348623157e308)
] + [
    "7ff0000000000000",  # infinity
    "fff0000000000000",  # -infinity
    "7ff8000000000000",  # NaN
    "7ff8000000000001",  # NaN with a payload
    "fff8deadbeef1234",  # negative NaN with a payload
    "7ff0000000000001",  # signaling NaN
]
UNICODE = "äöü ✓ \U0001f600 e\u0301 \u2028\u202e\ufeff \u0000"
SOFTWARE = "oci-manifest:linux/amd64@sha256:" + "0123456789abcdef" * 4


def asked(kind, **fields):
    payload = {
        "javascript": {"code": "1", "grant_profile": ""},
        "project": {"grant_profile": "", "files": [], "steps": [], "artifacts": []},
        "module": {"model": "m", "end_time": bits(1.0), "step": bits(0.5), "rows": []},
        "cell": {"language": "python", "code": "1", "files": []},
    }[kind]
    conditions = {"protocol": 2, "minimum_isolation": "", "timeout_ms": 0, "software_mode": "",
                  "software_identities": []}
    return conditions | {"kind": kind} | payload | fields


def process(**fields):
    return {"exit_code": 0, "timed_out": False, "stdout": "", "stderr": "", "stdout_truncated": False,
            "stderr_truncated": False} | fields


def answer(kind, **fields):
    return {"kind": kind} | {
        "javascript": process(),
        "project": {"outcome": 1, "outcome_detail": "", "artifacts_truncated": False, "steps": [],
                    "artifacts": []},
        "module": {"outcome": 1, "outcome_detail": "", "width": 0, "stdout": "", "stderr": "", "runs": []},
        "cell": process(interpreter_started=False, interpreter_ended=False),
    }[kind] | fields


def step(command, **fields):
    return {"command": command} | process(**fields)


def record(**fields):
    return {"request_sha256": "", "result_sha256": "", "provider": "", "isolation": "", "environment": "",
            "policy": "", "software_identity": "", "software_rule_id": "", "started_unix_ms": 0,
            "ended_unix_ms": 0, "session": "", "sequence": 0, "previous_sha256": ""} | fields


def file(path, content):
    return {"path": path, "content": content}


REQUESTS = {
    "a snippet": asked("javascript", code="console.log(6*7)"),
    "a snippet without anything": asked("javascript", protocol=0, code=""),
    "a snippet with a floor and a timeout": asked("javascript", minimum_isolation="vm", timeout_ms=5000),
    "a snippet with a grant profile": asked("javascript", grant_profile="orders-read_only.v2"),
    "a snippet in unicode": asked("javascript", code=UNICODE),
    "a snippet of every byte": asked("javascript", code=ALL_BYTES),
    "the code and the profile change places": asked("javascript", code="", grant_profile="1"),
    "a code that looks like a field": asked(
        "javascript", code={"hex": b"1\0\0\0\0\0\0\0\x0dgrant_profile".hex()}),
    "the least timeout": asked("javascript", timeout_ms=-(2**31)),
    "the greatest timeout and protocol": asked("javascript", timeout_ms=2**31 - 1, protocol=2**32 - 1),
    "an exact software rule": asked("javascript", software_mode="exact", software_identities=[SOFTWARE]),
    "an approved software rule, in the order of the caller": asked(
        "javascript", software_mode="approved", software_identities=["b", "a", "b", ""]),
    "a project": asked(
        "project", files=[file("a.js", "1"), file("lib/b.js", "")], steps=["node a.js", "true"],
        artifacts=["out/a", "b"], grant_profile="p"),
    "a project without anything": asked("project"),
    "a project in unicode": asked(
        "project", files=[file(UNICODE, UNICODE)], steps=[UNICODE], artifacts=[UNICODE]),
    "a project whose step is another's artifact": asked("project", steps=["a"]),
    "a project whose artifact is another's step": asked("project", artifacts=["a"]),
    "a project of empty texts": asked("project", files=[file("", "")], steps=["", ""], artifacts=[""]),
    "a module": asked("module", model="lorenz", rows=[[bits(1.0), bits(2.0)], [bits(-3.25)]]),
    "a module with odd doubles": asked(
        "module", end_time="7ff0000000000000", step=bits(-0.0), rows=[ODD_DOUBLES]),
    "a module with empty rows": asked("module", model="", rows=[[], []]),
    "a module with a NaN for its end": asked("module", end_time="7ff8000000000001", step=bits(0.0)),
    "a cell": asked("cell", code="print(1)", files=[file("a.csv", "1,2\n")]),
    "a cell without anything": asked("cell", language="", code=""),
}

FIRST_VERSION = {
    "the known answer": asked("javascript", protocol=1, minimum_isolation="container", timeout_ms=5000,
                              code="console.log(1+1)"),
    "a project of version 1": asked("project", protocol=1, files=[file("a", "b")], steps=["cat a"]),
    "version 1 does not know software rules": asked(
        "javascript", protocol=1, software_mode="exact", software_identities=["a"]),
}

RESULTS = {
    "a snippet's result": answer("javascript", stdout="42\n"),
    "a snippet's result without anything": answer("javascript"),
    "a snippet that failed": answer("javascript", exit_code=1, stderr="Error: no\n"),
    "a snippet that timed out": answer("javascript", exit_code=124, timed_out=True, stdout_truncated=True),
    "output of every byte": answer("javascript", stdout=ALL_BYTES, stderr=ALL_BYTES),
    "the streams change places": answer("javascript", stderr="42\n"),
    "the other flag": answer("javascript", stderr_truncated=True),
    "the least exit code": answer("javascript", exit_code=-(2**31)),
    "a project's result": answer(
        "project", steps=[step("node a.js", stdout="1\n"), step("false", exit_code=1, stderr={"hex": "fe"})],
        artifacts=[file("out.txt", ALL_BYTES), file("empty", "")]),
    "a project's result without anything": answer("project", outcome=0),
    "a project that was not set up": answer("project", outcome=2, outcome_detail="no image: " + UNICODE),
    "a project that timed out": answer(
        "project", outcome=3, artifacts_truncated=True,
        steps=[step("sleep 9", exit_code=124, timed_out=True, stdout_truncated=True, stderr_truncated=True)]),
    "a project that lost its protocol": answer("project", outcome=4),
    "a module's result": answer(
        "module", width=2, stdout="rows=2\n", stderr={"hex": "80"},
        runs=[{"status": 1, "outputs": ODD_DOUBLES}, {"status": -3, "outputs": []}]),
    "a module's result without anything": answer("module", outcome=0, width=-1),
    "a cell's result": answer("cell", stdout="1\n", interpreter_started=True),
    "a cell that ended its interpreter": answer("cell", exit_code=137, interpreter_ended=True),
}

RECORDS = {
    "a record": record(
        request_sha256=digests.request(REQUESTS["a snippet"]),
        result_sha256=digests.result(RESULTS["a snippet's result"]), provider="wasm", isolation="process",
        environment="quickjs-wasm:sha256:" + "ab" * 32, policy="sha256:" + "cd" * 32,
        started_unix_ms=1767225600000, ended_unix_ms=1767225600007),
    "a record without anything": record(),
    "a record with a software rule": record(
        provider="docker", isolation="kernel", software_identity=SOFTWARE,
        software_rule_id="exact:" + SOFTWARE),
    "a record of a session": record(session="s-1", sequence=2, previous_sha256="ef" * 32),
    "a record of the greatest numbers": record(
        sequence=2**64 - 1, started_unix_ms=-(2**63), ended_unix_ms=2**63 - 1),
    "a record in unicode": record(provider=UNICODE, policy=UNICODE),
}

RULES = {
    "no rule": {"mode": "", "identities": []},
    "an exact rule": {"mode": "exact", "identities": [SOFTWARE]},
    "an approved rule of one": {"mode": "approved", "identities": ["a"]},
    "an approved rule is sorted": {"mode": "approved", "identities": ["b", "a", "B"]},
    "an approved rule has each once": {"mode": "approved", "identities": ["a", "b", "B", "a"]},
    "an approved rule is sorted by bytes": {"mode": "approved", "identities": ["z", "ä", "a", "\U0001f600", "\uff5e"]},
}


def main():
    groups = {"request": REQUESTS, "request_v1": FIRST_VERSION, "result": RESULTS, "record": RECORDS,
              "software_rule_id": RULES}
    vectors = [
        {"name": name, "digest_of": group, "input": content, "digest": digests.DIGEST_OF[group](content)}
        for group, members in groups.items()
        for name, content in members.items()
    ]
    with open(sys.argv[1], "w", encoding="ascii") as out:
        json.dump(vectors, out, indent=1)
        out.write("\n")
    print(f"{len(vectors)} vectors")


if __name__ == "__main__":
    main()
