"""Writes the arrays of the benchmark below a folder, each once; existing arrays are not written again."""

import os
import shutil
import sys

import numpy as np
import tiledb
from tiledb import BitShuffleFilter, ByteShuffleFilter, DoubleDeltaFilter, FilterList, GzipFilter, LZ4Filter, ZstdFilter

ROWS, COLUMNS, TILE = 8192, 4096, 512
FILTERS = {
    "none": [],
    "zstd": [ZstdFilter(3)],
    "gzip": [GzipFilter(6)],
    "lz4": [LZ4Filter()],
    "shuffle_zstd": [ByteShuffleFilter(), ZstdFilter(3)],
    "bitshuffle_lz4": [BitShuffleFilter(), LZ4Filter()],
    "double_delta_zstd": [DoubleDeltaFilter(), ZstdFilter(3)],
}


def field():
    """Smooth values with noise and two decimals, like measurements."""
    i, j = np.arange(ROWS)[:, None], np.arange(COLUMNS)[None, :]
    noise = np.random.default_rng(1).normal(0, 0.5, (ROWS, COLUMNS))
    return np.round(15 + 10 * np.sin(i / 300) + 8 * np.cos(j / 200) + noise, 2)


def stamps():
    """Timestamps in milliseconds, about a second apart."""
    jitter = np.random.default_rng(2).integers(0, 50, ROWS * COLUMNS)
    return (1_600_000_000_000 + 1000 * np.arange(ROWS * COLUMNS, dtype=np.int64) + jitter).reshape(ROWS, COLUMNS)


def cells(count=5_000_000):
    """Unordered cells with distinct coordinates."""
    r = np.random.default_rng(3)
    keys = np.unique(r.integers(0, 100_000 * 100_000, int(count * 1.01)))
    r.shuffle(keys)
    keys = keys[:count]
    v = np.round(r.normal(0, 10, count), 3)
    q = r.integers(0, 100_000, count).astype(np.int32)
    return keys // 100_000, keys % 100_000, v, q


def strings(count=1_000_000):
    """Names, texts of several lengths (some not ASCII) and numbers."""
    r = np.random.default_rng(4)
    names = np.char.add("sample-", np.char.zfill(r.permutation(count * 10)[:count].astype("U8"), 8)).astype("S15")
    words = ["alpha", "beta", "gamma delta", "a considerably longer description of the cell", "é", "chr1:1234567"]
    picked, suffix = r.integers(0, len(words), count), r.integers(0, 1000, count)
    texts = np.array([words[w] + str(n) for w, n in zip(picked, suffix)], dtype=object)
    return names, texts, r.integers(0, 1 << 40, count)


def dense(uri, values, tile, filters):
    dims = [tiledb.Dim(name, (0, n - 1), tile, dtype=np.int32) for name, n in zip("ij", values.shape)]
    attribute = tiledb.Attr("a", dtype=values.dtype, filters=FilterList(FILTERS[filters]))
    tiledb.Array.create(uri, tiledb.ArraySchema(tiledb.Domain(*dims), [attribute]))
    with tiledb.open(uri, "w") as array:
        array[:] = values


def sparse_schema(filters):
    filter_list = FilterList(FILTERS[filters])
    dims = [tiledb.Dim(name, (0, 99_999), 1000, dtype=np.int64, filters=filter_list) for name in "xy"]
    attributes = [
        tiledb.Attr("v", dtype=np.float64, filters=filter_list),
        tiledb.Attr("q", dtype=np.int32, filters=filter_list),
    ]
    return tiledb.ArraySchema(tiledb.Domain(*dims), attributes, sparse=True, capacity=10_000)


def write_cells(uri, columns, filters):
    tiledb.Array.create(uri, sparse_schema(filters))
    x, y, v, q = columns()
    with tiledb.open(uri, "w") as array:
        array[x, y] = {"v": v, "q": q}


def write_strings(uri):
    filter_list = FilterList(FILTERS["zstd"])
    dim = tiledb.Dim("id", (None, None), None, dtype="ascii", filters=filter_list)
    attributes = [
        tiledb.Attr("s", dtype="U0", var=True, filters=filter_list),
        tiledb.Attr("n", dtype=np.int64, filters=filter_list),
    ]
    tiledb.Array.create(uri, tiledb.ArraySchema(tiledb.Domain(dim), attributes, sparse=True))
    names, texts, numbers = strings()
    with tiledb.open(uri, "w") as array:
        array[names] = {"s": texts, "n": numbers}


