"""`engine.py FOLDER`: reads the arrays that tessera wrote for cases.json by their labels, and writes the same arrays.

Closes with `N passed, N failed`.
"""

import json
import os
import sys

import numpy as np
import tiledb

TYPES = {"int64": np.int64, "float64": np.float64, "string_ascii": np.bytes_}


def column(label):
    if label["type"] == "string_ascii":
        return np.array([value.encode() for value in label["values"]])
    return np.array(label["values"], dtype=TYPES[label["type"]])


def bound(value):
    return value.encode() if isinstance(value, str) else value


def plain(values):
    return [value.decode() if isinstance(value, bytes) else value for value in np.asarray(values).ravel().tolist()]


def query_dense(array, case, ranges):
    slices = []
    for dim in case["dims"]:
        names = [name for name in ranges if case["labels"][name]["dim"] == dim]
        slices.append(slice(bound(ranges[names[0]][0]), bound(ranges[names[0]][1])) if names else slice(None))
    result = array.label_index(list(ranges))[tuple(slices)]
    return {"a": plain(result["a"]), "labels": {name: plain(result[name]) for name in ranges}}


def query_sparse(array, case, ranges):
    """Reads the label's array, since TileDB-Py does not support label ranges for sparse arrays."""
    [(name, (low, high))] = ranges.items()
    label = array.schema.dim_label(name)
    with tiledb.open(label.uri) as labels:
        values = labels[:]
        values = plain(values[label.label_attr_name] if isinstance(values, dict) else values)
    cells = array[:]
    first = case["dims"]["x"]["domain"][0]
    chosen = [i for i, value in enumerate(values) if low <= value <= high]
    a = [int(cells["a"][list(cells["x"]).index(first + i)]) for i in chosen]
    return {"a": a, "labels": {name: [values[i] for i in chosen]}}


def query(uri, case):
    """Returns the cells and labels of each query."""
    with tiledb.open(uri) as array:
        one = query_sparse if case["sparse"] else query_dense
        return [one(array, case, ranges) for ranges in case["queries"]]


def write(uri, case):
    dims = [
        tiledb.Dim(name, domain=tuple(dim["domain"]), tile=dim["tile"], dtype=np.int64)
        for name, dim in case["dims"].items()
    ]
    labels = {}
    for i, dim in enumerate(dims):
        schemas = {
            name: dim.create_label_schema(label["order"], TYPES[label["type"]])
            for name, label in case["labels"].items()
            if label["dim"] == dim.name
        }
        if schemas:
            labels[i] = schemas
    schema = tiledb.ArraySchema(
        domain=tiledb.Domain(*dims),
        attrs=[tiledb.Attr("a", dtype=np.int64)],
        sparse=case["sparse"],
        dim_labels=labels,
    )
    tiledb.Array.create(uri, schema)
    shape = [dim["domain"][1] - dim["domain"][0] + 1 for dim in case["dims"].values()]
    data = {name: column(label) for name, label in case["labels"].items()}
    data["a"] = np.arange(np.prod(shape), dtype=np.int64).reshape(shape)
    with tiledb.open(uri, "w") as array:
        if case["sparse"]:
            low, high = case["dims"]["x"]["domain"]
            array[np.arange(low, high + 1)] = data
        else:
            array[:] = data


def main(folder):
    with open(os.path.join(folder, "cases.json")) as file:
        cases = json.load(file)
    passed = failed = 0
    for n, case in enumerate(cases):
        write(os.path.join(folder, "theirs%d" % n), case)
        for ranges, theirs, ours in zip(case["queries"], query(os.path.join(folder, "ours%d" % n), case), case["answers"]):
            same = theirs == ours
            passed, failed = passed + same, failed + (not same)
            if not same:
                print("FAILED ours%d %s: %s, not %s" % (n, ranges, ours, theirs))
    print("%d passed, %d failed" % (passed, failed))


if __name__ == "__main__":
    main(sys.argv[1])
