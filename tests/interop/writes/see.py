"""The real engine reads what tests/interop/writes/make.ts wrote: `see.py FOLDER [LIBRARY]`.

Of each array all cells must be those that were meant; conditions on an attribute must find the cells that a look at each
finds (the engine leaves out tiles by our statistics and rectangles), and sums, minima, maxima and null counts must be those
of the cells. Each array is read in a process of its own. Closes with `N passed, N failed, 0 skipped`.
"""
import ctypes as ct
import json
import math
import os
import sys

import tiledb

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))

from oracle import record                                          # noqa: E402
from oracle.engine import Engine, library                          # noqa: E402

COUNTED = ('int8', 'uint8', 'int16', 'uint16', 'int32', 'uint32', 'int64', 'uint64', 'float32', 'float64')


def plain(x):
    """A number is one, whether it is written as a float or not."""
    if isinstance(x, list):
        return [plain(y) for y in x]
    return int(x) if isinstance(x, float) and x.is_integer() else x


def rows(columns, names):
    return sorted(json.dumps(plain(row), ensure_ascii=False) for row in map(list, zip(*(columns[n] for n in names))))


def number(x, ty):
    if x is None:
        return None
    return float(x) if ty.startswith('float') else int(x)


def read(e, uri, sch, ranges=None, condition=None):
    a = e.open(uri)
    try:
        if condition is None:
            return record.read(e, a, sch, 'row-major' if ranges else 'unordered', ranges)[1]
        original, made = e.new, e.condition(condition)

        def new(name, *args):
            q = original(name, *args)
            if name == 'query_alloc':
                e.c('query_set_condition', q, made)
            return q
        e.new = new
        try:
            return record.read(e, a, sch, 'row-major' if ranges else 'unordered', ranges)[1]
        finally:
            e.new = original
    finally:
        e.close(a)


def first_difference(found, meant, names):
    for n in names:
        if found[n] != meant[n]:
            if len(found[n]) != len(meant[n]):
                return '%s: %d cells where %d were meant' % (n, len(found[n]), len(meant[n]))
            i = next(i for i, (x, y) in enumerate(zip(found[n], meant[n])) if x != y)
            return '%s: cell %d is %r, %r was meant' % (n, i, found[n][i], meant[n][i])


def check_cells(found, meant, names, sparse):
    if not sparse:
        return first_difference(found, meant, names)
    f, m = rows(found, names), rows(meant, names)
    if f == m:
        return None
    only = [x for x in f if x not in m][:1], [x for x in m if x not in f][:1]
    return '%d cells where %d were meant; found only %s, meant only %s' % (len(f), len(m), *only)


def check_condition(e, uri, sch, meant, ranges, attribute):
    """The cells that are at least as large as the one in the middle."""
    name, ty = attribute['name'], attribute['type']
    values = sorted(v for v in (number(x, ty) for x in meant[name]) if v is not None and not (isinstance(v, float) and math.isnan(v)))
    if not values:
        return None
    least = values[len(values) // 2]
    found = read(e, uri, sch, ranges, (name, 'ge', least, ty))

    def chosen(x):
        v = number(x, ty)
        return v is not None and v >= least
    names = list(meant)
    if ranges is None:
        keep = [i for i, x in enumerate(meant[name]) if chosen(x)]
        return check_cells(found, {n: [meant[n][i] for i in keep] for n in names}, names, True)
    # dense: cells that do not match are fill values, whatever they were
    wanted = [x for x in meant[name] if chosen(x)]
    got = [x for x, y in zip(found[name], meant[name]) if chosen(y)]
    return None if got == wanted else 'cells of %s that match a condition are %r, not %r' % (name, got[:3], wanted[:3])


def check_aggregates(uri, key, attribute, meant):
    name, ty = attribute['name'], attribute['type']
    config = {'sm.encryption_type': 'AES_256_GCM', 'sm.encryption_key': key} if key else {}
    with tiledb.open(uri, ctx=tiledb.Ctx(config)) as a:
        values = [number(x, ty) for x in meant[name]]
        there = [v for v in values if v is not None]
        if not there or any(isinstance(v, float) and not math.isfinite(v) for v in there):
            return None
        wanted = {'min': min(there), 'max': max(there)}
        # sums stay at a limit that they reach on the way
        if ty.startswith('float') or sum(map(abs, there)) < 2 ** 63:
            wanted['sum'] = sum(there)
        if attribute.get('nullable'):
            wanted['null_count'] = len(values) - len(there)
        found = a.query(attrs=[name]).agg({name: list(wanted)})[:]
    found = found.get(name, found)
    for what, value in wanted.items():
        x = found[what] if isinstance(found, dict) else found
        close = math.isclose(float(x), value, rel_tol=1e-9, abs_tol=1e-9) if ty.startswith('float') else int(x) == value
        if not close:
            return '%s of %s is %r, not %r' % (what, name, x, value)


def see(lib, folder):
    """What is wrong of an array, a line each."""
    with open(os.path.join(folder, 'meant.json')) as f:
        meant = json.load(f)
    e, uri, columns = Engine(lib), os.path.join(folder, 'array'), meant['columns']
    if meant['key']:
        e = e.keyed(meant['key'].encode())
    a = e.open(uri)
    sch = record.schema(e, e.new('array_get_schema', a))
    e.close(a)
    ranges = meant['ranges'] and [[(int(lo), int(hi))] for lo, hi in meant['ranges']]
    wrong = [('all cells', check_cells(read(e, uri, sch, ranges), columns, list(columns), meant['sparse']))]
    for attribute in sch['attributes']:
        if attribute['type'] not in COUNTED or attribute['cell_val_num'] != 1:
            continue
        wrong.append(('a condition', check_condition(e, uri, sch, columns, ranges, attribute)))
        # TileDB-Py opens no arrays with dimensions of other types
        if meant['covered'] and all(d['type'] in COUNTED or d['type'].startswith(('datetime', 'string')) for d in sch['dimensions']):
            wrong.append(('aggregates', check_aggregates(uri, meant['key'], attribute, columns)))
    return wrong


def main():
    folder, *more = sys.argv[1:]
    lib = ct.CDLL(more[0]) if more else library()
    passed = failed = 0
    for name in sorted(os.listdir(folder)):
        if not os.path.exists(os.path.join(folder, name, 'meant.json')):
            continue
        r, w = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(r)
            try:
                out = see(lib, os.path.join(folder, name))
            except Exception as x:
                out = [('reading', '%s: %s' % (type(x).__name__, x))]
            with os.fdopen(w, 'w') as f:
                json.dump(out, f)
            os._exit(0)
        os.close(w)
        with os.fdopen(r) as f:
            said = f.read()
        status = os.waitpid(pid, 0)[1]
        for what, reason in (json.loads(said) if said else [('reading', 'the engine ended with %d' % status)]):
            if reason is None:
                passed += 1
            else:
                failed += 1
                print('FAILED %s: %s: %s' % (os.path.join(folder, name), what, reason))
    print('%d passed, %d failed, 0 skipped' % (passed, failed))


main()
