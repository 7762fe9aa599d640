"""Runs a program from one system call to the next, by ptrace(2), and interferes at one of them."""

import ctypes
import os
import platform
import signal

LIBC = ctypes.CDLL(None, use_errno=True)
LIBC.ptrace.argtypes = (ctypes.c_long, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
LIBC.ptrace.restype = ctypes.c_long

TRACEME, PEEKUSER, POKEUSER, SYSCALL, SETOPTIONS = 0, 3, 6, 24, 0x4200
TRACESYSGOOD, EXITKILL = 1, 0x100000
# Offsets in struct user of x86-64.
ORIG_RAX, RAX = 15 * 8, 10 * 8


def ptrace(request, pid, address=0, data=0):
    ctypes.set_errno(0)
    result = LIBC.ptrace(request, pid, address, data)
    if ctypes.get_errno():
        raise OSError(ctypes.get_errno(), f"ptrace {request}")
    return result


def start(argv, stdout):
    pid = os.fork()
    if pid:
        os.waitpid(pid, 0)
        ptrace(SETOPTIONS, pid, 0, TRACESYSGOOD | EXITKILL)
        return pid
    try:
        os.dup2(stdout, 1)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        LIBC.ptrace(TRACEME, 0, 0, 0)
        os.kill(os.getpid(), signal.SIGSTOP)
        os.execve(argv[0], argv, {})
    finally:
        os._exit(127)


def stops(pid):
    """Yields (call, is_entry) at each stop; ends with the process."""
    entry = True
    passed = 0
    while True:
        ptrace(SYSCALL, pid, 0, passed)
        _, status = os.waitpid(pid, 0)
        if os.WIFEXITED(status):
            return os.WEXITSTATUS(status)
        if os.WIFSIGNALED(status):
            return -os.WTERMSIG(status)
        passed = 0
        if os.WSTOPSIG(status) == signal.SIGTRAP | 0x80:
            yield ptrace(PEEKUSER, pid, ORIG_RAX), entry
            entry = not entry
        elif os.WSTOPSIG(status) != signal.SIGTRAP:  # which is execve()
            passed = os.WSTOPSIG(status)


def count(argv, stdout):
    """The program's system calls, in order."""
    assert platform.machine() == "x86_64", "the registers' offsets are those of x86-64"
    pid = start(argv, stdout)
    return [call for call, entry in stops(pid) if entry]


def kill_at(argv, stdout, number, after):
    """Kills it at its call `number` (from 0): before it, or after it and before its return."""
    pid = start(argv, stdout)
    seen = -1
    for _, entry in stops(pid):
        seen += entry
        if seen == number and entry != after:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            return
    raise AssertionError(f"it made {seen + 1} calls only")


def fail_at(argv, stdout, number, error):
    """Makes its call `number` fail without being made; returns the exit code."""
    pid = start(argv, stdout)
    seen = -1
    steps = stops(pid)
    while True:
        try:
            _, entry = next(steps)
        except StopIteration as end:
            return end.value
        seen += entry
        if seen == number:
            if entry:
                ptrace(POKEUSER, pid, ORIG_RAX, ctypes.c_void_p(-1 & (1 << 64) - 1).value)
            else:
                ptrace(POKEUSER, pid, RAX, ctypes.c_void_p(-error & (1 << 64) - 1).value)
