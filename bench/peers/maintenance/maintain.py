"""The real engine: one maintenance operation, or the cells of an array.

`maintain.py run CONFIG OPERATION URI COPY` prints the cost of an operation as one line of JSON: wall and CPU time, bytes
read and written by all threads, and peak resident memory before and after; then the wall time of the same operation on a
copy, in the same process. `maintain.py check URI` prints exact sums over the
cells.
"""

import json
import os
import resource
import sys
import time

import numpy as np
import tiledb

CONFIGS = {"default": {}, "tuned": {"sm.mem.malloc_trim": "false"}}


def consolidate(uri, config):
    # by default, the engine does not combine dense fragments whose union has more cells than their sum
    settings = tiledb.Config({**config, "sm.consolidation.amplification": "1000"})
    tiledb.consolidate(uri, ctx=tiledb.Ctx(settings))


def consolidate_mode(uri, config, mode):
    tiledb.consolidate(uri, ctx=tiledb.Ctx(tiledb.Config({**config, "sm.consolidation.mode": mode})))


OPERATIONS = {
    "fragments": consolidate,
    "fragment_meta": lambda uri, config: consolidate_mode(uri, config, "fragment_meta"),
    "commits": lambda uri, config: consolidate_mode(uri, config, "commits"),
}


def peak():
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith("VmHWM:"))


def bytes_moved():
    with open("/proc/self/io") as file:
        counts = dict(line.strip().split(": ") for line in file)
    return int(counts["rchar"]), int(counts["wchar"])


def cpu():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return (usage.ru_utime + usage.ru_stime) * 1000


def run(config, operation, uri, copy):
    base = peak()
    read, written = bytes_moved()
    spent = cpu()
    start = time.perf_counter()
    OPERATIONS[operation](uri, CONFIGS[config])
    ms = (time.perf_counter() - start) * 1000
    used = cpu() - spent
    read_after, written_after = bytes_moved()
    most = peak()
    start = time.perf_counter()
    OPERATIONS[operation](copy, CONFIGS[config])
    return {
        "again": (time.perf_counter() - start) * 1000,
        "ms": ms,
        "cpu": used,
        "read": read_after - read,
        "written": written_after - written,
        "peak": most,
        "base": base,
    }


def check(uri):
    with tiledb.open(uri) as array:
        cells = array[:]
        columns = dict(cells) if isinstance(cells, dict) else {"a": cells}
        out = {}
        for name, column in columns.items():
            words = np.ascontiguousarray(column).reshape(-1).view(np.uint32).astype(np.uint64)
            out[name] = [len(words), int(words.sum())]
        return out


if __name__ == "__main__":
    print(json.dumps(run(*sys.argv[2:]) if sys.argv[1] == "run" else check(sys.argv[2])))
