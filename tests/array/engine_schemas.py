"""Schemas that the real engine writes, as the unfiltered bytes of their files: run it (tiledb 0.36) to make engine_schemas.json.

    python tests/array/engine_schemas.py > tests/array/engine_schemas.json

Each is also written with `ArraySchema.dense` or `.sparse` in engine_schemas_test.ts, which must give the same bytes.
"""
import glob, json, os, struct, tempfile, zlib
import numpy as np
import tiledb
from tiledb import (ArraySchema, Attr, BitShuffleFilter, BitWidthReductionFilter, ByteShuffleFilter, Bzip2Filter,
    ChecksumMD5Filter, ChecksumSHA256Filter, DeltaFilter, DictionaryFilter, Dim, Domain, DoubleDeltaFilter, Enumeration, FilterList,
    FloatScaleFilter, GzipFilter, LZ4Filter, NoOpFilter, PositiveDeltaFilter, RleFilter, WebpFilter, XORFilter, ZstdFilter)

F = lambda *filters: FilterList(list(filters))


def unfiltered(path):
    data = open(path, "rb").read()
    at = 34 + struct.unpack_from("<I", data, 30)[0]
    out, chunks = b"", struct.unpack_from("<Q", data, at)[0]
    at += 8
    for _ in range(chunks):
        original, filtered, metadata = struct.unpack_from("<III", data, at)
        # the only filter of generic tiles is gzip: its metadata contains the lengths of its parts
        body = data[at + 12 + metadata : at + 12 + metadata + filtered]
        out += zlib.decompress(body)
        at += 12 + metadata + filtered
    return out


def bytes_of(schema):
    with tempfile.TemporaryDirectory() as root:
        tiledb.Array.create(os.path.join(root, "a"), schema)
        (file,) = [p for p in glob.glob(root + "/a/__schema/*") if os.path.isfile(p)]
        return unfiltered(file).hex()


x = Domain(Dim("x", domain=(1, 100), tile=10, dtype=np.int32))
schemas = {
    "weather": ArraySchema(
        domain=Domain(Dim("lat", domain=(1, 180), tile=30, dtype=np.int32), Dim("lon", domain=(1, 360), tile=30, dtype=np.int32)),
        attrs=[
            Attr("temp", dtype=np.float32, filters=F(ByteShuffleFilter(), ZstdFilter(5))),
            Attr("flag", dtype=np.uint8, nullable=True, filters=F(RleFilter())),
            Attr("place", dtype=str, filters=F(ZstdFilter())),
        ],
    ),
    "hilbert": ArraySchema(
        domain=Domain(
            Dim("f", domain=(-90.0, 90.0), tile=None, dtype=np.float64),
            Dim("s", domain=(None, None), tile=None, dtype="ascii", filters=F(DictionaryFilter())),
        ),
        attrs=[], sparse=True, cell_order="hilbert", capacity=100, allows_duplicates=True,
    ),
    "orders": ArraySchema(
        domain=Domain(
            Dim("a", domain=(-100, 20), tile=None, dtype=np.int8),
            Dim("b", domain=(0, 2**64 - 11), tile=10, dtype=np.uint64),
            Dim("c", domain=(0.5, 2.0), tile=None, dtype=np.float32),
            Dim("d", domain=(np.datetime64("2024-01-01", "D"), np.datetime64("2024-12-31", "D")), tile=np.timedelta64(7, "D"),
                dtype="datetime64[D]"),
        ),
        attrs=[Attr("v", dtype=np.int64, filters=F(NoOpFilter()))],
        sparse=True, cell_order="col-major", tile_order="col-major",
        # the Python package gives them to every dimension instead
        coords_filters=F(BitShuffleFilter(), GzipFilter(6)), offsets_filters=F(LZ4Filter(3)), validity_filters=F(Bzip2Filter(9)),
    ),
    "filters": ArraySchema(
        domain=x,
        attrs=[
            Attr("a", dtype=np.int32, filters=F(DeltaFilter(), BitWidthReductionFilter(), ChecksumMD5Filter())),
            Attr("b", dtype=np.uint64, filters=F(DoubleDeltaFilter(reinterp_dtype=np.uint32), PositiveDeltaFilter(512))),
            Attr("c", dtype=np.float64, filters=F(FloatScaleFilter(0.5, 2.0, 4), XORFilter(), ChecksumSHA256Filter())),
            Attr("d", dtype=np.float32, filters=F(XORFilter(), BitWidthReductionFilter(128), GzipFilter())),
        ],
    ),
    "cells": ArraySchema(
        domain=x,
        attrs=[
            Attr("three", dtype=[("", np.int32)] * 3),
            Attr("bytes", dtype=bytes, var=True),
            Attr("blob", dtype="blob", var=True),
            Attr("numbers", dtype=np.float64, var=True, nullable=True),
            Attr("filled", dtype=np.int16, fill=-7),
            Attr("when", dtype="datetime64[ns]"),
            Attr("flag", dtype="bool"),
        ],
    ),
    "picture": ArraySchema(
        domain=Domain(Dim("y", domain=(1, 20), tile=4, dtype=np.uint16), Dim("x", domain=(1, 90), tile=30, dtype=np.uint16)),
        attrs=[Attr("rgb", dtype=np.uint8, filters=F(WebpFilter(WebpFilter.WebpInputFormat.WEBP_RGB, 80.0, True)))],
    ),
}
colors = Enumeration("colors", False, ["red", "green"])
schemas["enumerated"] = ArraySchema(
    domain=x, attrs=[Attr("color", dtype=np.uint8, enum_label="colors")], enums=[colors],
)
ctx = tiledb.default_ctx()
limited = ArraySchema(
    domain=Domain(Dim("i", domain=(0, 99), tile=10, dtype=np.int64), Dim("j", domain=(0, 9), tile=5, dtype=np.int64)),
    attrs=[Attr("v", dtype=np.float32)],
)
rectangle = tiledb.NDRectangle(ctx, limited.domain)
rectangle.set_range(0, 0, 49)
rectangle.set_range(1, 0, 9)
current = tiledb.CurrentDomain(ctx)
current.set_ndrectangle(rectangle)
limited.set_current_domain(current)
schemas["limited"] = limited
print(json.dumps({name: bytes_of(schema) for name, schema in schemas.items()}, indent=2))
