"""Makes the sparse array of the examples in the docs, with the real engine (tiledb 0.36.1): python tests/support/quakes.py"""
import os
import shutil

import numpy as np
import tiledb

URI = os.path.join(os.path.dirname(os.path.abspath(__file__)), "quakes")
shutil.rmtree(URI, ignore_errors=True)
zstd = tiledb.FilterList([tiledb.ZstdFilter()])
tiledb.Array.create(URI, tiledb.ArraySchema(
    domain=tiledb.Domain(tiledb.Dim("lat", domain=(-90, 90), tile=10, dtype=np.float64),
                         tiledb.Dim("lon", domain=(-180, 180), tile=10, dtype=np.float64)),
    attrs=[tiledb.Attr("time", dtype="datetime64[s]", filters=zstd),
           tiledb.Attr("depth", dtype=np.float32, filters=zstd),
           tiledb.Attr("place", dtype=str, filters=zstd),
           tiledb.Attr("scale", dtype=np.uint8, enum_label="scales")],
    enums=[tiledb.Enumeration("scales", False, ["mw", "ml"])],
    sparse=True, cell_order="hilbert"))
with tiledb.open(URI, "w", timestamp=1709539200000) as a:
    a[np.array([38.3, 37.8, 35.2]), np.array([142.4, 138.1, 25.1])] = {
        "time": np.array(["2011-03-11T05:46:24", "2024-02-29T12:30:00", "2024-03-01T00:00:00"], dtype="datetime64[s]"),
        "depth": np.array([29.0, 10.0, 33.5], dtype=np.float32),
        "place": np.array(["Tōhoku", "Niigata", "Crete"], dtype="O"),
        "scale": np.array([0, 0, 1], dtype=np.uint8),
    }
