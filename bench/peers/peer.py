"""The real engine: reads cases from standard input, one JSON line each, runs them and prints their times.

{"case": NAME, "runs": N} or {"case": NAME, "check": true}; the responses are {"ms": […]} and {"check": …}.
With the arguments `--once FILE ROOT CASE` it runs a case twice, between calls that mark the second run in a trace.
"""

import json
import os
import shutil
import sys
import time

import numpy as np
import tiledb
from tiledb.multirange_indexing import MultiRangeIndexer

# Without the first option, the engine returns its memory to the system after every query; without the second, it reads
# large results in many small pieces. Either would only favor tessera.
TUNED = {"sm.mem.malloc_trim": "false", "py.init_buffer_bytes": str(128 << 20)}
CONFIGS = {
    "default": {},
    "tuned": TUNED,
    "small": {"sm.mem.malloc_trim": "false"},
    "one": {**TUNED, "sm.compute_concurrency_level": "1", "sm.io_concurrency_level": "1"},
}

ROWS, COLUMNS = 8192, 4096


def words(data):
    """Returns the low and the high 16-bit halves of all words."""
    flat = np.ascontiguousarray(data).reshape(-1).view(np.uint8)
    flat = flat[: len(flat) // 4 * 4].view(np.uint16)
    return flat[0::2], flat[1::2]


def fingerprint(data, ordered):
    sums = [0, 0]
    for k, half in enumerate(words(data)):
        for at in range(0, len(half), 1 << 22):
            part = half[at : at + (1 << 22)].astype(np.uint64)
            if ordered:
                part *= (np.arange(at, at + len(part), dtype=np.uint64) % 251) + 1
            sums[k] += int(part.sum())
    return [int(data.nbytes), *sums]


class Cases:
    def __init__(self, root, config):
        self.root = root
        self.ctx = tiledb.Ctx(tiledb.Config(CONFIGS[config]))
        self.opened = {}

    def open(self, name, **options):
        return tiledb.open(os.path.join(self.root, name), ctx=self.ctx, **options)

    def kept(self, name):
        if name not in self.opened:
            self.opened[name] = self.open(name)
        return self.opened[name]

    def run(self, case):
        """Runs a case; returns its columns by name, and whether their order is known."""
        kind, *rest = case
        return getattr(self, kind)(*rest)

    def memcpy(self):
        if not hasattr(self, "copy_of"):
            self.copy_of = np.ones(1 << 25)
            self.copied = np.zeros(1 << 25)
        np.copyto(self.copied, self.copy_of)
        return {}, True

    def schema(self, name, at=None):
        with self.open(name, **({} if at is None else {"timestamp": at})) as array:
            return {"attributes": np.array([array.schema.nattr], np.int32)}, True

    def tile(self, name):
        with self.open(name) as array:
            return {"a": self.values(array[64:128, 128:192])}, True

    def opened_tile(self, name):
        return {"a": self.values(self.kept(name)[64:128, 128:192])}, True

    @staticmethod
    def values(results):
        return results if isinstance(results, np.ndarray) else results["a"]

    def whole(self, name):
        with self.open(name) as array:
            return {"a": self.values(array[:])}, True

    def opened_whole(self, name):
        return {"a": self.values(self.kept(name)[:])}, True

    def boxes(self, name, count):
        array = self.kept(name)
        r = places(count, ROWS - 100, COLUMNS - 100, 5)
        results = [self.values(array[i : i + 100, j : j + 100]) for i, j in r]
        return {"a": results}, True

    def row(self, name):
        return {"a": self.values(self.kept(name)[1000:1001, :])}, True

    def column(self, name):
        return {"a": self.values(self.kept(name)[:, 1000:1001])}, True

    def sparse(self, name, order):
        with self.open(name) as array:
            return dict(array.query(order=order)[:]), order != "U"

    def ranges(self, name, count):
        array = self.kept(name)
        r = places(count, 97_000, 97_000, 6)
        results = [array.multi_index[i : i + 2999, j : j + 2999] for i, j in r]
        return {key: [f[key] for f in results] for key in ("x", "y", "v", "q")}, False

    def ranges_at_once(self, name):
        results = self.kept(name).multi_index[[slice(i * 1000, i * 1000 + 30) for i in range(100)], :]
        return dict(results), False

    def strings_raw(self, name):
        """Reads bytes and offsets, without conversion to Python objects."""
        with self.open(name) as array:
            query = MultiRangeIndexer(array)
            query._set_pyquery()
            query.subarray = tiledb.Subarray(array)
            query._set_ranges(slice(None))
            query.pyquery.submit()
            results = query.pyquery.results()
            return {key: np.frombuffer(parts[0], np.uint8) for key, parts in results.items()}, True

    def strings(self, name):
        with self.open(name) as array:
            return dict(array[:]), True

    def strings_range(self, name):
        results = self.kept(name).multi_index["sample-05000000":"sample-05010000"]
        return {"n": results["n"]}, False

    def where(self, name, condition):
        with self.open(name) as array:
            results = array.query(cond=condition)[:]
            if not array.schema.sparse:
                return {"a": self.values(results)}, True
            return {key: column for key, column in results.items() if column.dtype.kind != "O"}, False

    def aggregate(self, name, attribute, box=None, condition=None):
        with self.open(name) as array:
            query = array.query(attrs=[attribute], **({} if condition is None else {"cond": condition}))
            aggregates = query.agg({attribute: ["sum", "min", "max", "count", "mean"]})
            results = aggregates[:] if box is None else aggregates[tuple(slice(low, high + 1) for low, high in box)]
            # sums of floats depend on the order of the additions
            about = [float(f"{results[key]:.9e}") for key in ("sum", "mean")]
            return {"exact": np.array([results[key] for key in ("min", "max", "count")], float), "about": np.array(about)}, True

    def first_batch(self, name, order):
        query = self.kept(name).query(return_incomplete=True, order=order)
        for _ in query.multi_index[:]:
            break
        return {}, True

    def written(self, make):
        """Creates a new array; `clean` deleted the previous one."""
        self.target = os.path.join(self.root, f".written-{os.getpid()}")
        make(self.target)
        return {}, True

    def clean(self):
        if getattr(self, "target", None) is not None:
            shutil.rmtree(self.target)
            self.target = None

    def source(self, name, key, load):
        """Returns the input of a write: read once, and released when another case needs another input."""
        if getattr(self, "current", (None, None))[0] != key:
            self.current = (None, None)
            self.current = (key, load())
        return self.current[1]

    def write_dense(self, name):
        schema, values = self.source(name, name, lambda: (self.kept(name).schema, self.values(self.kept(name)[:])))

        def make(uri):
            tiledb.Array.create(uri, schema, ctx=self.ctx)
            with tiledb.open(uri, "w", ctx=self.ctx) as array:
                array[:] = values

        return self.written(make)

    def write_sparse(self, name, order):
        def load():
            results = self.kept(name).query(order="U")[:]
            n = len(results["x"])
            places = np.random.default_rng(7).permutation(n) if order == "shuffled" else np.arange(n)
            return self.kept(name).schema, {key: column[places] for key, column in results.items()}

        schema, columns = self.source(name, (name, order), load)

        def make(uri):
            tiledb.Array.create(uri, schema, ctx=self.ctx)
            with tiledb.open(uri, "w", ctx=self.ctx) as array:
                array[columns["x"], columns["y"]] = {"v": columns["v"], "q": columns["q"]}

        return self.written(make)

    def write_strings(self, name):
        schema, columns = self.source(name, name, lambda: (self.kept(name).schema, dict(self.kept(name)[:])))

        def make(uri):
            tiledb.Array.create(uri, schema, ctx=self.ctx)
            with tiledb.open(uri, "w", ctx=self.ctx) as array:
                array[columns["id"]] = {"s": columns["s"], "n": columns["n"]}

        return self.written(make)

    def read_back(self):
        """Returns the cells of the array that was written last."""
        with tiledb.open(self.target, ctx=self.ctx) as array:
            results = array[:] if array.schema.sparse is False else dict(array[:])
            return (results if isinstance(results, dict) else {"a": results}), not array.schema.sparse

    def tile_at(self, name, at):
        with self.open(name, timestamp=at) as array:
            return {"a": self.values(array[0:250, 0:250])}, True


def places(count, rows, columns, state):
    """Returns the same places in Python and in TypeScript, picked by a linear congruential generator."""
    out = []
    for _ in range(count):
        state = (state * 1103515245 + 12345) % 2**31
        i = state % rows
        state = (state * 1103515245 + 12345) % 2**31
        out.append((i, state % columns))
    return out


def checked(answer):
    columns, ordered = answer
    out = {}
    for key, results in columns.items():
        parts = results if isinstance(results, list) else [results]
        data = np.concatenate([np.ascontiguousarray(p).reshape(-1) for p in parts])
        if data.dtype == object or data.dtype.kind in "SU":
            out[key] = [len(data)]
        else:
            out[key] = fingerprint(data, ordered)
    return out


def serve(root):
    configs = {}
    for line in sys.stdin:
        request = json.loads(line)
        config = request.get("config", "tuned")
        if config not in configs:
            configs[config] = Cases(root, config)
        cases, case = configs[config], request["case"]
        try:
            if request.get("check"):
                results = cases.run(case)
                if case[0].startswith("write_"):
                    results = cases.read_back()
                answer = {"check": checked(results)}
                cases.clean()
            else:
                ms = []
                for _ in range(request["runs"]):
                    start = time.perf_counter()
                    results = cases.run(case)
                    ms.append((time.perf_counter() - start) * 1000)
                    del results
                    cases.clean()
                answer = {"ms": ms}
        except Exception as error:  # the driver prints the case
            answer = {"error": repr(error)[:500]}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    if sys.argv[1] == "--once":
        cases = Cases(sys.argv[2], "tuned")
        case = json.loads(sys.argv[3])
        cases.run(case)
        for array in cases.opened.values():
            array.close()
        cases.opened.clear()
        os.path.exists("/tessera-mark")
        cases.run(case)
        os.path.exists("/tessera-mark")
    else:
        serve(sys.argv[1])