def write_dense_fragments(uri):
    dims = [tiledb.Dim(name, (0, 1999), 250, dtype=np.int32) for name in "ij"]
    attribute = tiledb.Attr("a", dtype=np.float64, filters=FilterList(FILTERS["zstd"]))
    tiledb.Array.create(uri, tiledb.ArraySchema(tiledb.Domain(*dims), [attribute]))
    r = np.random.default_rng(9)
    for k in range(100):
        i, j = (int(n) for n in r.integers(0, 1500, 2) // 250 * 250)
        with tiledb.open(uri, "w", timestamp=1000 + k) as array:
            array[i : i + 500, j : j + 500] = r.normal(0, 1, (500, 500)).round(2)


def write_sparse_fragments(uri):
    tiledb.Array.create(uri, sparse_schema("zstd"))
    r = np.random.default_rng(10)
    for k in range(100):
        keys = np.unique(r.integers(0, 100_000, 50_000) * 100_000 + r.integers(0, 100_000, 50_000))
        n = len(keys)
        with tiledb.open(uri, "w", timestamp=1000 + k) as array:
            q = r.integers(0, 100_000, n).astype(np.int32)
            array[keys // 100_000, keys % 100_000] = {"v": r.normal(0, 1, n).round(3), "q": q}


def write_small_fragments(uri):
    """Writes 1,000 fragments of 100 cells each, as a program that logs events does."""
    tiledb.Array.create(uri, sparse_schema("zstd"))
    r = np.random.default_rng(11)
    for k in range(1000):
        keys = np.unique(r.integers(0, 100_000 * 100_000, 100))
        n = len(keys)
        with tiledb.open(uri, "w", timestamp=1000 + k) as array:
            q = r.integers(0, 100_000, n).astype(np.int32)
            array[keys // 100_000, keys % 100_000] = {"v": r.normal(0, 1, n).round(3), "q": q}


def write_maintained(uri, source, modes):
    """Writes a copy of an array in which the real engine combined and vacuumed files."""
    shutil.copytree(source, uri)
    for mode in modes:
        ctx = tiledb.Ctx(tiledb.Config({"sm.consolidation.mode": mode, "sm.vacuum.mode": mode}))
        tiledb.consolidate(uri, ctx=ctx)
        tiledb.vacuum(uri, ctx=ctx)


def main(root):
    once = {}

    def memo(make):
        return once[make] if make in once else once.setdefault(make, make())

    arrays = {}
    for name in FILTERS:
        made = stamps if name == "double_delta_zstd" else field
        arrays[f"dense_{name}"] = lambda uri, name=name, made=made: dense(uri, memo(made), TILE, name)
    for name in ("none", "zstd"):
        arrays[f"small_{name}"] = lambda uri, name=name: dense(uri, memo(field)[:1024, :1024].copy(), 64, name)
    for name in ("none", "zstd"):
        arrays[f"sparse_{name}"] = lambda uri, name=name: write_cells(uri, lambda: memo(cells), name)
    arrays["strings"] = write_strings
    arrays["fragments_dense"] = write_dense_fragments
    arrays["fragments_sparse"] = write_sparse_fragments
    arrays["fragments_small"] = write_small_fragments
    for name, modes in {"footers": ["fragment_meta", "commits"], "combined": ["fragments"]}.items():
        source = os.path.join(root, "fragments_small")
        arrays[f"fragments_small_{name}"] = lambda uri, modes=modes: write_maintained(uri, source, modes)
    for name, write in arrays.items():
        uri = os.path.join(root, name)
        # a folder gets its final name when it is complete
        if os.path.exists(uri):
            continue
        making = f"{uri}.{os.getpid()}"
        shutil.rmtree(making, ignore_errors=True)
        print(f"writing {name}", flush=True)
        write(making)
        os.rename(making, uri)


if __name__ == "__main__":
    main(sys.argv[1])
