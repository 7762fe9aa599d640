#!/usr/bin/env python3
"""images/runner.mjs under a plain Node 22, without a container: what it says on the guest channel, what
it puts down and brings back. What needs a container is in tests/docker."""

import pathlib
import struct
import subprocess
import time
import unittest

import channel
from channel import Limits
from runner_case import NODE, ROOT, RunnerTest


class SnippetTest(RunnerTest):
    def expect(self, code, stdout=b"", exit_code=0, cause=channel.EXITED, limits=None):
        end = self.run_code(code, limits)
        self.assertTrue(end.stdout == stdout, (end.stdout[:500], end.stderr[:2000], len(end.stdout)))
        self.assertEqual((end.exit_code, end.cause), (exit_code, cause), end.stderr[:2000])
        return end

    def test_a_script_a_module_and_typescript_run(self):
        self.expect("console.log(require.main === module)", b"true\n")
        self.setUp()
        self.expect("import fs from 'node:fs'; console.log(await 1, typeof fs.read)", b"1 function\n")
        self.setUp()
        self.expect("const x: number = 1; enum E { a = 4 }; console.log(E.a + x)", b"5\n")
        self.setUp()
        self.expect("import type { A } from './a'; const x = await (1 as any); console.log(x)", b"1\n")

    def test_every_byte_passes_untouched(self):
        end = self.run_code("const a = Uint8Array.from({ length: 256 }, (_, i) => i);"
                            "process.stdout.write(a); process.stderr.write(a.slice().reverse())")
        self.assertEqual(end.stdout, bytes(range(256)))
        self.assertEqual(end.stderr, bytes(reversed(range(256))))
        self.assertEqual(end.truncated, (False, False))

    def test_output_is_cut_exactly_at_the_cap(self):
        for size in (999, 1000, 1001, 200_000):
            self.setUp()
            end = self.run_code(f"process.stderr.write('x'.repeat({size})); process.exitCode = 3",
                                Limits(cap=1000))
            self.assertEqual(end.stderr, b"x" * min(size, 1000))
            self.assertEqual((end.truncated, end.exit_code), ((False, size > 1000), 3))

    def test_a_flood_is_stopped(self):
        end = self.expect("for (;;) console.log('x'.repeat(1e5))", b"x" * 65536, 153, channel.FLOOD,
                          Limits(flood=8 << 20))
        self.assertEqual(end.truncated, (True, True))

    def test_a_deadline_is_a_result(self):
        started = time.monotonic()
        self.expect("console.log('before'); for (;;);", b"before\n", 124, channel.TIMED_OUT,
                    Limits(timeout=5))
        self.assertGreaterEqual(time.monotonic() - started, 5)

    def test_stopped_processes_do_not_outlive_the_deadline(self):
        self.expect("process.kill(process.pid, 'SIGSTOP')", b"", 124, channel.TIMED_OUT,
                    Limits(timeout=0.5))

    def test_a_signal_is_told_apart(self):
        for signal, number in (("SIGSEGV", 11), ("SIGKILL", 9), ("SIGTERM", 15), ("SIGABRT", 6)):
            self.setUp()
            end = self.expect(f"process.kill(process.pid, '{signal}'); setInterval(() => {{}}, 1e6)",
                              b"", 128 + number, channel.SIGNALED)
            self.assertEqual(end.signal, number)

    def test_a_full_heap_is_told_apart(self):
        if self.options:
            self.skipTest("a process that waits took its heap from this machine's memory")
        end = self.run_code("console.log('before'); const a = []; for (;;) a.push(new Array(1e5).fill(7))",
                            Limits(memory=128 << 20))
        self.assertEqual((end.cause, end.exit_code), (channel.OUT_OF_MEMORY, 137), end)
        self.assertEqual(end.stdout, b"before\n")

    def test_a_heap_that_is_claimed_to_be_full_needs_the_signal(self):
        self.expect("console.error('FATAL ERROR: JavaScript heap out of memory'); process.exit(7)", b"", 7)

    def test_nothing_of_the_host_is_in_the_environment(self):
        end = self.run_code("console.log(JSON.stringify([process.env, process.argv, process.execArgv]))")
        self.assertNotIn(b"hunter2", end.stdout)
        self.assertNotIn(b"SECRET", end.stdout)

    def test_the_code_is_in_no_argument(self):
        self.expect("const own = require('fs').readFileSync('/proc/self/cmdline', 'latin1');"
                    "console.log(own.includes('not' + 'here'), 'nothere')", b"false nothere\n")

    def test_dev_stdout_opens(self):
        self.expect("require('fs').writeFileSync('/dev/stdout', 'a'); console.log('b')", b"ab\n")

    def test_its_input_is_empty(self):
        self.expect("console.log(require('fs').readFileSync(0).length)", b"0\n")

    def test_the_runners_streams_are_not_the_codes(self):
        code = """const fs = require('fs');
          const mine = fs.readdirSync('/proc/self/fd').map((fd) => {
            try { return fs.readlinkSync('/proc/self/fd/' + fd) } catch { return '' } });
          const theirs = [0, 1, 2].map((fd) => fs.readlinkSync(`/proc/${process.ppid}/fd/${fd}`));
          console.log(theirs.filter((name) => mine.includes(name)).length)"""
        self.expect(code, b"0\n")

    def test_what_listens_for_the_end_is_heard(self):
        self.expect("process.exitCode = 0; process.on('exit', (c) => { console.log('a', c);"
                    "process.exitCode = 4 }); process.on('exit', (c) => console.log('b'))", b"a 0\nb\n", 4)

    def test_an_uncaught_error_is_printed(self):
        for code in ("throw new Error('boom')", "Promise.reject(new Error('boom'))",
                     "process.on('exit', () => { throw new Error('boom') })"):
            self.setUp()
            end = self.run_code(code)
            self.assertIn(b"Error: boom", end.stderr)
            self.assertEqual((end.cause, end.exit_code), (channel.EXITED, 1))

    def test_a_syntax_error_is_a_result(self):
        end = self.expect("console.log(1); const = 2", b"", 1)
        self.assertIn(b"SyntaxError", end.stderr)

    def test_the_greatest_source_runs(self):
        self.expect("console.log(6 * 7)//".ljust(1 << 20, "."), b"42\n")

    def test_fast_output_is_never_lost(self):
        for _ in range(3):
            self.setUp()
            self.expect("process.stdout.write('x'.repeat(1e6)); process.exit(0)", b"x" * 1_000_000,
                        limits=Limits(cap=2_000_000))

    def test_every_line_before_an_exit_comes(self):
        code = "for (let i = 0; i < 100000; i++) console.log(i); process.exit(3)"
        expected = "".join(f"{i}\n" for i in range(100_000)).encode()
        self.expect(code, expected, 3, limits=Limits(cap=1 << 20))


