"""A made-up audit stream: the same lines for the same seed. Field by field what plimsolld writes."""

import datetime
import json
import random

FIRST_DAY = datetime.datetime(2026, 11, 2, 6, 0, 0, tzinfo=datetime.timezone.utc)

# profile, callers, and what its runs do wrong: pattern, remedy, method, route, suggested or granted
SHAPES = [
    ("inventory", ["restock-agent", "ann"],
     [("fan_out", "use_granted_route", "GET", "/v1/items/*", "/v1/items?page&size"),
      ("repeated_read", "reuse_answer", "GET", "/v1/warehouses", "")]),
    ("orders", ["billing-agent", "support-agent"],
     [("fan_out", "grant_route", "GET", "/v1/orders/*", "GET /v1/orders?status&limit"),
      ("fan_out", "none", "POST", "/v1/orders/*/notes", "")]),
    ("crm", ["support-agent"],
     [("fan_out", "ask_api_owner", "GET", "/v2/contacts/*/history", ""),
      ("fan_out", "use_granted_route", "GET", "/v2/contacts/*", "/v2/contacts")]),
    ("rates", ["ann", "pricing-agent"],
     [("repeated_read", "reuse_answer", "GET", "/rates/today", ""),
      ("fan_out", "ask_api_owner", "GET", "/rates/*", "")]),
]


def severity(extra):
    return "low" if extra < 10 else "medium" if extra < 50 else "high"


def finding(chance, shape):
    pattern, remedy, method, route, other = shape
    least = 4 if pattern == "fan_out" else 2
    extra = least + int(chance.expovariate(1 / 14))
    return {"pattern": pattern, "severity": severity(extra), "remedy": remedy, "method": method,
            "route": route, "suggested_method": "GET" if remedy == "use_granted_route" else "",
            "suggested_route": other if remedy == "use_granted_route" else "",
            "grant_route": other if remedy == "grant_route" else "", "extra_calls": extra,
            "added_latency_ms": extra * chance.randint(18, 60),
            "bytes_moved": (extra + 1) * chance.randint(200, 4000), "at_least": False}


def entry(chance, number, count):
    at = FIRST_DAY + datetime.timedelta(days=28) * number / count
    profile, callers, shapes = chance.choice(SHAPES)
    granted = chance.random() < 0.8
    outcome = chance.choices(["ok", "refused", "failed", "canceled"], [94, 4, 1, 1])[0]
    found = []
    if granted and outcome == "ok":
        found = [finding(chance, shape) for shape in shapes if chance.random() < 0.35]
    found.sort(key=lambda one: -one["extra_calls"])
    ran = outcome == "ok"
    told = ran and granted
    return {
        "time": at.strftime("%Y-%m-%dT%H:%M:%S.") + f"{at.microsecond // 1000:03}Z",
        "stream": "audit", "event": "code_run", "caller": chance.choice(callers),
        "trace_id": f"t-{number}", "trace_id_rejected": False, "kind": "javascript",
        "code_bytes": chance.randint(80, 4000), "file_count": 0, "file_bytes": 0, "step_count": 0,
        "artifact_count": 0, "row_count": 0, "profile": profile if granted else "",
        "floor": "process", "provider": "wasm", "tier": "process", "outcome": outcome,
        "refusal": "rate" if outcome == "refused" else "",
        "duration_us": chance.randint(2000, 900000),
        "host_calls": sum(one["extra_calls"] + 1 for one in found) + chance.randint(0, 4) * granted,
        "host_calls_denied": 0, "host_calls_shed": 0, "host_calls_dropped": 0,
        "exit_code": 0 if ran else None, "timed_out": False if ran else None,
        "stdout_truncated": False if ran else None, "stderr_truncated": False if ran else None,
        "artifacts_truncated": False if ran else None,
        "record_sha256": f"{chance.getrandbits(256):064x}" if ran else None,
        "advice_findings": len(found) if told else None,
        "advice_extra_calls": sum(one["extra_calls"] for one in found) if told else None,
        "advice_added_latency_ms": sum(one["added_latency_ms"] for one in found) if told else None,
        "advice_bytes_moved": sum(one["bytes_moved"] for one in found) if told else None,
        "advice_dropped": 0 if told else None, "advice": found if told else None}


def lines(count, seed=1):
    chance = random.Random(seed)
    return [json.dumps(entry(chance, number, count), separators=(",", ":")) for number in range(count)]


HOSTILE = {
    "caller": "<script>window.hacked=1</script><img src=x onerror=window.hacked=2>\u202e\"'&\x1b[2J",
    "bad_route": "/v1/<b>bold</b>/*",
}


def hostile_lines():
    """Lines of a forger: some stay text, the others are unreadable."""
    good = json.loads(next(line for line in lines(200) if '"fan_out"' in line))
    named = dict(good, caller=HOSTILE["caller"])
    routed = dict(good, advice=[dict(good["advice"][0], route=HOSTILE["bad_route"])])
    profiled = dict(good, profile="<i>shop</i>")
    return ([json.dumps(named), json.dumps(routed), json.dumps(profiled), "<html>", "{\"a\":", ""]
            + lines(40))
