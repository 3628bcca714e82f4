"""`engine.py VERB FOLDER`: reads cell 7 of the arrays that tessera wrote and compares it with expected.json. With the verb `write` it
then adds an attribute and writes the cell, with a timestamp ten minutes in the future. Closes with `N passed, N failed`.
"""

import json
import os
import sys
import time

import numpy as np
import tiledb


def seen(folder):
    end = int(time.time() * 1000) + 3_600_000
    cells_by_array = {}
    for name in ("points", "board"):
        with tiledb.open(os.path.join(folder, name), timestamp=end) as array:
            cells = array[7:8] if not array.schema.sparse else array.multi_index[7]
            cells_by_array[name] = np.asarray(cells["a"] if not isinstance(cells, np.ndarray) else cells).tolist()
    return cells_by_array


def write(folder):
    later = int(time.time() * 1000) + 600_000
    for name in ("points", "board"):
        uri = os.path.join(folder, name)
        evolution = tiledb.ArraySchemaEvolution(tiledb.Ctx())
        evolution.add_attribute(tiledb.Attr("engine", dtype=np.int8))
        evolution.timestamp(later)
        evolution.array_evolve(uri)
        with tiledb.open(uri, "w", timestamp=later) as array:
            cell = {"a": np.array([1000], np.int32), "engine": np.array([1], np.int8)}
            if array.schema.sparse:
                array[np.array([7], np.int32)] = cell
            else:
                array[7:8] = cell


def main():
    verb, folder = sys.argv[1:]
    with open(os.path.join(folder, "expected.json")) as file:
        expected = json.load(file)
    cells_by_array = seen(folder)
    if cells_by_array != expected:
        print(f"the engine reads {cells_by_array}, tessera {expected}")
    if verb == "write":
        write(folder)
    print("1 passed, 0 failed" if cells_by_array == expected else "0 passed, 1 failed")


main()