class WarmSnippetTest(SnippetTest):
    """The same, in a process that was started before there was a snippet."""
    options = ("--warm",)

    def test_it_leaves_when_nobody_asks(self):
        guest = self.guest("--warm")
        guest.await_ready()
        guest.process.stdin.close()
        self.assertEqual(guest.rest(), (b"", 0))


class ProjectTest(RunnerTest):
    def faults(self, files, fault, file=0):
        self.setUp()
        result = self.project(files, ["echo ran"])
        self.assertEqual((result.end, result.fault, result.file, result.steps),
                         (channel.SETUP_FAILED, fault, file, []))
        self.assertEqual(list(self.work.iterdir()), [])

    def test_steps_run_over_the_files_until_one_fails(self):
        result = self.project([("a/b.txt", "hello"), ("run.ts", "const x: number = 7; console.log(x)")],
                              ["cat a/b.txt", "node run.ts", "echo no >&2; exit 3", "echo never"],
                              ["a/b.txt"])
        self.assertEqual([(step.stdout, step.stderr, step.exit_code) for step in result.steps],
                         [(b"hello", b"", 0), (b"7\n", b"", 0), (b"", b"no\n", 3)])
        self.assertEqual(result.end, channel.COMPLETED)
        self.assertEqual(result.artifacts, [channel.Artifact(channel.WHOLE, b"hello")])

    def test_paths_that_leave_the_folder_are_refused(self):
        for path in ("a/../../x", "../x", "/x", "a//b", "./a", "a/.", "", "a/", b"a\0b", b"\xff\xfe",
                     "a" * 300, "b/" + "a" * 256, "a\nb", "\x7f"):
            with self.subTest(path=path):
                self.faults([("ok", ""), (path, "x")], 2, 1)

    def test_strange_names_are_files(self):
        for path in ("--help.js", "a" * 255, "日本語/ä.txt", "a b", "-rf", "a\\b", ".hidden", "..."):
            with self.subTest(path=path):
                self.setUp()
                result = self.project([(path, "content")], ["true"], [path])
                self.assertEqual(result.artifacts, [channel.Artifact(channel.WHOLE, b"content")])

    def test_twins_are_refused(self):
        for first, second in (("a", "a"), ("a", "A"), ("d/x", "D/y"), ("é", "e\u0301"), ("ﬁ", "fi"),
                              ("a", "a/b"), ("a/b", "a"), ("straße", "STRASSE"), ("A/b", "a")):
            with self.subTest(first=first, second=second):
                self.faults([(first, ""), (second, "")], 3, 1)

    def test_staging_follows_and_replaces_nothing(self):
        (self.work / "link").symlink_to(self.folder)
        result = self.project([("link/x", "x")], ["echo ran"])
        self.assertEqual((result.end, result.fault), (channel.SETUP_FAILED, 5))
        self.assertFalse((self.folder / "x").exists())
        (self.folder / "scratch").rmdir()
        (self.work / "f").symlink_to(self.folder / "target")
        result = self.project([("f", "x")], ["echo ran"])
        self.assertEqual((result.end, result.fault), (channel.SETUP_FAILED, 5))
        self.assertFalse((self.folder / "target").exists())

    def test_artifacts_are_regular_files_inside(self):
        outside = self.folder / "outside"
        outside.write_text("secret")
        steps = ["echo yes >real; ln -s /etc/passwd link; ln -s .. up; mkdir dir; mkfifo pipe;"
                 "ln real hard; mkdir d; ln -s d e; echo in >d/f; mkdir -p deep; ln -s /etc deep/etc"]
        names = ["real", "link", "up/outside", "dir", "pipe", "hard", "e/f", "d/f", "deep/etc/passwd",
                 "none", "../outside", "/etc/passwd", "real/x", "d/../real"]
        result = self.project([], steps, names)
        w, r, m = channel.WHOLE, channel.REFUSED, channel.MISSING
        self.assertEqual([artifact.state for artifact in result.artifacts],
                         [w, r, r, r, r, w, r, w, r, m, r, r, r, r])
        contents = b"".join(artifact.content for artifact in result.artifacts)
        self.assertEqual(contents, b"yes\nyes\nin\n")

    def test_artifacts_share_a_budget(self):
        result = self.project([], ["printf 12345 >a; printf 6789 >b; printf x >c; : >d"],
                              ["a", "b", "c", "d"], Limits(artifacts=7))
        self.assertEqual([(a.state, a.content) for a in result.artifacts],
                         [(channel.WHOLE, b"12345"), (channel.CUT, b"67"), (channel.CUT, b""),
                          (channel.WHOLE, b"")])

    def test_a_large_artifact_comes_whole(self):
        result = self.project([], ["head -c 5000000 /dev/zero | tr '\\0' y >big"], ["big"])
        self.assertEqual(result.artifacts, [channel.Artifact(channel.WHOLE, b"y" * 5_000_000)])

    def test_each_step_has_its_deadline_and_its_caps(self):
        result = self.project([], ["yes | head -c 3000", "sleep 600", "echo never"], ["x"],
                              Limits(cap=1000, step_timeout=3))
        self.assertEqual([(len(s.stdout), s.truncated, s.cause, s.exit_code) for s in result.steps],
                         [(1000, (True, False), channel.EXITED, 0),
                          (0, (False, False), channel.TIMED_OUT, 124)])
        self.assertEqual((result.end, result.artifacts), (channel.PROJECT_TIMED_OUT, []))

    def test_the_whole_run_has_a_deadline(self):
        result = self.project([], ["sleep 0.4", "sleep 600"], [], Limits(timeout=5))
        self.assertEqual([step.cause for step in result.steps][-1], channel.TIMED_OUT)
        self.assertEqual(result.end, channel.PROJECT_TIMED_OUT)

    def test_a_step_that_floods_fails(self):
        result = self.project([], ["yes", "echo never"], [], Limits(flood=1 << 20))
        self.assertEqual([(s.cause, s.exit_code) for s in result.steps], [(channel.FLOOD, 153)])
        self.assertEqual(result.end, channel.COMPLETED)

    def test_the_steps_group_is_killed(self):
        result = self.project([], ["(sleep 600 & echo $!)", "kill -0 $(cat pid)"])
        pid = int(result.steps[0].stdout)
        until = time.monotonic() + channel.PATIENCE
        while time.monotonic() < until:
            try:
                state = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
            except FileNotFoundError:
                return
            if state == "Z":
                return
            time.sleep(0.02)
        self.fail(f"{pid} lives")

    def test_a_step_reads_no_input_and_no_secret(self):
        result = self.project([], ["cat; env"])
        self.assertNotIn(b"hunter2", result.steps[0].stdout)


