#!/usr/bin/env python3
"""The daemon and an example over a real engine: tiers that are measured, a project by a real client,
hardened mode, and a daemon that is killed.

Usage, by tools/with-docker: daemon_test.py PLIMSOLLD PLIMSOLL_CLIENTS MINIMAL GRPC_PROTO_DIR"""

import base64
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import threading
import unittest

import engine

sys.path.insert(0, str(engine.ROOT / "tests/e2e"))
import daemon_harness  # noqa: E402
from daemon_harness import Daemon, free_port, wait_for  # noqa: E402

MINIMAL = GRPC_PROTO = ""
SNIPPET, PROJECT = f"plimsoll/snippet:{engine.TAG}", f"plimsoll/sandbox:{engine.TAG}"
COMPLETED = 1


def pinned(image):
    found = engine.docker("image", "inspect", "--format", "{{.Id}}", image).stdout.strip()
    return f"{image.partition(':')[0]}@{found}"


def settings(runtime="runsc"):
    return {"SANDBOX_PROVIDER": "docker", "SANDBOX_DOCKER_HOST": os.environ["DOCKER_HOST"],
            "SANDBOX_DOCKER_IMAGE": pinned(SNIPPET), "SANDBOX_DOCKER_PROJECT_IMAGE": pinned(PROJECT),
            "SANDBOX_DOCKER_RUNTIME": runtime, "SANDBOX_DOCKER_SECCOMP": str(engine.SECCOMP),
            "SANDBOX_MEMORY_MB": "512", "SANDBOX_CPUS": "1", "SANDBOX_PIDS": "64",
            "SANDBOX_DISK_MB": "64", "SANDBOX_TOTAL_MEMORY_MB": "2048", "SANDBOX_RATE_PER_MIN": "60"}


def containers_of(pid):
    return engine.docker("ps", "-aq", "--filter", f"label=plimsoll.pid={pid}").stdout.split()


