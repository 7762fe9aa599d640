#!/usr/bin/env python3
"""A daemon at full load for a while, with faults throughout.

Usage: soak.py PLIMSOLLD PLIMSOLL_CLIENTS SECONDS

Prints a table of what the daemon held, in rounds: each is load, and then a quiet moment in which
everything must be back. Exits 1 when an answer was wrong, a descriptor, a process or a slot was not
given back, the memory grew beyond the bound below after the first round, or a run was lost that no
killed worker explains."""

import json
import pathlib
import random
import signal
import sys
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path[:0] = [str(HERE), str(HERE.parent / "e2e")]
import daemon_harness  # noqa: E402
import load  # noqa: E402
from daemon_harness import Daemon, adopt_orphans, left_behind, wait_for, wire  # noqa: E402

ROUNDS = 6
MAX_FIRST_KIB = 96 << 10  # the daemon's memory, quiet, after the first round
MAX_GROWTH_KIB = 16 << 10  # and how much more of it after any later round
MAX_CONCURRENT = 8
PATIENCE_S = 60
LOAD = ((load.Http1Caller, 6), (load.Http2Caller, 2), (load.HostileGuests, 1), (load.Leavers, 2),
        (load.HostilePeers, 1), (load.Killer, 1))
COLUMNS = ("s", "fds", "procs", "RSS KiB", "zygotes", "in flight", "right", "refused", "lost",
           "left", "attacked", "killed", "")


class Soak:
    def __init__(self, daemon, seconds, seed):
        self.daemon, self.seconds, self.tally = daemon, seconds, load.Tally()
        self.go, self.over = threading.Event(), threading.Event()
        self.callers = [caller for caller in daemon.tokens]
        self.bomb = wire.bomb(1 << 30)
        self.begun = time.monotonic()
        numbers = random.Random(seed)
        self.loops = [kind(self, random.Random(numbers.random()))
                      for kind, count in LOAD for _ in range(count)]

    def row(self, note=""):
        """Prints what the daemon holds now; (fds, processes, KiB)."""
        held = self.daemon.descendants()
        zygotes = 0
        for pid, name in held:
            if name == "plimsoll-zygote":
                try:
                    zygotes += wire.memory_kib(pid)
                except (OSError, IndexError):
                    pass  # it was killed meanwhile
        fds, memory = self.daemon.fds(), wire.memory_kib(self.daemon.process.pid)
        of = self.tally.of
        values = (int(time.monotonic() - self.begun), fds, len(held), memory, zygotes,
                  int(self.daemon.gauge("runs_in_flight")), of("right"), of("refused"), of("lost"),
                  of("left"), of("attacked"), of("workers killed") + of("zygotes killed"), note)
        print(" ".join(f"{value:>9}" for value in values), flush=True)
        return fds, len(held), memory

    def quiet(self, bound):
        """Holds the load until nothing runs and no more than the bound is held; what is held."""
        self.go.clear()
        for loop in self.loops:
            if not loop.still.wait(PATIENCE_S):
                self.tally.mistake(f"{type(loop).__name__} is stuck")
        gauge = self.daemon.gauge
        try:
            wait_for("nothing runs or waits", lambda: gauge("runs_in_flight") == 0 and
                     gauge("runs_waiting") == 0, PATIENCE_S)
            wait_for("the daemon runs snippets", lambda: self.daemon.serves("c0"), PATIENCE_S)
            wait_for(f"{bound[0]} descriptors", lambda: self.daemon.fds() <= bound[0], PATIENCE_S)
            wait_for(f"{bound[1]} processes", lambda: len(self.daemon.descendants()) <= bound[1],
                     PATIENCE_S)
        except AssertionError as late:
            names = sorted(name for _, name in self.daemon.descendants())
            self.tally.mistake(f"{late}; there are {names}")
        held = self.row("quiet")
        if held[2] > bound[2]:
            self.tally.mistake(f"{held[2]} KiB of memory; the bound is {bound[2]}")
        return held

    def work(self, seconds):
        self.go.set()
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            time.sleep(min(left, max(2.0, seconds / 4)))
            self.row()
            if self.daemon.process.poll() is not None:
                raise AssertionError("the daemon ended")

    def check_audit(self):
        lines = [json.loads(line) for line in self.daemon.audit_path.read_bytes().splitlines()]
        done = sum(line["outcome"] == "ok" for line in lines)
        if done < self.tally.of("right"):
            self.tally.mistake(f"{done} runs are audited, {self.tally.of('right')} were answered")
        callers = {line["caller"] for line in lines} - set(self.callers) - {""}
        if callers:
            self.tally.mistake(f"callers that there are not: {callers}")
        return len(lines)

    def run(self):
        print(" ".join(f"{name:>9}" for name in COLUMNS))
        idle = self.row("idle")
        # Each slot's worker may be kept, for two descriptors.
        most = (idle[0] + 2 * MAX_CONCURRENT, idle[1] + MAX_CONCURRENT)
        memory_kib = MAX_FIRST_KIB
        for loop in self.loops:
            loop.start()
        for number in range(ROUNDS):
            self.work(self.seconds / ROUNDS)
            held = self.quiet((*most, memory_kib))
            if number == 0:
                memory_kib = held[2] + MAX_GROWTH_KIB
        self.over.set()
        self.go.set()
        for loop in self.loops:
            loop.join(PATIENCE_S)
        of = self.tally.of
        # A worker takes one run along; a zygote may take each that was under way.
        explained = of("workers killed") + of("zygotes killed") * MAX_CONCURRENT
        if of("lost") > explained:
            self.tally.mistake(f"{of('lost')} runs were lost; {explained} are explained by kills")
        for name in ("right", "left", "attacked", "workers killed"):
            if of(name) == 0:
                self.tally.mistake(f"nothing was {name}: the load is not what it should be")
        self.daemon.process.send_signal(signal.SIGTERM)
        code = self.daemon.process.wait(PATIENCE_S)
        if code != 0:
            self.tally.mistake(f"the daemon ended with {code}")
        try:
            wait_for("no process is left", lambda: not left_behind(), PATIENCE_S)
        except AssertionError as late:
            self.tally.mistake(str(late))
        print(f"audit lines: {self.check_audit()}")


def main():
    daemon_harness.PLIMSOLLD, daemon_harness.CLIENTS = sys.argv[1:3]
    seconds, seed = float(sys.argv[3]), time.time_ns()
    adopt_orphans()
    print(f"soak: {seconds:.0f} s, seed {seed}")
    with Daemon(callers=[(f"c{i}", "code:run") for i in range(6)],
                SANDBOX_MAX_CONCURRENT=str(MAX_CONCURRENT), SANDBOX_WASM_POOL="2") as daemon:
        soak = Soak(daemon, seconds, seed)
        try:
            soak.run()
        except (AssertionError, OSError) as error:
            soak.tally.mistake(repr(error))
        wrong = soak.tally.wrong
        if wrong:
            print(daemon.log_path.read_text()[-4000:])
        for text in wrong[:20]:
            print("WRONG:", text)
        print(f"soak: {len(wrong)} mistakes; {soak.tally.counts}")
    sys.exit(1 if wrong else 0)


main()