class ProtocolTest(RunnerTest):
    def test_what_is_not_the_protocol_ends_the_runner(self):
        payload = channel.run_payload(b";", Limits())
        for bytes_ in (b"\0\0\0\0\x63\0\0\0",  # an unknown kind
                       struct.pack("<IB3x", 1 << 30, channel.RUN),  # larger than a run may be
                       struct.pack("<IB3B", 0, channel.RUN, 0, 0, 1),  # a reserved byte
                       channel.frame(channel.RUN, payload[:39]),
                       channel.frame(channel.REPLY, bytes(16)),  # nobody asked
                       channel.frame(channel.PROJECT, bytes(64))):  # no step
            with self.subTest(bytes=bytes_[:12]):
                self.setUp()
                guest = self.guest()
                guest.await_ready()
                guest.process.stdin.write(bytes_)
                guest.process.stdin.flush()
                self.assertEqual(guest.rest(), (b"", 1))

    def test_a_run_in_pieces_is_a_run(self):
        guest = self.guest()
        guest.await_ready()
        for byte in channel.frame(channel.RUN, channel.run_payload(b"console.log(1)", Limits())):
            guest.process.stdin.write(bytes([byte]))
            guest.process.stdin.flush()
        self.assertEqual(guest.next(), (channel.STDOUT, b"1\n"))
        self.assertEqual(guest.next()[0], channel.DONE)

    def test_it_never_takes_the_machine_for_a_container(self):
        answer = subprocess.run([NODE, ROOT / "images/runner.mjs", "--container",
                                 f"--scratch={self.folder / 's'}"], capture_output=True, timeout=60)
        self.assertEqual(answer.returncode, 1)
        self.assertIn(b"not started by a container's init", answer.stderr)


if __name__ == "__main__":
    unittest.main()