class Example(unittest.TestCase):
    def minimal(self, **more):
        environment = {"PATH": os.environ["PATH"], "SANDBOX_PROVIDER": "docker",
                       "SANDBOX_DOCKER_HOST": os.environ["DOCKER_HOST"],
                       "SANDBOX_DOCKER_IMAGE": SNIPPET} | more
        done = subprocess.run([MINIMAL], env=environment, capture_output=True, text=True, timeout=120,
                              check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_with_gvisor_the_tier_is_kernel_and_measured(self):
        text = self.minimal(SANDBOX_DOCKER_RUNTIME="runsc")
        self.assertIn("isolation: kernel\n", text)
        self.assertIn("container.pid_namespaces = 1 (measured)\n", text)
        self.assertIn("runtime.sha256 = ", text)
        self.assertNotIn("(configured)", text)
        self.assertNotIn("(stated)", text)

    def test_without_it_the_tier_is_container(self):
        self.assertIn("isolation: container\n", self.minimal())


class Service(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        # Hardened: everything that it asks for is there.
        cls.daemon = Daemon(tls=True, PLIMSOLL_HARDENED="1", **settings()).__enter__()

    @classmethod
    def tearDownClass(cls):
        cls.daemon.process.terminate()
        cls.daemon.process.wait(90)
        left = containers_of(cls.daemon.process.pid)
        cls.daemon.__exit__()
        assert not left, left

    def test_a_project_by_a_real_client(self):
        descriptors = pathlib.Path(self.daemon.folder.name) / "sandbox.binpb"
        subprocess.run(["protoc", f"--proto_path={engine.ROOT}/proto", f"--proto_path={GRPC_PROTO}",
                        "--include_imports", f"--descriptor_set_out={descriptors}",
                        "plimsoll/v1/sandbox.proto"], check=True)
        done = subprocess.run(["node", engine.ROOT / "tests/rpc/project_client.mjs", descriptors,
                               f"https://localhost:{self.daemon.port}", self.daemon.cert],
                              env=os.environ | {"TOKEN": self.daemon.tokens["ann"]},
                              capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        answer = json.loads(done.stdout)
        every_byte = bytes(range(256))
        self.assertEqual((answer["kind"], answer["isolation"], answer["outcome"]),
                         ("project", "kernel", COMPLETED))
        self.assertEqual(answer["environment"], "docker-image:" + pinned(PROJECT).partition("@")[2])
        self.assertEqual(answer["steps"], [[0, "42\n", ""], [3, "", "broken\n"]])
        self.assertEqual(answer["artifacts"],
                         [["out.bin", every_byte.hex(), hashlib.sha256(every_byte).hexdigest()]])
        self.assertRegex(answer["record"], r"^[0-9a-f]{64}$")

    def test_a_snippet_carries_its_own_evidence(self):
        status, body, _ = self.daemon.run("console.log(6 * 7)", minimumIsolation="kernel")
        self.assertEqual(status, 200, body)
        self.assertEqual(base64.b64decode(body["javascript"]["stdout"]), b"42\n")
        self.assertEqual(body["evidence"]["tier"], "kernel")
        self.assertEqual({fact["basis"] for fact in body["evidence"]["facts"]},
                         {"EVIDENCE_BASIS_MEASURED"})

    def test_a_floor_that_it_does_not_meet_is_refused(self):
        status, body, _ = self.daemon.run("1", minimumIsolation="vm")
        self.assertEqual((status, daemon_harness.reason_of(body)), (400, ["isolation"]))

    def test_it_describes_what_it_serves(self):
        status, body, _ = self.daemon.call("Describe", {})
        self.assertEqual((status, body["sandbox"], body["isolation"]), (200, "docker", "kernel"))
        self.assertTrue(body["supportsProject"])
        self.assertEqual(body["resources"], {"memoryMb": 512, "cpus": 1, "pids": 64, "diskMb": 64})
        self.assertRegex(body["projectEnvironment"]["identity"], r"^docker-image:sha256:[0-9a-f]{64}$")


class Hardened(unittest.TestCase):
    def refusal(self, change, without=()):
        with Daemon(tls="tls" not in without) as lender:
            environment = {"PATH": os.environ["PATH"], "PLIMSOLL_HARDENED": "1",
                           "PLIMSOLL_ADDR": f"0.0.0.0:{free_port()}", "PLIMSOLL_METRICS_ADDR": "off",
                           "PLIMSOLL_CLIENTS_FILE": f"{lender.folder.name}/clients.json",
                           **settings(), **change}
            if lender.cert:
                environment |= {"PLIMSOLL_TLS_CERT": str(lender.cert),
                                "PLIMSOLL_TLS_KEY": str(lender.cert.with_name("key.pem"))}
            for name in without:
                environment.pop(name, None)
            done = subprocess.run([daemon_harness.PLIMSOLLD], env=environment, capture_output=True,
                                  text=True, timeout=120, check=False)
        self.assertEqual(done.returncode, 1, done.stderr)
        return done.stderr

    def test_each_thing_that_is_missing_is_named(self):
        for change, without, word in (
                ({"SANDBOX_DOCKER_RUNTIME": "runc"}, (), "kernel"),
                ({"SANDBOX_DOCKER_IMAGE": SNIPPET}, (), "pinned"),
                ({"SANDBOX_DOCKER_PROJECT_IMAGE": PROJECT}, (), "pinned"),
                ({"SANDBOX_DOCKER_SECCOMP": "unconfined"}, (), "SANDBOX_DOCKER_SECCOMP"),
                ({}, ("tls",), "TLS"),
                ({"PLIMSOLL_TOKEN": "t" * 64}, ("PLIMSOLL_CLIENTS_FILE",), "PLIMSOLL_CLIENTS_FILE"),
                ({}, ("SANDBOX_DISK_MB", "SANDBOX_TOTAL_MEMORY_MB"), "SANDBOX_DISK_MB")):
            with self.subTest(word):
                self.assertIn(word, self.refusal(change, without))


class Killed(unittest.TestCase):
    def test_a_killed_daemon_leaves_nothing_after_the_next_start(self):
        gone = []
        for _ in range(int(os.environ.get("PLIMSOLL_KILLS", "2"))):
            with Daemon(**settings("runc")) as daemon:
                def endless(d=daemon):
                    try:
                        d.run("for (;;);", timeoutMs=60_000)
                    except OSError:
                        pass  # it was killed
                run = threading.Thread(target=endless)
                run.start()
                wait_for("its run began", lambda d=daemon: containers_of(d.process.pid), 60)
                gone.append(daemon.process.pid)
                daemon.process.kill()
                run.join()
        with Daemon(**settings("runc")) as daemon:
            wait_for("the daemon serves", daemon.serves, 90)
            # One that the engine was making at that moment is found a minute later at most.
            wait_for("the orphans are gone", lambda: not any(map(containers_of, gone)), 120)
            daemon.process.terminate()
            daemon.process.wait(90)
            self.assertEqual(containers_of(daemon.process.pid), [])


if __name__ == "__main__":
    daemon_harness.PLIMSOLLD, daemon_harness.CLIENTS, MINIMAL, GRPC_PROTO = sys.argv[1:5]
    engine.main()
