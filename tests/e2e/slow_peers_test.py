"""Peers that take their time: each meets the daemon's own deadline, all at once, while others are
served.  Usage: slow_peers_test.py PLIMSOLLD PLIMSOLL_CLIENTS"""

import concurrent.futures
import select
import sys
import threading
import time
import unittest

import daemon_harness
from daemon_harness import SERVICE, Daemon, wire

HEAD_S, BODY_S = 10, 30
# For the machine's other work; what counts is that the end comes long before the peer is done.
SLACK_S = 20


def drip(daemon, start, piece, every_s, until_s):
    """Sends `start`, then `piece` every so often; (seconds until the daemon ends it, its words)."""
    with daemon.connect() as peer:
        begun, said, due = time.monotonic(), b"", every_s
        peer.sendall(start)
        while (passed := time.monotonic() - begun) < until_s:
            if select.select([peer], [], [], max(0, min(due, until_s) - passed))[0]:
                try:
                    part = peer.recv(65536)
                except ConnectionError:
                    part = b""
                if not part:
                    return time.monotonic() - begun, said
                said += part
            elif time.monotonic() - begun >= due:
                due += every_s
                try:
                    peer.sendall(piece)
                except ConnectionError:
                    return time.monotonic() - begun, said
        return until_s, said


class SlowPeers(unittest.TestCase):
    def test_each_meets_its_deadline_while_others_are_served(self):
        with Daemon() as daemon:
            token = daemon.tokens["ann"]
            head = wire.hpack(wire.call_fields(SERVICE + "Run", token=token))
            announced = daemon.request("Run", None, [("Content-Length", "1000")])
            chunked = daemon.request("Run", None, [("Transfer-Encoding", "chunked")])
            opened = wire.START + wire.frame(wire.HEADERS, wire.END_HEADERS, 1, head)
            endless = wire.START + wire.frame(wire.HEADERS, 0, 1, head)
            data = wire.frame(wire.DATA, 0, 1, b" ")
            more = wire.frame(wire.CONTINUATION, 0, 1, wire.hpack([("x", "y")]))
            # name: start, piece, seconds between pieces, deadline, what is said. A piece that
            # crosses the daemon's last words may take them away (a reset): only those that have
            # stopped are sure to read them.
            peers = {
                "a byte of a head in 10 s": (b"P", b"O", 10, HEAD_S, b""),
                "a byte of a head in 1 s": (b"P", b"O", 1, HEAD_S, b""),
                "a head that stops": (b"POST / HTTP/1.1\r\nHost: x\r\n", b"", 99, HEAD_S, b" 408 "),
                "a preface that stops": (b"PRI * HTTP/2.0\r\n", b"", 99, HEAD_S, b""),
                "an HTTP/2 head without end": (endless, more, 1, HEAD_S, b""),
                "a byte of a body in 10 s": (announced, b" ", 10, BODY_S, b""),
                "a byte of a body in 1 s": (announced, b" ", 1, BODY_S, b""),
                "a body in chunks": (chunked, b"1\r\n \r\n", 1, BODY_S, b""),
                "a body that stops": (announced + b"{", b"", 99, BODY_S, b" 408 "),
            }
            started = threading.Event()

            def others():
                started.set()
                answers, until = [], time.monotonic() + HEAD_S + 2
                while time.monotonic() < until:
                    answers.append(daemon.serves())
                    time.sleep(0.25)
                return answers

            def of_stream():
                """An HTTP/2 body: its stream ends at its deadline, and the connection lives on."""
                with daemon.connect(BODY_S + SLACK_S) as peer:
                    begun, said = time.monotonic(), b""
                    peer.sendall(opened)
                    while b"did not arrive in time" not in said:
                        peer.sendall(data)
                        if select.select([peer], [], [], 1)[0]:
                            said += peer.recv(65536)
                    return time.monotonic() - begun

            with concurrent.futures.ThreadPoolExecutor(len(peers) + 2) as pool:
                drips = {name: pool.submit(drip, daemon, *peer[:3], peer[3] + SLACK_S)
                         for name, peer in peers.items()}
                stream, served = pool.submit(of_stream), pool.submit(others)
                for name, peer in peers.items():
                    with self.subTest(name):
                        seconds, said = drips[name].result()
                        self.assertLess(seconds, peer[3] + SLACK_S)
                        self.assertGreater(seconds, peer[3] - 1)
                        self.assertIn(peer[4], said)
                self.assertGreater(stream.result(), BODY_S - 1)
                self.assertLess(stream.result(), BODY_S + SLACK_S)
                self.assertTrue(served.result() and all(served.result()))
            self.assertTrue(daemon.serves())


if __name__ == "__main__":
    daemon_harness.PLIMSOLLD, daemon_harness.CLIENTS = sys.argv[1:3]
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
