"""Writes arrays of 320 to 850 MiB, most of them small on disk, which are read with a budget of 16 MiB."""
import os
import sys

import numpy as np
import tiledb

folder = sys.argv[1]
os.makedirs(folder)
rng = np.random.default_rng(1)


def dense(name, filters, rows):
    uri = os.path.join(folder, name)
    y = tiledb.Dim("y", domain=(0, rows - 1), tile=512, dtype=np.int32)
    x = tiledb.Dim("x", domain=(0, 4095), tile=512, dtype=np.int32)
    attribute = tiledb.Attr("a", dtype=np.float64, filters=tiledb.FilterList(filters))
    tiledb.Array.create(uri, tiledb.ArraySchema(tiledb.Domain(y, x), [attribute]))
    cells = np.arange(rows * 4096, dtype=np.float64).reshape(rows, 4096)
    with tiledb.open(uri, "w") as array:
        array[:] = cells


def sparse(name, fragments, cells):
    """Writes fragments that overlap completely; a tenth of the cells of each are also in the next fragment."""
    uri = os.path.join(folder, name)
    dims = [tiledb.Dim(n, domain=(0, 2**40), tile=2**36, dtype=np.int64) for n in "xy"]
    zstd = tiledb.FilterList([tiledb.ZstdFilter()])
    attrs = [tiledb.Attr(n, dtype=np.float64, filters=zstd) for n in "ab"]
    attrs.append(tiledb.Attr("text", dtype="ascii", var=True, filters=zstd))
    tiledb.Array.create(uri, tiledb.ArraySchema(tiledb.Domain(*dims), attrs, sparse=True, capacity=2000))
    texts = np.array(["x" * length for length in range(200, 440, 15)])
    before = None
    for f in range(fragments):
        x = rng.integers(0, 2**40, cells)
        y = rng.integers(0, 2**40, cells)
        if before is not None:
            x[: cells // 10], y[: cells // 10] = before[0][-(cells // 10):], before[1][-(cells // 10):]
        before = (x, y)
        with tiledb.open(uri, "w", timestamp=f + 1) as array:
            array[x, y] = {
                "a": x.astype(np.float64),
                "b": np.full(cells, f, dtype=np.float64),
                "text": texts[rng.integers(0, len(texts), cells)],
            }
    # without the cells of the last fragment, and without duplicates that the next fragment overwrites
    return (fragments - 1) * (cells - cells // 10)


dense("dense_none", [], 10240)
dense("dense_zstd", [tiledb.ByteShuffleFilter(), tiledb.ZstdFilter()], 26112)
print("sparse", sparse("sparse", 6, 560_000))
