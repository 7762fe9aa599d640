"""An image as `docker load` takes it, around a tar of its file system. Its configuration has no time in
it, so that the image's id depends on its content alone and is the same on each machine."""

import hashlib
import io
import json
import re
import tarfile

INSTRUCTIONS = ("ENV", "USER", "WORKDIR", "ENTRYPOINT", "CMD", "LABEL")
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


def sha256_of(path):
    digest = hashlib.sha256()
    with open(path, "rb") as content:
        for part in iter(lambda: content.read(1 << 20), b""):
            digest.update(part)
    return digest.hexdigest()


def write(out, layer, changes, tag, architecture):
    """Writes the archive; the image's id, without `sha256:`."""
    config = {
        "architecture": architecture, "os": "linux", "created": EPOCH, "config": config_of(changes),
        "rootfs": {"type": "layers", "diff_ids": [f"sha256:{sha256_of(layer)}"]},
        "history": [{"created": EPOCH, "created_by": "plimsoll images/build"}],
    }
    encoded = json.dumps(config, sort_keys=True, separators=(",", ":")).encode()
    image = hashlib.sha256(encoded).hexdigest()
    manifest = [{"Config": f"{image}.json", "RepoTags": [tag], "Layers": ["layer.tar"]}]
    with tarfile.open(out, "w", format=tarfile.GNU_FORMAT) as tar:
        for name, content in ((f"{image}.json", encoded),
                              ("manifest.json", json.dumps(manifest).encode())):
            info = tarfile.TarInfo(name)
            info.size, info.mode = len(content), 0o644
            tar.addfile(info, io.BytesIO(content))
        info = tarfile.TarInfo("layer.tar")
        info.size, info.mode = layer.stat().st_size, 0o644
        with open(layer, "rb") as content:
            tar.addfile(info, content)
    return image
