#!/usr/bin/env python3
"""Hostile and plain guests in containers of the built images, under runc and under gVisor:
tools/with-docker tests/docker/guest_test.py"""

import time

import engine

import channel  # found by engine
from channel import Limits

# Processes of the step's own container that are not init, the runner, and what asks.
OTHERS = r"""for p in /proc/[0-9]*; do p=${p#/proc/}
  [ $p = 1 ] || [ $p = $$ ] || [ $p = $PPID ] || [ ! -r /proc/$p/stat ] ||
    { set -- $(cut -d' ' -f2,3 /proc/$p/stat); [ "$2" = Z ] || echo "left: $*"; }; done"""


@engine.for_each_runtime
class Snippets:
    def expect(self, code, stdout=b"", exit_code=0, cause=channel.EXITED, limits=None, **options):
        end = self.run_code(code, limits, **options)
        self.assertTrue(end.stdout == stdout, (end.stdout[:500], end.stderr[:2000]))
        self.assertEqual((end.exit_code, end.cause), (exit_code, cause), end.stderr[:2000])
        return end

    def test_it_runs(self):
        self.expect("console.log(6 * 7, await 1)", b"42 1\n")

    def test_typescript_runs(self):
        self.expect("enum E { a = 3 }; const x: number = 4; console.log(x + E.a)", b"7\n")

    def test_a_segmentation_fault(self):
        self.expect("process.kill(process.pid, 'SIGSEGV')", b"", 139, channel.SIGNALED)

    def test_a_full_heap(self):
        self.expect("console.log('before'); const a = []; for (;;) a.push(new Array(1e5).fill(7))",
                    b"before\n", 137, channel.OUT_OF_MEMORY)

    def test_stopping_everything_does_not_outlive_the_deadline(self):
        self.expect("process.kill(process.pid, 'SIGSTOP')", b"", 124, channel.TIMED_OUT,
                    Limits(timeout=1))

    def test_killing_everything_else_is_its_own_end(self):
        # The runner is among what it can reach: the host sees a stream that ends without an answer.
        guest = self.guest()
        guest.await_ready()
        guest.send(channel.RUN, channel.run_payload(b"process.kill(-1, 'SIGKILL'); for (;;);",
                                                    Limits(timeout=2)))
        while (frame := guest.next()) is not None:
            self.assertEqual(frame[0], channel.DONE)

    def test_a_gigabyte_of_output_is_capped(self):
        end = self.expect("const x = 'x'.repeat(1 << 20); for (let i = 0; i < 1024; i++) console.log(x)",
                          b"x" * 65536, 0, limits=Limits(timeout=200, flood=4 << 30))
        self.assertEqual(end.truncated, (True, False))

    def test_a_flood_is_stopped(self):
        self.expect("for (;;) console.log('x'.repeat(1e5))", b"x" * 65536, 153, channel.FLOOD,
                    Limits(flood=8 << 20))

    def test_spawning_without_end(self):
        end = self.run_code("const { spawn } = require('child_process');"
                            "for (;;) spawn('sleep', ['99']).on('error', () => {})", Limits(timeout=3))
        self.assertIn(end.cause, (channel.TIMED_OUT, channel.OUT_OF_MEMORY, channel.EXITED,
                                  channel.SIGNALED), end)

    def test_what_it_leaves_running_does_not_hold_it(self):
        for command in ("(sleep 600 &); echo ok", "setsid sleep 600 & echo ok"):
            started = time.monotonic()
            end = self.run_code(f"console.log(String(require('child_process').execSync("
                                f"{command!r} , {{ stdio: ['ignore', 'inherit', 'inherit'] }})))")
            self.assertEqual((end.stdout, end.exit_code), (b"ok\nnull\n", 0), end)
            self.assertLess(time.monotonic() - started, 30)

    def test_nothing_of_the_host_is_in_its_environment(self):
        end = self.run_code("console.log(JSON.stringify(process.env))")
        self.assertNotIn(b"hunter2", end.stdout)
        for name in (b"HOSTNAME", b"DOCKER", b"SECRET"):
            self.assertNotIn(name, end.stdout)

    def test_it_calls_the_host(self):
        end = self.run_code("console.log(await host.get('/x'))", Limits(grant=("host", "")),
                            lambda *call: (200, 0, "text/plain", call[1].encode()))
        self.assertEqual((end.stdout, end.stderr), (b"/x\n", b""))

    def test_nothing_is_written_but_to_its_folders(self):
        code = """const fs = require('fs'); const out = [];
          for (const d of ['/', '/bin', '/etc', '/usr/lib/plimsoll', '/lib', '/dev/shm', '/tmp', '/work'])
            try { fs.writeFileSync(d + '/written', 'x'); out.push(d) } catch {}
          console.log(out.join())"""
        self.expect(code, b"/tmp,/work\n")

    def test_nothing_that_it_wrote_is_executed(self):
        self.expect("""const fs = require('fs'), { spawnSync } = require('child_process');
          for (const d of ['/tmp', '/work']) { fs.copyFileSync('/bin/busybox', d + '/busybox');
            fs.chmodSync(d + '/busybox', 0o755);
            console.log(spawnSync(d + '/busybox', ['true']).error?.code) }""", b"EACCES\nEACCES\n")

    def test_there_is_no_network(self):
        self.expect("""const net = require('net'); net.connect(80, '192.0.2.1')
            .on('connect', () => console.log('connected'))
            .on('error', (e) => console.log(/^E(NET|HOST)UNREACH$/.test(e.code) || e.code))""", b"true\n")


