"""No core dump is written of a process that holds a key."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytest.importorskip("resource", reason="there is no limit of core dumps here")

LOOK = """
import resource, sys
resource.setrlimit(resource.RLIMIT_CORE, (resource.getrlimit(resource.RLIMIT_CORE)[1],) * 2)
from keepgraph.profiles import keys
{act}
import ctypes
dumpable = ctypes.CDLL(None).prctl(3, 0, 0, 0, 0) if sys.platform == "linux" else 0
print(resource.getrlimit(resource.RLIMIT_CORE)[0], dumpable)
"""


@pytest.mark.parametrize("act", ["keys.new()", "keys.parse(b'ab' * 32, 'a file')"], ids=["a new key", "a key file"])
def test_a_process_with_a_key_writes_no_core_dump(act):
    done = subprocess.run([sys.executable, "-c", LOOK.format(act=act)], capture_output=True, text=True, check=True)

    assert done.stdout.split() == ["0", "0"]
