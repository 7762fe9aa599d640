"""An image as `docker load` takes it, around a tar of its file system (`layer.tar` in it). Its configuration has no time in
it, so that the image's id depends on its content alone and is the same on each machine."""

import hashlib
import io
import json
import re
import tarfile

INSTRUCTIONS = ("ENV", "USER", "WORKDIR", "ENTRYPOINT", "CMD", "LABEL")
LAYER = "layer.tar"
EPOCH = "1970-01-01T00:00:00Z"


def changes_of(dockerfile):
    """The instructions of a Dockerfile that are configuration, as `docker import --change` takes them."""
    lines = re.sub(r"\\\n", " ", dockerfile.read_text()).splitlines()
    return [line.strip() for line in lines if line.split(" ")[0] in INSTRUCTIONS]


def config_of(changes):
    config = {"Env": []}
    for change in changes:
        word, rest = change.split(None, 1)
        if word == "ENV":
            config["Env"].append(rest)
        elif word == "USER":
            config["User"] = rest
        elif word == "WORKDIR":
            config["WorkingDir"] = rest
        elif word in ("ENTRYPOINT", "CMD"):
            config["Entrypoint" if word == "ENTRYPOINT" else "Cmd"] = json.loads(rest)
        else:
            raise SystemExit(f"images/build: {word} of a Dockerfile is not known here")
    return config


class Hashed:
    """Passes on what is written, and knows its size and its hash."""

    def __init__(self, out):
        self.out, self.size, self.sha256 = out, 0, hashlib.sha256()

    def write(self, content):
        self.out.write(content)
        self.size += len(content)
        self.sha256.update(content)


def header_of(name, size):
    info = tarfile.TarInfo(name)
    info.size, info.mode = size, 0o644
    return info.tobuf(tarfile.GNU_FORMAT)


def write_layer(out, root):
    """Writes the file system into the archive `out`, once: its header is put before it afterwards. Its
    hash."""
    out.write(header_of(LAYER, 0))
    layer = Hashed(out)
    root.write(layer)
    out.write(bytes(-layer.size % tarfile.BLOCKSIZE))
    end = out.tell()
    out.seek(0)
    out.write(header_of(LAYER, layer.size))
    out.seek(end)
    return layer.sha256.hexdigest()


def write(path, root, changes, tag, architecture):
    """Writes the archive of the file system `root`; the image's id, without `sha256:`."""
    with open(path, "wb") as out:
        layer = write_layer(out, root)
        config = {
            "architecture": architecture, "os": "linux", "created": EPOCH, "config": config_of(changes),
            "rootfs": {"type": "layers", "diff_ids": [f"sha256:{layer}"]},
            "history": [{"created": EPOCH, "created_by": "plimsoll images/build"}],
        }
        encoded = json.dumps(config, sort_keys=True, separators=(",", ":")).encode()
        image = hashlib.sha256(encoded).hexdigest()
        manifest = [{"Config": f"{image}.json", "RepoTags": [tag], "Layers": [LAYER]}]
        with tarfile.open(fileobj=out, mode="w|", format=tarfile.GNU_FORMAT) as tar:
            for name, content in ((f"{image}.json", encoded),
                                  ("manifest.json", json.dumps(manifest).encode())):
                info = tarfile.TarInfo(name)
                info.size, info.mode = len(content), 0o644
                tar.addfile(info, io.BytesIO(content))
    return image
