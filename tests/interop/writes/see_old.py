"""Engines of the age of each array read what make.ts wrote: `see_old.py FOLDER ENGINES`.

Each must say at each time the metadata, the non-empty domain and the cells that meant.json says, and in random ranges. Arrays of
one format are read in one process; if the engine dies there, each in its own. Closes with `N passed, N failed, 0 skipped`.
"""
import ctypes as ct
import json
import os
import random
import signal
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))

from oracle import record                                          # noqa: E402
from oracle.old_engines import OldEngine, found                    # noqa: E402
from writes.cells import Cells, first_difference, plain            # noqa: E402

SECONDS = 60                     # some never end


def findings(lib, folder):
    """Pairs of what was looked at, and what is wrong with it or None."""
    with open(os.path.join(folder, 'meant.json')) as f:
        meant = json.load(f)
    e, uri, sch = OldEngine(lib, meant['key'] and meant['key'].encode()), os.path.join(folder, 'array'), meant['schema']
    r, dims = random.Random(os.path.basename(folder)), sch['dimensions']
    for moment in meant['moments']:
        last = moment is meant['moments'][-1]
        # engines before 2.1 fill var-sized cells with what memory holds
        filled = [x['name'] for x in sch['attributes'] if e.v < (2, 1) and x['cell_val_num'] == 'var']
        cells, what = Cells(sch, meant['ranges'], moment, filled), '' if last else ' at %d' % moment['at']
        a = e.open(uri, end=None if last else moment['at'])
        if e.has('array_get_metadata_num'):
            # the number of values in an empty one was 0 before it was 1
            said = [dict(x, num=1) if x['value'] is None else x for x in record.metadata(e, a)]
            yield 'metadata' + what, first_difference(said, moment['metadata'])
        ned = e.non_empty_domain(a, dims)
        domain = [[record.end_json(x, d) for x in ends] for ends, d in zip(ned, dims)]
        yield 'non-empty domain' + what, first_difference(plain(domain), plain(moment['domain']))
        layout = 'unordered' if sch['cell_order'] == 'hilbert' else 'row-major'
        # engines before 2.2 read dimensions of text only in a range
        whole = cells.whole or ([[ends] for ends in ned] if any(d['cell_val_num'] == 'var' for d in dims) else None)
        yield 'all cells' + what, cells.compare(layout, e.read(a, sch, layout, whole))
        if last and not any(d['cell_val_num'] == 'var' for d in dims):
            ranges = [rs or [(lo, hi)] for rs, (lo, hi) in zip(cells.random_ranges(r, 'global-order') or [None] * len(dims), ned)]
            yield 'ranges %s' % ranges, cells.compare(layout, e.read(a, sch, layout, ranges), ranges)
        e.close(a)


def read(path, folders, pipe):
    """In a process of its own."""
    lib = ct.CDLL(path)
    for folder in folders:
        pipe.write(json.dumps([folder, None, None]) + '\n')
        pipe.flush()
        signal.alarm(SECONDS)
        try:
            for what, reason in findings(lib, folder):
                pipe.write(json.dumps([folder, what, reason]) + '\n')
        except Exception as x:
            pipe.write(json.dumps([folder, 'reading', '%s: %s' % (type(x).__name__, x)]) + '\n')
    pipe.flush()


def see(path, folders):
    """What is wrong, or None, of each thing in each folder."""
    r, w = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(r)
        with os.fdopen(w, 'w') as pipe:
            read(path, folders, pipe)
        os._exit(0)
    os.close(w)
    with os.fdopen(r) as f:
        said = [json.loads(line) for line in f if line.endswith('\n')]
    status = os.waitpid(pid, 0)[1]
    out = [x for x in said if x[1] is not None]
    if status != 0:
        began = said[-1][0] if said else folders[0]
        out.append([began, 'reading', 'the engine ended with %d' % status])
        out += see(path, folders[folders.index(began) + 1:])
    return out


def main():
    top, engines = sys.argv[1:]
    by_format, passed, failed = {}, 0, 0
    for name in sorted(os.listdir(top)):
        folder = os.path.join(top, name)
        if os.path.exists(os.path.join(folder, 'meant.json')):
            with open(os.path.join(folder, 'meant.json')) as f:
                by_format.setdefault(json.load(f)['version'], []).append(folder)
    for format_, folders in sorted(by_format.items()):
        path = found(engines, format_)
        if path is None:
            continue
        for folder, what, reason in see(path, folders):
            passed, failed = passed + (reason is None), failed + (reason is not None)
            if reason is not None:
                print('FAILED %s: format %d, %s: %s' % (folder, format_, what, reason))
    print('%d passed, %d failed, 0 skipped' % (passed, failed))


if __name__ == '__main__':
    main()
