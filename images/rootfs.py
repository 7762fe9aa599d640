"""The file system of an image, put together from files of this machine, and written as a tar that is
the same bytes each time: sorted names, no times, numeric owners, modes that do not depend on a umask."""

import io
import os
import pathlib
import subprocess
import tarfile

GUEST = 65534


class Rootfs:
    def __init__(self):
        self.entries = {}  # path in the image, without a leading slash -> (TarInfo, source or bytes)

    def _add(self, path, kind, mode, owner=0, source=None, link=""):
        info = tarfile.TarInfo(path)
        info.type, info.mode, info.linkname = kind, mode, link
        info.uid = info.gid = owner
        parent = os.path.dirname(path)
        if parent and parent not in self.entries:
            self.folder(parent)
        self.entries[path] = (info, source)

    def folder(self, path, mode=0o755, owner=0):
        self._add(path, tarfile.DIRTYPE, mode, owner)

    def link(self, path, target):
        self._add(path, tarfile.SYMTYPE, 0o777, link=target)

    def text(self, path, content):
        self._add(path, tarfile.REGTYPE, 0o644, source=content.encode())

    def file(self, path, source):
        """A copy of `source`, through links."""
        source = pathlib.Path(source).resolve(strict=True)
        mode = 0o755 if os.access(source, os.X_OK) else 0o644
        self._add(path, tarfile.REGTYPE, mode, source=source)

    def tree(self, path, source, skip=frozenset()):
        """A copy of the folder `source`; links stay links. `skip`: names, anywhere in it."""
        source = pathlib.Path(source)
        self.folder(path)
        for entry in sorted(source.iterdir()):
            inside = f"{path}/{entry.name}"
            if entry.name in skip:
                continue
            if entry.is_symlink():
                self.link(inside, os.readlink(entry))
            elif entry.is_dir():
                self.tree(inside, entry, skip)
            else:
                self.file(inside, entry)

    def write(self, out):
        """As a tar into the file object `out`, from front to end."""
        with tarfile.open(fileobj=out, mode="w|", format=tarfile.GNU_FORMAT) as tar:
            for path in sorted(self.entries):
                info, source = self.entries[path]
                if info.type != tarfile.REGTYPE:
                    tar.addfile(info)
                elif isinstance(source, bytes):
                    info.size = len(source)
                    tar.addfile(info, io.BytesIO(source))
                else:
                    with open(source, "rb") as content:
                        info.size = os.fstat(content.fileno()).st_size
                        tar.addfile(info, content)


def shared_libraries(program):
    """What the dynamic linker would load for `program`: (path in the image, file)."""
    listing = subprocess.run(["ldd", str(program)], check=True, capture_output=True, text=True).stdout
    found = []
    for line in listing.splitlines():
        words = line.split()
        if "not found" in line:
            raise SystemExit(f"images/build: {program} needs {words[0]}, which is not installed")
        path = words[2] if "=>" in words else words[0]
        if path.startswith("/"):
            found.append((path.lstrip("/"), path))
    return found


def packages_of(paths):
    """The Debian packages that own `paths`, with their versions; sorted."""
    resolved = sorted({str(pathlib.Path(path).resolve()) for path in paths})
    owners = set()
    for path in resolved:
        # Where /lib is a link into /usr, dpkg knows a file by either name.
        for name in (path, path.removeprefix("/usr")):
            answer = subprocess.run(["dpkg-query", "-S", name], capture_output=True, text=True)
            if answer.returncode == 0:
                owners.add(answer.stdout.split(": ")[0].split(",")[0])
                break
        else:
            raise SystemExit(f"images/build: no Debian package owns {path}")
    form = "${Package} ${Version} ${Architecture}\\n"
    answer = subprocess.run(["dpkg-query", "-W", "-f", form, *sorted(owners)], check=True,
                            capture_output=True, text=True)
    return sorted(set(answer.stdout.splitlines()))
