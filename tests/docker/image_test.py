#!/usr/bin/env python3
"""What images/build makes: the same bytes each time, an image that the engine takes by either way, and
nothing in it that weakens a container. tools/with-docker tests/docker/image_test.py"""

import hashlib
import json
import os
import pathlib
import subprocess
import tarfile
import tempfile
import unittest

import engine
from engine import docker

IMAGES = engine.ROOT / "images"


class ImageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        (engine.ROOT / "build").mkdir(exist_ok=True)
        cls.temporary = tempfile.TemporaryDirectory(prefix="plimsoll-images-", dir=engine.ROOT / "build")
        cls.out = pathlib.Path(cls.temporary.name)
        cls.build(cls.out, "--load")

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    @staticmethod
    def build(out, *options, umask=0o022):
        subprocess.run([IMAGES / "build", "--tag", "image-test", "--out", out, *options], check=True,
                       stdout=subprocess.DEVNULL, umask=umask)

    def digest(self, path):
        return hashlib.sha256(path.read_bytes()).hexdigest()

    def test_it_is_the_same_bytes_each_time(self):
        with tempfile.TemporaryDirectory(dir=self.out) as second:
            again = pathlib.Path(second)
            self.build(again, "snippet", umask=0o077)
            for name in ("snippet.tar", "snippet.id"):
                self.assertEqual(self.digest(self.out / name), self.digest(again / name), name)

    def test_the_engine_has_it_under_the_id_that_was_announced(self):
        for name, tag in (("snippet", "plimsoll/snippet"), ("project", "plimsoll/sandbox")):
            image = json.loads(docker("image", "inspect", f"{tag}:image-test").stdout)[0]
            self.assertEqual(image["Id"], (self.out / f"{name}.id").read_text().strip())

    def test_its_configuration_weakens_nothing(self):
        for tag in ("plimsoll/snippet", "plimsoll/sandbox"):
            config = json.loads(docker("image", "inspect", f"{tag}:image-test").stdout)[0]["Config"]
            self.assertFalse(config.get("Volumes"))
            self.assertFalse(config.get("ExposedPorts"))
            self.assertEqual(config["User"], "65534:65534")
            self.assertEqual(config["WorkingDir"], "/work")
            self.assertEqual(config["Entrypoint"][:3],
                             ["/bin/sh", "/usr/lib/plimsoll/runner/enter", "--container"])

    def test_no_file_of_it_gives_a_privilege(self):
        for name in ("snippet", "project"):
            with tarfile.open(self.out / f"{name}.tar") as whole, \
                    tarfile.open(fileobj=whole.extractfile("layer.tar")) as tar:
                for entry in tar:
                    self.assertIn(entry.type, (tarfile.REGTYPE, tarfile.DIRTYPE, tarfile.SYMTYPE))
                    self.assertFalse(entry.mode & 0o6000, entry.name)
                    if entry.name == "tmp":
                        continue
                    self.assertFalse(entry.mode & 0o022 and not entry.issym(), entry.name)
                    self.assertEqual(entry.uid, 65534 if entry.name == "work" else 0, entry.name)
                    self.assertEqual((entry.mtime, entry.uname, entry.gname), (0, "", ""), entry.name)

    def test_the_file_system_can_be_imported(self):
        changes = [line for line in (IMAGES / "snippet.Dockerfile").read_text().splitlines()
                   if line.split(" ")[0] in ("ENV", "USER", "WORKDIR", "ENTRYPOINT")]
        options = [option for change in changes for option in ("--change", change)]
        with subprocess.Popen(["tar", "-xOf", self.out / "snippet.tar", "layer.tar"],
                              stdout=subprocess.PIPE) as layer:
            docker("import", *options, "-", "plimsoll/imported:test", stdin=layer.stdout)
        self.expect_to_run("plimsoll/imported:test")

    def test_the_dockerfiles_build(self):
        for name in ("snippet", "project"):
            docker("build", "--network", "none", "--build-arg", "BASE=plimsoll/snippet:image-test",
                   "--file", str(IMAGES / f"{name}.Dockerfile"), "--tag", f"plimsoll/{name}:built",
                   str(IMAGES), env=dict(os.environ, DOCKER_BUILDKIT="0"))
            self.expect_to_run(f"plimsoll/{name}:built")

    def expect_to_run(self, image):
        with engine.channel.Guest(["docker", "run", "--rm", "-i", *engine.locked("runc"), image]) as guest:
            self.assertEqual(guest.run("console.log(6 * 7)").stdout, b"42\n")

    def test_it_says_what_is_inside(self):
        listing = docker("run", "--rm", "--network", "none", "--entrypoint", "cat",
                         "plimsoll/snippet:image-test", "/usr/lib/plimsoll/packages.txt").stdout
        self.assertRegex(listing, r"(?m)^node v22\.")
        for package in ("busybox-static", "libc6", "libstdc++6"):
            self.assertRegex(listing, rf"(?m)^{package.replace('+', '[+]')} \S+ \w+$")


if __name__ == "__main__":
    engine.main(images=False)
