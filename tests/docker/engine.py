"""Containers of the built images, locked down as the provider does it, for tests that tools/with-docker
gives an engine."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/images"))
import channel  # noqa: E402

SECCOMP = ROOT / "images/seccomp.json"
MEMORY = 256
TAG = "test"
SNIPPET, PROJECT = f"plimsoll/snippet:{TAG}", f"plimsoll/sandbox:{TAG}"
RUNTIMES = ("runc", "runsc")
NO_ENGINE = 77  # what ctest takes for skipped


def docker(*arguments, check=True, **options):
    return subprocess.run(["docker", *arguments], check=check, capture_output=True, text=True,
                          timeout=300, **options)


def locked(runtime, memory=MEMORY):
    """The options of `docker run` for a container that holds hostile code. What counts against the pids
    limit under gVisor is its own threads, which it dies without; its guest's processes are bounded by a
    ulimit. Under runc that would count the processes of one user in all containers."""
    tmpfs = "rw,noexec,nosuid,nodev"
    options = [
        "--runtime", runtime, "--network", "none", "--read-only", "--cap-drop", "ALL",
        "--security-opt", "no-new-privileges", "--security-opt", f"seccomp={SECCOMP}",
        "--pids-limit", "4096" if runtime == "runsc" else "256", "--memory", f"{memory}m", "--memory-swap", f"{memory}m",
        "--tmpfs", f"/tmp:{tmpfs},size=16m,mode=1777",
        "--tmpfs", f"/work:{tmpfs},size=48m,uid=65534,gid=65534,mode=700",
        "--ipc", "none", "--init", "--log-driver", "none", "--ulimit", "core=0",
        "--ulimit", "nofile=1024", "--hostname", "sandbox",
    ]
    return options + (["--ulimit", "nproc=128"] if runtime == "runsc" else [])


def build_images():
    with tempfile.TemporaryDirectory(prefix="plimsoll-images-", dir=ROOT / "build") as out:
        subprocess.run([ROOT / "images/build", "--load", "--tag", TAG, "--out", out], check=True,
                       stdout=subprocess.DEVNULL)
        return {name: pathlib.Path(out, f"{name}.id").read_text().strip()
                for name in ("snippet", "project")}


class DockerTest(unittest.TestCase):
    """One test for each runtime: runtime() is the one of this class."""
    runtime = "runc"

    def guest(self, image=SNIPPET, memory=MEMORY):
        environment = dict(os.environ, SECRET_OF_THE_HOST="hunter2")
        guest = channel.Guest(["docker", "run", "--rm", "-i", *locked(self.runtime, memory), image],
                              env=environment)
        self.addCleanup(guest.__exit__)
        return guest

    def run_code(self, code, limits=None, api=None, **options):
        return self.guest(**options).run(code, limits, api)

    def project(self, *arguments, image=PROJECT, **options):
        return self.guest(image).project(*arguments, **options)


def for_each_runtime(base):
    """Adds to the module of `base` one class for each runtime, and keeps `base` itself from running."""
    module = sys.modules[base.__module__]
    for runtime in RUNTIMES:
        name = f"{base.__name__}_{runtime}"
        setattr(module, name, type(name, (base, DockerTest), {"runtime": runtime,
                                                              "__module__": base.__module__}))
    return base


def main(images=True):
    if not os.environ.get("PLIMSOLL_ENGINE_ROOT"):
        print("skipped: no engine; tools/with-docker has one", file=sys.stderr)
        sys.exit(NO_ENGINE)
    (ROOT / "build").mkdir(exist_ok=True)
    if images:
        build_images()
    unittest.main(argv=sys.argv[:1], verbosity=2)