@engine.for_each_runtime
class Projects:
    def test_check_lint_and_run(self):
        files = [
            ("tsconfig.json", '{"compilerOptions": {"strict": true, "noEmit": true, "module": "nodenext",'
                              '"types": ["node"]}, "include": ["src"]}'),
            ("package.json", '{"type": "module"}'),
            ("eslint.config.js", "import js from '@eslint/js'; import ts from 'typescript-eslint';"
                                 "export default ts.config(js.configs.recommended, ...ts.configs.recommended);"),
            ("src/main.ts", "import fs from 'node:fs';\nconst n: number = 6 * 7;\n"
                            "fs.writeFileSync('out.txt', String(n));\nconsole.log(n);\n"),
        ]
        result = self.guest(engine.PROJECT, memory=1024).project(
            files, ["tsc -p .", "eslint src", "node src/main.ts", "tsx src/main.ts"], ["out.txt"],
            Limits(memory=1024 << 20, timeout=120, step_timeout=120))
        self.assertEqual([(s.exit_code, s.stdout, s.stderr) for s in result.steps],
                         [(0, b"", b""), (0, b"", b""), (0, b"42\n", b""), (0, b"42\n", b"")])
        self.assertEqual(result.artifacts, [channel.Artifact(channel.WHOLE, b"42")])

    def test_nothing_survives_its_step(self):
        hide = ["(sleep 600 &); echo ok", "setsid sleep 600 & echo ok",
                "setsid sh -c '(setsid sleep 600 &) &' & echo ok",
                "node -e 'require(`child_process`).spawn(`sleep`, [`600`], {detached: true, stdio: `ignore`}).unref()'; echo ok",
                "(trap '' TERM HUP INT; sleep 600) & echo ok"]
        steps = [step for command in hide for step in (command, OTHERS)]
        started = time.monotonic()
        result = self.project([], steps)
        self.assertEqual([step.stdout for step in result.steps], [b"ok\n", b""] * len(hide))
        self.assertLess(time.monotonic() - started, 240)

    def test_a_background_appender_stops(self):
        result = self.project([], ["(while :; do echo x >>log; done) & while [ ! -s log ]; do :; done",
                                   "a=$(wc -c <log); for i in 1 2 3 4 5; do node -e 0; done;"
                                   "[ $a = $(wc -c <log) ] && echo same"])
        self.assertEqual(result.steps[1].stdout, b"same\n")

    def test_a_fork_bomb_ends_with_its_step(self):
        bomb = "f() { f | f & }; f; node -e 'setTimeout(() => {}, 300)'; true"
        try:
            result = self.project([], [bomb, OTHERS], limits=Limits(step_timeout=10))
        except channel.Gone:
            self.assertEqual(self.runtime, "runsc")  # gVisor may die of it, as a whole
            return
        # The shell itself may fail to fork; whatever it says, nothing is left for the next step.
        self.assertEqual([step.stdout for step in result.steps[1:]], [b""] * (len(result.steps) - 1))

    def test_the_traversal_set(self):
        for path in ("a/../../x", "/x", b"a\0b", "a" * 300):
            result = self.project([(path, "x")], ["echo ran"], image=engine.SNIPPET)
            self.assertEqual((result.end, result.fault, result.steps), (channel.SETUP_FAILED, 2, []))
        result = self.project([("--help.js", "console.log(1)")], ["node ./--help.js"])
        self.assertEqual(result.steps[0].stdout, b"1\n")

    def test_links_bring_nothing_back(self):
        result = self.project([], ["ln -s /etc/passwd p; ln -s /etc d; echo a >f; ln f h; ln -s f s"],
                              ["p", "d/passwd", "h", "s"])
        self.assertEqual([(a.state, a.content) for a in result.artifacts],
                         [(channel.REFUSED, b""), (channel.REFUSED, b""), (channel.WHOLE, b"a\n"),
                          (channel.REFUSED, b"")])

    def test_a_full_disk_is_told_apart(self):
        files = [(f"f{i}", "x" * (1 << 20)) for i in range(3)]
        guest = channel.Guest(["docker", "run", "--rm", "-i", *engine.locked(self.runtime),
                               "--tmpfs", "/work:rw,size=2m,uid=65534,gid=65534", engine.SNIPPET])
        self.addCleanup(guest.__exit__)
        result = guest.project(files, ["echo ran"])
        self.assertEqual((result.end, result.fault, result.steps), (channel.SETUP_FAILED, 4, []))

    def test_steps_call_the_host(self):
        result = self.project([("a.ts", "const x: string = await host.get('/x'); console.log(x)")],
                              ["node a.ts"], limits=Limits(grant=("host", "")),
                              api=lambda *call: (200, 0, "text/plain", call[1].encode()))
        self.assertEqual((result.steps[0].stdout, result.steps[0].stderr), (b"/x\n", b""))


if __name__ == "__main__":
    engine.main()
