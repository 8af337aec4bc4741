"""Has the server of fork_server.py run what this process is asked to, with its files, folder and environment.

It loads nothing that is not built in, to start at once; signals are passed on, and it ends as that process does.
"""

import marshal
import os
import sys
from _signal import SIG_BLOCK, SIG_DFL, SIG_UNBLOCK, SIGINT, SIGKILL, SIGTERM, pthread_sigmask, signal
from _socket import AF_UNIX, SCM_RIGHTS, SOCK_STREAM, SOL_SOCKET, socket

FILES = (0, 1, 2)


def main(address, *words):
    pthread_sigmask(SIG_BLOCK, {SIGINT, SIGTERM})
    umask = os.umask(0)
    os.umask(umask)
    request = marshal.dumps((words, os.getcwd(), dict(os.environ), umask))
    server = socket(AF_UNIX, SOCK_STREAM)
    server.connect(address)
    numbers = b"".join(file.to_bytes(4, sys.byteorder) for file in FILES)
    server.sendmsg([len(request).to_bytes(4, "big")], [(SOL_SOCKET, SCM_RIGHTS, numbers)])
    server.sendall(request)
    process = int.from_bytes(server.recv(4), "big")
    for number in (SIGINT, SIGTERM):
        signal(number, lambda number, frame: os.kill(process, number))
    pthread_sigmask(SIG_UNBLOCK, {SIGINT, SIGTERM})
    for file in FILES:
        os.close(file)
    code = int.from_bytes(server.recv(4), "big", signed=True)
    if code < 0:
        if code != -SIGKILL:
            signal(-code, SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code)


main(*sys.argv[1:])
