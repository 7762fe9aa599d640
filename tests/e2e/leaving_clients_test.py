"""Clients that leave in the middle of a run, and callers that crowd out others, against the real
daemon.  Usage: leaving_clients_test.py PLIMSOLLD PLIMSOLL_CLIENTS"""

import collections
import json
import socket
import struct
import sys
import unittest

import daemon_harness
from daemon_harness import Daemon, wait_for, wire

LEAVERS = 1000
AT_ONCE = 8  # of two callers, so that each stays within its own limit
PATIENCE_S = 60
# Half of them wait, half of them compute: both are in the middle of a run when their client leaves.
ENDLESS = ("setTimeout(() => {}, 20000)", "for (;;);")


def body(code):
    return json.dumps({"protocol": 2, "timeoutMs": 20_000, "javascript": {"code": code}}).encode()


def reset(peer):
    """Closes with a RST instead of a FIN."""
    peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    peer.close()


class Leaver:
    """One client in the middle of a run. Each of the four ways to leave in turn."""

    WAYS = ("HTTP/1.1 close", "HTTP/1.1 reset", "HTTP/2 RST_STREAM", "HTTP/2 close")

    def __init__(self, daemon, number):
        self.way = self.WAYS[number % len(self.WAYS)]
        caller, code = ("ann", "eve")[number // 4 % 2], ENDLESS[number // 8 % 2]
        self.peer = daemon.connect()
        if self.way.startswith("HTTP/2"):
            self.peer.sendall(wire.START + daemon.http2_call(1, "Run", body(code), caller=caller))
        else:
            self.peer.sendall(daemon.request("Run", body(code), caller=caller))

    def leave(self):
        if self.way == "HTTP/1.1 reset":
            reset(self.peer)
        elif self.way == "HTTP/2 RST_STREAM":
            self.peer.sendall(wire.frame(wire.RST_STREAM, 0, 1, struct.pack(">I", wire.CANCEL)))
        else:
            self.peer.close()

    def close(self):
        self.peer.close()


class LeavingClients(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon(SANDBOX_MAX_CONCURRENT=str(AT_ONCE)).__enter__()
        cls.leave_at_once(cls.daemon, range(AT_ONCE))
        cls.quiet(cls.daemon)
        assert cls.daemon.serves()
        wait_for("all are audited", lambda: len(cls.daemon.audit()) == AT_ONCE + 1, PATIENCE_S)
        # What a daemon holds that has been as busy as it will be.
        cls.fds, cls.processes = cls.daemon.fds(), len(cls.daemon.descendants())

    @classmethod
    def tearDownClass(cls):
        cls.daemon.__exit__()

    @staticmethod
    def leave_at_once(daemon, numbers, confirmed=True):
        leavers = [Leaver(daemon, number) for number in numbers]
        if confirmed:
            wait_for("all are in the middle of a run", lambda: daemon.gauge("runs_in_flight") ==
                     len(leavers), PATIENCE_S)
        for leaver in leavers:
            leaver.leave()
        wait_for("no slot is held", lambda: daemon.gauge("runs_in_flight") == 0, PATIENCE_S)
        for leaver in leavers:
            leaver.close()

    @staticmethod
    def quiet(daemon):
        wait_for("nothing runs or waits", lambda: daemon.gauge("runs_in_flight") == 0 and
                 daemon.gauge("runs_waiting") == 0, PATIENCE_S)

    def outcomes(self, since=0):
        return collections.Counter(line["outcome"] for line in self.daemon.audit()[since:])

    def assert_nothing_is_left(self):
        self.quiet(self.daemon)
        wait_for("no descriptor is left", lambda: self.daemon.fds() <= self.fds, PATIENCE_S)
        wait_for("no process is left", lambda: len(self.daemon.descendants()) <=
                 self.processes, PATIENCE_S)
        served = self.outcomes()["ok"]
        self.assertTrue(self.daemon.serves())
        wait_for("it is audited", lambda: self.outcomes()["ok"] > served, PATIENCE_S)
        self.assertIsNone(self.daemon.process.poll())

    def test_a_thousand_that_leave_mid_run_lose_nothing_and_are_audited(self):
        before = len(self.daemon.audit())
        for first in range(0, LEAVERS, AT_ONCE):
            self.leave_at_once(self.daemon, range(first, first + AT_ONCE))
        self.quiet(self.daemon)
        wait_for("every run is audited", lambda: len(self.daemon.audit()) >= before + LEAVERS,
                 PATIENCE_S)
        lines = self.daemon.audit()[before:]
        self.assertEqual(len(lines), LEAVERS)
        outcomes = collections.Counter((line["outcome"], line["refusal"]) for line in lines)
        # A run in flight may still wait for its worker when its client leaves: then it has not run.
        self.assertLessEqual(set(outcomes), {("canceled", ""), ("canceled", "concurrency")})
        self.assertGreaterEqual(outcomes["canceled", ""], LEAVERS * 9 // 10)
        self.assertEqual({line["caller"] for line in lines}, {"ann", "eve"})
        self.assert_nothing_is_left()

    def test_those_that_leave_at_any_moment_lose_nothing(self):
        before = len(self.daemon.audit())
        for first in range(0, 400, 40):
            self.leave_at_once(self.daemon, range(first, first + 40), confirmed=False)
        self.assert_nothing_is_left()
        outcomes = self.outcomes(before)
        self.assertEqual(outcomes.pop("ok"), 1)  # that was asked for after them
        self.assertLessEqual(set(outcomes), {"canceled", "refused"})


class Fairness(unittest.TestCase):
    def test_one_run_of_a_caller_is_not_behind_the_two_hundred_of_another(self):
        # As long as it takes on this machine, not as long as a clock says: load slows all alike.
        crowd_code = "for (let i = 0; i < 2e7; i++);"
        with Daemon(SANDBOX_MAX_CONCURRENT="1", SANDBOX_PER_KEY_CONCURRENT="1") as daemon:
            crowd = [daemon.connect() for _ in range(200)]
            for peer in crowd:
                peer.sendall(daemon.request("Run", body(crowd_code)))
            wait_for("the crowd waits", lambda: daemon.gauge("runs_waiting") > 90, PATIENCE_S)

            def ran():
                return [line["caller"] for line in daemon.audit() if line["outcome"] == "ok"]

            before = len(ran())
            status, answer, _ = daemon.run("console.log(1)", caller="eve", timeoutMs=60_000)
            self.assertEqual(status, 200, answer)
            wait_for("it is audited", lambda: "eve" in ran(), PATIENCE_S)
            overtaken_by = ran().index("eve") - before
            # In turns it is 1, and a few more go by before the request has arrived.
            self.assertLess(overtaken_by, 20)
            self.assertGreater(daemon.gauge("runs_waiting"), 50, "the crowd was gone")
            for peer in crowd:
                peer.close()
            wait_for("the crowd is gone", lambda: daemon.gauge("runs_waiting") == 0, PATIENCE_S)


if __name__ == "__main__":
    daemon_harness.PLIMSOLLD, daemon_harness.CLIENTS = sys.argv[1:3]
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
