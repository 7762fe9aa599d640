"""unit_restrictions.py UNIT PROGRAM [ARGUMENT...]: runs a program under what a service file of
systemd says, as far as that can be had without systemd: no new privileges, the system call and
address family filters, memory that is never writable and executable, and (as root) an account of
its own without capabilities, and the mounts. What it does not know is left out; a test names it."""

import ctypes
import os
import pathlib
import re
import subprocess
import sys

ACCOUNT = 61234  # of the range that systemd takes dynamic users from (61184 to 65519)
CLONE_NEWNS = 0x20000
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_REMOUNT, MS_BIND = 1, 2, 4, 8, 32, 4096
MS_PRIVATE_TREE = 0x44000
PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS = 24, 38
ALLOW, ERRNO_EPERM = 0x7FFF0000, 0x00050001
EQUAL, MASKED = 4, 7  # scmp_compare
PROT_WRITE, PROT_EXEC, SHM_EXEC = 2, 4, 0o100000
FAMILIES = {"AF_UNIX": 1, "AF_INET": 2, "AF_INET6": 10}
# The directives that this applies.
APPLIED = {"AmbientCapabilities", "CapabilityBoundingSet", "DynamicUser", "LoadCredential",
           "MemoryDenyWriteExecute", "NoNewPrivileges", "PrivateMounts", "PrivateTmp", "ProcSubset",
           "ProtectHome", "ProtectKernelTunables", "ProtectProc", "ProtectSystem",
           "RestrictAddressFamilies", "SystemCallErrorNumber", "SystemCallFilter", "UMask"}

libc = ctypes.CDLL(None, use_errno=True)


class Comparison(ctypes.Structure):
    _fields_ = [("arg", ctypes.c_uint), ("op", ctypes.c_int), ("a", ctypes.c_uint64),
                ("b", ctypes.c_uint64)]


def directives(unit, section="Service"):
    """name -> list of values, of one section."""
    found, here = {}, None
    for line in pathlib.Path(unit).read_text().splitlines():
        if line.startswith("["):
            here = line.strip("[]")
        elif here == section and line and line[0] not in "#;":
            name, _, value = line.partition("=")
            found.setdefault(name.strip(), []).append(value.strip())
    return found


def allowed_calls(values):
    """The system calls of an allow list, its groups resolved by systemd itself."""
    calls, groups = set(), [word for value in values for word in value.split()]
    while groups:
        word = groups.pop()
        if not word.startswith("@"):
            calls.add(word)
            continue
        listed = subprocess.run(["systemd-analyze", "syscall-filter", word], capture_output=True,
                                check=True, text=True).stdout
        groups += re.findall(r"^ {4,}(@?\w[\w-]*)$", listed, re.MULTILINE)
    return calls


def check(result, what):
    if result != 0:
        raise OSError(ctypes.get_errno() or -result, what)


class Filter:
    def __init__(self, default):
        self.lib = ctypes.CDLL("libseccomp.so.2")
        self.lib.seccomp_init.restype = ctypes.c_void_p
        self.context = ctypes.c_void_p(self.lib.seccomp_init(default))

    def rule(self, action, name, *comparisons):
        """False: the processor has no such call."""
        number = self.lib.seccomp_syscall_resolve_name(name.encode())
        if number < 0:
            return False
        array = (Comparison * len(comparisons))(*comparisons)
        check(self.lib.seccomp_rule_add_array(self.context, ctypes.c_uint32(action), number,
                                              len(comparisons), array), name)
        return True

    def load(self):
        check(self.lib.seccomp_load(self.context), "seccomp_load")


def filter_calls(unit, allowed):
    calls = Filter(ERRNO_EPERM)
    for name in sorted(allowed - {"socket"}):
        calls.rule(ALLOW, name)
    for family in unit["RestrictAddressFamilies"][0].split():
        calls.rule(ALLOW, "socket", Comparison(0, EQUAL, FAMILIES[family], 0))
    memory = Filter(ALLOW)
    both = PROT_WRITE | PROT_EXEC
    memory.rule(ERRNO_EPERM, "mmap", Comparison(2, MASKED, both, both))
    for name in ("mprotect", "pkey_mprotect"):
        memory.rule(ERRNO_EPERM, name, Comparison(2, MASKED, PROT_EXEC, PROT_EXEC))
    memory.rule(ERRNO_EPERM, "shmat", Comparison(2, MASKED, SHM_EXEC, SHM_EXEC))
    if unit["MemoryDenyWriteExecute"] == ["yes"]:
        memory.load()
    calls.load()


def mount(source, target, kind, flags, data=None):
    data = data.encode() if data else None
    check(libc.mount(source.encode(), target.encode(), kind.encode(), ctypes.c_ulong(flags), data),
          f"mount {target}")


def change_mounts():
    check(libc.unshare(CLONE_NEWNS), "unshare")
    mount("none", "/", "none", MS_PRIVATE_TREE)
    mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, "hidepid=invisible,subset=pid")
    for empty in ("/tmp", "/var/tmp", "/root", "/home"):
        mount("tmpfs", empty, "tmpfs", MS_NOSUID | MS_NODEV, "mode=1777")
    for tree in ("/usr", "/etc", "/var", "/sys"):
        mount(tree, tree, "none", MS_BIND)
        mount("none", tree, "none", MS_BIND | MS_REMOUNT | MS_RDONLY | MS_NOSUID)


def drop_account():
    for capability in range(64):
        if libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0:
            break
    os.setgroups([])
    os.setresgid(ACCOUNT, ACCOUNT, ACCOUNT)
    os.setresuid(ACCOUNT, ACCOUNT, ACCOUNT)


def put_credential(environment, content):
    """As LoadCredential=: a file that only the account reads, where the unit has %d."""
    path = "/tmp/clients.json"
    with open(path, "wb") as file:
        file.write(content)
    os.chown(path, ACCOUNT, ACCOUNT)
    os.chmod(path, 0o400)
    environment["PLIMSOLL_CLIENTS_FILE"] = path


def main():
    unit, program = directives(sys.argv[1]), sys.argv[2:]
    # Opened here: what the mounts hide can still be executed.
    binary = os.open(program[0], os.O_RDONLY)
    os.umask(int(unit["UMask"][0], 8))
    calls = allowed_calls(unit["SystemCallFilter"])
    environment = dict(os.environ)
    if os.geteuid() == 0:
        with open(environment["PLIMSOLL_CLIENTS_FILE"], "rb") as file:
            clients = file.read()
        change_mounts()
        put_credential(environment, clients)
        drop_account()
    check(libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no_new_privs")
    filter_calls(unit, calls)
    os.execve(binary, program, environment)


if __name__ == "__main__":
    main()
