"""The real engine reads the files that failed writes left: `see.py FOLDER`, with the list that leave.ts wrote there.

If tessera reads the state before the write, the engine must read the same state, and likewise for the state after the write.
Then the engine writes to the same array or group. In arrays of processes that were killed or that ran concurrently, the
engine must read every write completely, and consolidate all of them. Closes with `N passed, N failed, N skipped`.
"""

import json
import os
import sys

import tiledb


def has_schema(uri):
    folder = os.path.join(uri, "__schema")
    names = os.listdir(folder) if os.path.isdir(folder) else []
    return any(name != "__enumerations" for name in names) or os.path.exists(os.path.join(uri, "__array_schema.tdb"))


def meta_of(opened):
    return sorted((key, repr(opened.meta[key])) for key in opened.meta.keys())


def cells_of(array):
    if array.nonempty_domain() is None:
        return []
    cells = array[:]
    columns = cells if isinstance(cells, dict) else {array.attr(0).name: cells}
    lists = {name: column.tolist() for name, column in columns.items()}
    if array.schema.sparse:
        return sorted(repr(row) for row in zip(*lists.values()))
    return repr(lists)


def see(uri):
    kind = tiledb.object_type(uri)
    # a killed creation leaves folders without a schema
    if kind is None or (kind == "array" and not has_schema(uri)):
        return None
    if kind == "group":
        with tiledb.Group(uri) as group:
            return ["group", sorted((m.uri.split(uri)[-1], str(m.name), m.type.__name__) for m in group), meta_of(group)]
    with tiledb.open(uri) as array:
        return ["array", repr(array.schema), meta_of(array), cells_of(array), repr(array.nonempty_domain())]


def write(uri, kind):
    if kind == "group":
        with tiledb.Group(uri, "w") as group:
            group.meta["by the engine"] = 1
        with tiledb.Group(uri) as group:
            return group.meta["by the engine"] == 1
    with tiledb.open(uri, "w") as array:
        array.meta["by the engine"] = 1
    with tiledb.open(uri) as array:
        return array.meta["by the engine"] == 1


def whole_writes(root):
    """Returns the writes of tests/laws/loop.ts; checks that each has all its cells."""
    with tiledb.Group(root) as group:
        assert len(group) == 2 and group.meta["one"] == group.meta["other"]
    with tiledb.open(root + "/board") as board:
        assert board.meta["one"] == board.meta["other"]
        assert len(set(board[:]["write"].tolist())) == 1
    counts = {}
    with tiledb.open(root + "/events") as events:
        cells = events[:]
        for write, cell, twice, text in zip(cells["write"], cells["cell"], cells["twice"], cells["text"]):
            assert twice == 2 * write and text == f"{write} {'x' * cell}", (write, cell, twice, text)
            counts[int(write)] = counts.get(int(write), 0) + 1
    assert set(counts.values()) == {10}, counts
    return sorted(counts)


def check_processes(root, writes):
    assert whole_writes(root) == sorted(writes), "writes are lost"
    for array in ("events", "board"):
        uri = f"{root}/{array}"
        commits = [name for name in os.listdir(uri + "/__commits") if name.endswith(".wrt")]
        assert len(tiledb.array_fragments(uri)) == len(commits), array
        for mode in ("commits", "fragment_meta", "array_meta", "fragments"):
            tiledb.consolidate(uri, config=tiledb.Config({"sm.consolidation.mode": mode}))
            tiledb.vacuum(uri, config=tiledb.Config({"sm.vacuum.mode": mode}))
    assert whole_writes(root) == sorted(writes), "writes are lost by consolidation"


def main(folder):
    with open(os.path.join(folder, "list.json")) as file:
        listed = json.load(file)
    runs = listed["runs"]
    expected = {}
    passed = failed = 0
    for each in runs:
        name = f"{each['law']}, {each['where']}"
        try:
            seen = see(each["path"])
            state = expected.setdefault((each["law"], each["seen"]), seen)
            problem = None if seen == state else f"the engine reads {seen}, expected {state}"
            if problem is None and seen is not None and not write(each["path"], seen[0]):
                problem = "the engine's write is missing"
        except Exception as error:  # noqa: BLE001
            problem = f"{type(error).__name__}: {error}"
        if problem is None:
            passed += 1
        else:
            failed += 1
            print(f"FAILED {name}: {problem}")
    for each in listed["processes"]:
        try:
            check_processes(each["path"], each["writes"])
            passed += 1
        except Exception as error:  # noqa: BLE001
            failed += 1
            print(f"FAILED {each['path']}: {type(error).__name__}: {error}")
    for law in {each["law"] for each in runs}:
        if expected.get((law, "before")) == expected.get((law, "after")):
            failed += 1
            print(f"FAILED {law}: the engine reads no difference between before and after")
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return 0 if failed == 0 else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
